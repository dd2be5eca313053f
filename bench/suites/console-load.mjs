// Every page of the console in front of a large state: 100,000 calls and a million records, 200 servers, 5,000 tools,
// a result of 50 MB, 10,000 nested calls. Paint and filter times are medians; goals are those of a quiet machine.
// --state DIR builds the state there once and keeps it, so that the next run only measures.
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { buildConsoleState, placesBelow } from "../console-state.mjs";
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
  const at = process.argv.indexOf("--state");
  const base = at === -1 ? mkdtempSync(join(tmpdir(), "tenon-bench-console-load-")) : process.argv[at + 1];
  const step = createSteps();
  const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
  try {
    const places = placesBelow(base);
    if (!existsSync(places.config)) await buildConsoleState(places, size);
    step("built");
    const server = await startConsole(places);
    try {
      await pumpCalls(server, 100_000);
      step("100,000 calls made");
      const page = await openConsole(browser, server);
      for await (const [name, ms] of measurePages(page, server))
        printGoal(`${name}, first paint, ms`, ms, 1000);
      for await (const [name, ms] of measureFilters(page, server)) printGoal(`filter ${name}, ms`, ms, 200);
      step("measured");
    } finally {
      await server.stop();
    }
  } finally {
    await browser.close();
    if (at === -1) rmSync(base, { recursive: true, force: true });
  }
}

function createSteps() {
  let last = performance.now();
  return (name) => {
    console.log(`${name} in ${((performance.now() - last) / 1000).toFixed(0)} s`);
    last = performance.now();
  };
}
