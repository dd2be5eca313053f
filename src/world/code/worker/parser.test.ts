import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import type { ParserJob, ParserResult } from "./parser.js";
import { startWorker } from "./start-worker.js";

/** Ask a new thread to parse each of these texts, one job after another, and tell after which ones it was worn. */
async function wornAfter(texts: Readonly<Record<string, string>>): Promise<boolean[]> {
  const workspace = mkdtempSync(join(tmpdir(), "tenon-parser-"));
  onTestFinished(() => rmSync(workspace, { recursive: true }));
  const thread = startWorker({ role: "parser", rules: { workspace }, maxFileSize: 10e6 });
  onTestFinished(async () => void (await thread.terminate()));
  const worn: boolean[] = [];
  for (const [name, text] of Object.entries(texts)) {
    writeFileSync(join(workspace, name), text);
    thread.postMessage({ id: worn.length, kind: "parse", files: [name] } satisfies ParserJob, []);
    const [result] = (await once(thread, "message")) as [ParserResult];
    expect(result.counts[0]).toBeGreaterThan(0);
    worn.push(result.isWorn);
  }
  return worn;
}

it("a thread that parses is worn by grammars that are large together, not by a single one", async () => {
  const [cpp, go] = ["int f() { return 1; }\n", "package a\nfunc f() {}\n"];
  expect(await wornAfter({ "a.cpp": cpp, "b.cpp": cpp, "a.go": go })).toEqual([false, false, true]);
});
