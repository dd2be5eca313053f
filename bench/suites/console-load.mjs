// Every page of the console in front of a large state: 100,000 calls and a million records, 200 servers, 5,000 tools,
// a result of 50 MB, 10,000 nested calls. Paint and filter times are medians; goals are those of a quiet machine.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { buildConsoleState } from "../console-state.mjs";
import { measureFilters, measurePages, openConsole, pumpCalls, startConsole } from "../console-pages.mjs";
import { printGoal } from "../measure.mjs";

/** Checked before the suite runs. */
export const needs = [{ program: "chromium" }];

const size = {
  records: 1_000_000,
  nested: 10_000,
  resultBytes: 50_000_000,
  changes: 5000,
  servers: 200,
  tools: 5000,
};

export async function run() {
  console.log("\n## Console before a large state\n");
  const base = mkdtempSync(join(tmpdir(), "tenon-bench-console-load-"));
  const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
  try {
    const started = performance.now();
    const places = await buildConsoleState(base, size);
    console.log(`built in ${((performance.now() - started) / 1000).toFixed(0)} s\n`);
    const server = await startConsole(places);
    try {
      await pumpCalls(server, 100_000);
      const page = await openConsole(browser, server);
      for (const [name, ms] of await measurePages(page, server))
        printGoal(`${name}, first paint, ms`, ms, 1000);
      for (const [name, ms] of await measureFilters(page, server)) printGoal(`filter ${name}, ms`, ms, 200);
    } finally {
      await server.stop();
    }
  } finally {
    await browser.close();
    rmSync(base, { recursive: true, force: true });
  }
}
