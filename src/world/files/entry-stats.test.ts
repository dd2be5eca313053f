import { lstatSync, mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { openBelow } from "../testing/open-below.js";
import {
  createEntryStats,
  isOnLocalFileSystem,
  type EntryStats,
  type StampedDirectory,
} from "./entry-stats.js";
import type { GuardDeps } from "./locate.js";
import { chooseOpener, type Handle, type Opener } from "./opener.js";
import { portableOpener } from "./portable-opener.js";

let base: string;
let top: Handle;
let stats: EntryStats | undefined;
const names = Array.from({ length: 6 }, (_, at) => `file-${at}`);
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"] });
  base = realpathSync(mkdtempSync(join(tmpdir(), "tenon-entry-stats-")));
  mkdirSync(join(base, "above/top/sub"), { recursive: true });
  for (const folder of ["above/top", "above/top/sub"])
    for (const [at, name] of names.entries()) writeFileSync(join(base, folder, name), "x".repeat(at));
});
afterEach(() => {
  vi.useRealTimers();
  stats?.close();
  stats = undefined;
  top.close();
  expect(openBelow(base)).toEqual([]);
  rmSync(base, { recursive: true, force: true });
});

function open(opener: Opener = chooseOpener()): EntryStats {
  top = opener.open(join(base, "above/top"));
  stats = createEntryStats({ opener } as GuardDeps, top, base);
  return stats;
}

const entries = (...more: string[]) =>
  [...names, ...more].map((name) => ({ name, shown: name, type: "file" as const }));

/** The sizes of the entries of the first folder, or what else is said of each. */
function sizes(from: EntryStats, settled: boolean, ...more: string[]): unknown[] {
  const level: StampedDirectory & { readonly real: string } = { handle: top, settled, real: top.real };
  const found = from.statEntries(level, { entries: entries(...more), levels: [level] });
  return found.map((stat) => stat?.size ?? stat);
}

/** Open the folder so many milliseconds after its last change. */
function openAfter(ms: number, opener?: Opener): EntryStats {
  vi.setSystemTime(lstatSync(join(base, "above/top")).ctimeMs + ms);
  return open(opener);
}
function closeAll(): void {
  stats?.close();
  top.close();
}

const expected = [0, 1, 2, 3, 4, 5];

it.each([
  ["of this system", chooseOpener()],
  ["without descriptors", portableOpener("linux")],
])("reads sizes, and says which entries are gone, with the opener %s", (_name, opener) => {
  const own = open(opener);
  for (const settled of [true, false]) expect(sizes(own, settled, "missing")).toEqual([...expected, null]);
  expect(own.holds()).toBe(true);
});

it.each([
  [0, false],
  [90, false],
  [110, true],
  [10_000, true],
])("counts a folder as settled only some time after its last change: %i ms", (ms, isSettled) => {
  expect(openAfter(ms).isSettled(top)).toBe(isSettled);
  closeAll();
  expect(openAfter(ms, portableOpener("linux")).isSettled(top)).toBe(false);
});

it("reads entries of the folder that was opened, also if another one is in its place now", () => {
  const own = openAfter(10_000);
  expect(sizes(own, true)).toEqual(expected);
  renameSync(join(base, "above"), join(base, "moved"));
  mkdirSync(join(base, "above/top"), { recursive: true });
  for (const name of names) writeFileSync(join(base, "above/top", name), "another");
  expect(sizes(own, true)).toEqual(expected);
  expect(own.holds()).toBe(true);
  renameSync(base, `${base}-moved`);
  expect(own.holds()).toBe(false);
  renameSync(`${base}-moved`, base);
});

it("reads nothing of a level below whose folder is closed and cannot be proved", () => {
  const own = openAfter(10_000);
  const level = { handle: undefined, settled: false, real: join(base, "above/top/sub") };
  const read = (above: StampedDirectory, few = false): unknown[] =>
    own
      .statEntries(level, { entries: entries().slice(few ? 1 : 0), levels: [above, level] })
      .map((stat) => stat?.size ?? stat);
  const settled = { handle: top, settled: true };
  // The level itself is looked at by its path, which those above it prove.
  expect(read(settled)).toEqual(expected);
  expect(read({ handle: top, settled: false })).toEqual(names.map(() => undefined));
  expect(read({ handle: undefined, settled: true })).toEqual(names.map(() => undefined));
  // Few entries are not worth a proof.
  expect(read(settled, true)).toEqual(names.slice(1).map(() => undefined));
  writeFileSync(join(base, "above/top/new"), "");
  expect(read(settled)).toEqual(names.map(() => undefined));
});

it("knows local file systems, and nothing of what does not exist", () => {
  open();
  expect(isOnLocalFileSystem(base)).toBe(true);
  expect(isOnLocalFileSystem("/proc")).toBe(false);
  expect(isOnLocalFileSystem(join(base, "missing"))).toBe(false);
});
