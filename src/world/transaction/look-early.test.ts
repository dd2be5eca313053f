import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { flushProgram } from "../sandbox/layer/flush-files.js";
import { entryAt } from "../sandbox/layer/entry-state.js";
import type { CommandLayer, EntryState } from "../sandbox/layer/layer-types.js";
import { runProgram } from "../sandbox/run-program.js";
import { openFixture, type Fixture } from "../sandbox/sandbox.fixture.js";
import type { EarlyLook } from "./early-looks.js";
import { lookEarly } from "./look-early.js";
import { createSeenContents } from "./seen-contents.js";
import { openLayerTexts } from "./text-at.js";

let fixture: Fixture;
beforeAll(async () => {
  fixture = await openFixture();
  for (let index = 1; index <= 30; index++) fixture.write(`work space/f${index}`, `old ${index}\n`);
  fixture.write("work space/deep/er/file", "old\n");
});
afterAll(() => fixture.close());

/** Run a script on a layer, with an early look at what it changes. */
async function runWithLook(script: string) {
  await fixture.sandbox.ready();
  const wrapped = await fixture.wrap({
    argv: ["/bin/sh", "-c", script],
    layer: { callId: "call", sessionId: "session", command: script, startedAt: Date.now() },
  });
  const layer = wrapped.layer as CommandLayer;
  const flushed: (readonly string[])[] = [];
  const look: EarlyLook = {
    seen: createSeenContents(),
    isOver: false,
    runBeside: (argv) => flushed.push(argv),
  };
  lookEarly(layer, look);
  await runProgram({ ...wrapped, timeoutMs: 60_000 });
  await wrapped.finish();
  return { layer, look, flushed };
}

function stateOf(root: string, path: string): EntryState {
  const state = entryAt(join(root, path))?.state;
  if (state === undefined) throw new Error(`${path} is not there`);
  return state;
}

it("reads both versions of the files that a command changed, and nothing that is new", async () => {
  const { layer, look, flushed } = await runWithLook(
    "echo new >f1; echo new >deep/er/file; echo new >made; mkdir dir; echo new >dir/file",
  );
  for (const [path, old] of [
    ["f1", "old 1\n"],
    ["deep/er/file", "old\n"],
  ] as const) {
    const find = (root: string) => look.seen.find(stateOf(root, path))?.toString();
    await expect.poll(() => find(layer.upper)).toBe("new\n");
    expect(find(layer.workspace)).toBe(old);
  }
  expect(look.seen.find(stateOf(layer.upper, "made"))).toBeUndefined();
  expect(look.seen.find(stateOf(layer.upper, "dir/file"))).toBeUndefined();
  expect(flushed).toEqual([]);
});

it("does not stand for a version that came later", async () => {
  const { layer, look } = await runWithLook("echo one >f2");
  await expect.poll(() => look.seen.find(stateOf(layer.upper, "f2"))).toBeDefined();
  writeFileSync(join(layer.upper, "f2"), "two\n");
  utimesSync(join(layer.upper, "f2"), 1, 1); // some systems only count the time in steps of milliseconds
  const texts = openLayerTexts(layer, look.seen);
  expect(texts.after({ path: "f2" }, stateOf(layer.upper, "f2"))).toBe("two\n");
  texts.close();
});

it("has many files written to the disk before they replace others", async () => {
  const { layer, flushed } = await runWithLook("for i in $(seq 25); do echo new >f$i; done");
  await expect.poll(() => flushed.length).toBe(1);
  expect(flushed[0]?.slice(0, 2)).toEqual(["/usr/bin/perl", "-e"]);
  expect(flushed[0]?.slice(4, 5)).toEqual([layer.upper]);
  expect(flushed[0]?.slice(5).toSorted().slice(0, 2)).toEqual(["./f1", "./f10"]);
});

it("writes files of any name, and waits for nothing", () => {
  const folder = join(fixture.workspace, "..", "odd");
  mkdirSync(folder);
  const names = ["-rf", "<in", "a|", "new\nline", "é", "touch gone|"];
  for (const name of names) writeFileSync(join(folder, name), name);
  execFileSync("mkfifo", [join(folder, "fifo")]);
  const [file = "", ...args] = flushProgram(folder, [...names, "fifo", "missing"]) ?? [];
  expect(execFileSync(file, args, { timeout: 10_000, encoding: "utf8" })).toBe("");
  for (const name of names) expect(readFileSync(join(folder, name), "utf8")).toBe(name);
  expect(flushProgram(folder, names, "riscv64")).toBeUndefined();
});

it("keeps no content that is not all of a file, is long, or exceeds what is kept in all", () => {
  const seen = createSeenContents();
  const version = (ino: bigint, size: number) => ({ dev: 1n, ino, mtimeNs: 5n, size });
  seen.add(version(1n, 4), Buffer.from("abc"));
  expect(seen.find(version(1n, 4))).toBeUndefined();
  const long = Buffer.alloc((1 << 16) + 1);
  seen.add(version(2n, long.length), long);
  expect(seen.find(version(2n, long.length))).toBeUndefined();
  const full = Buffer.alloc(1 << 16);
  for (let ino = 10n; ino < 200n; ino++) seen.add(version(ino, full.length), full);
  expect(seen.find(version(10n, full.length))).toBe(full);
  expect(seen.find(version(199n, full.length))).toBeUndefined();
  expect(seen.find({ ...version(10n, full.length), mtimeNs: 6n })).toBeUndefined();
});
