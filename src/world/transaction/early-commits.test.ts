import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { CommitReport } from "../../contract/ports/layers.js";
import type { CommandLayer, LayerChange } from "../sandbox/layer/layer-types.js";
import { runProgram } from "../sandbox/run-program.js";
import { openFixture, type Fixture } from "../sandbox/sandbox.fixture.js";
import { createEarlyCommits, type EarlyCommit } from "./early-commits.js";

let fixture: Fixture;
beforeAll(async () => {
  fixture = await openFixture();
  for (let index = 1; index <= 30; index++) fixture.write(`work space/f${index}`, `old ${index}\n`);
  fixture.write("work space/deep/er/file", "old\n");
});
afterAll(() => fixture.close());

const report: CommitReport = { changes: [], diff: "", committed: "all", heldBack: [], conflicts: [] };

/** Run a script on a layer, with a commit that lists the changes, waits until it is ready, and reports. */
async function runEarly(script: string, commit?: EarlyCommit["commit"], maxWaitMs = 60_000) {
  await fixture.sandbox.ready();
  const wrapped = await fixture.wrap({
    argv: ["/bin/sh", "-c", script],
    layer: { callId: "call", sessionId: "session", command: script, startedAt: Date.now() },
  });
  const layer = wrapped.layer as CommandLayer;
  const early = createEarlyCommits(maxWaitMs);
  const log: string[] = [];
  const abort = new AbortController();
  const listAndWait: EarlyCommit["commit"] = async (view, ready) => {
    log.push((await namesIn(view)).join(" "));
    await ready();
    log.push("took effect");
    return report;
  };
  early.begin(layer, { signal: abort.signal, commit: commit ?? listAndWait });
  await runProgram({ ...wrapped, timeoutMs: 60_000 });
  await wrapped.finish();
  return { layer, early, log, abort };
}

async function namesIn(layer: CommandLayer): Promise<string[]> {
  const found: LayerChange[] = [];
  for await (const change of layer.changes()) found.push(change);
  return found.map(({ kind, path }) => `${kind}:${path}`).toSorted();
}

it("lists the changes before the end is known, and completes the commit when it is certain", async () => {
  const { layer, early, log } = await runEarly("echo new >f1; echo new >made; rm deep/er/file");
  await expect.poll(() => log).toEqual(["changed:f1 created:made removed:deep/er/file"]);
  expect(await early.end(layer, true)).toBe(report);
  expect(log.slice(1)).toEqual(["took effect"]);
});

it("leaves nothing of it where a process of the command may have been left", async () => {
  const { layer, early, log } = await runEarly("echo new >f1");
  await expect.poll(() => log.length).toBe(1);
  expect(await early.end(layer, false)).toBeUndefined();
  expect(log).toEqual(["changed:f1"]);
});

it("leaves nothing of it where a folder hides one of the workspace", async () => {
  const { layer, early, log } = await runEarly("rm -r deep; mkdir deep; echo new >deep/other");
  await expect.poll(() => log.length).toBe(1);
  expect(await early.end(layer, true)).toBeUndefined();
  expect(log).toHaveLength(1);
  expect(await namesIn(layer)).toEqual(["replaced:deep"]);
});

it("does not wait long for a sandbox that does not end", async () => {
  let gaveUp = false;
  const waitAndTell: EarlyCommit["commit"] = async (_, ready) => {
    await ready().catch((error: unknown) => {
      gaveUp = true;
      throw error;
    });
    return report;
  };
  const { layer, early } = await runEarly("echo new >f1", waitAndTell, 1);
  await expect.poll(() => gaveUp).toBe(true);
  expect(await early.end(layer, true)).toBeUndefined();
});

it("is given up when the call is cancelled", async () => {
  const { layer, early, abort, log } = await runEarly("echo new >f1");
  await expect.poll(() => log.length).toBe(1);
  abort.abort();
  expect(await early.end(layer, true)).toBeUndefined();
  expect(log).toEqual(["changed:f1"]);
});

it("stops listing once it is given up", async () => {
  let listed = 0;
  let go = (): void => {};
  const held = new Promise<void>((resolve) => (go = resolve));
  const { layer, early } = await runEarly("for i in $(seq 30); do echo new >f$i; done", async (view) => {
    for await (const _ of view.changes()) {
      listed += 1;
      await held;
    }
    return report;
  });
  await expect.poll(() => listed).toBe(1);
  const end = early.end(layer, false);
  go();
  expect(await end).toBeUndefined();
  expect(listed).toBe(1);
});

it("tells what fails after the end is certain, and leaves what failed before to the next commit", async () => {
  const late = await runEarly("echo new >f1", async (_, ready) => {
    await ready();
    throw new Error("disk full");
  });
  await expect(late.early.end(late.layer, true)).rejects.toThrow("disk full");
  let failed = false;
  const early = await runEarly("echo new >f1", async () => {
    failed = true;
    throw new Error("not there yet");
  });
  await expect.poll(() => failed).toBe(true);
  await sleep(0);
  expect(await early.early.end(early.layer, true)).toBeUndefined();
});
