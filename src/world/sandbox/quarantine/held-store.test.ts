import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { HeldItem } from "../../../contract/ports/quarantine.js";
import { createHeldStore, hashOf, isHeldId, namesIn, type HeldStore } from "./held-store.js";

const limits = { maxItems: 3, maxBytes: 100, maxAgeMs: 1000 };
let base: string;
let dir: string;
let time: number;
let store: HeldStore;

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), "tenon-held-"));
  dir = join(base, "held");
  time = 5000;
  store = createHeldStore(dir, limits, () => time);
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const idOf = (n: number): string => `held_${n.toString(16).padStart(16, "0")}`;
const item = (n: number, more: Partial<HeldItem> = {}): HeldItem => ({
  id: idOf(n),
  path: `file ${n}`,
  callId: "call",
  sessionId: "session",
  at: time,
  reason: "because",
  rule: "rule",
  change: "changed",
  kind: "file",
  mode: 0o644,
  bytes: 10,
  sha256: "",
  left: null,
  ...more,
});
const add = (n: number, more: Partial<HeldItem> = {}): void =>
  store.add(item(n, more), Buffer.from(`content ${n}`));
const kept = (): string[] => store.list().map(({ path }) => path);

describe("held back changes", () => {
  it("are kept with their content, the oldest first, for nobody else to read", () => {
    expect(store.list()).toEqual([]);
    add(2, { at: 4900, asideAs: "aside" });
    add(1, { at: 4800 });
    add(3, { at: 4800 });
    expect(kept()).toEqual(["file 1", "file 3", "file 2"]);
    expect(store.list().at(-1)).toEqual(item(2, { at: 4900, asideAs: "aside" }));
    expect(Buffer.from(store.read(idOf(2))).toString()).toBe("content 2");
    const modeOf = (path: string): number => statSync(join(dir, idOf(2), path)).mode & 0o777;
    expect([modeOf("."), modeOf("content"), modeOf("item.json")]).toEqual([0o700, 0o600, 0o600]);
  });

  it("go when they are decided about; an id that is a path removes nothing", () => {
    add(1);
    add(2);
    store.remove(idOf(1));
    store.remove("..");
    store.remove(`../held/${idOf(2)}`);
    expect(kept()).toEqual(["file 2"]);
    expect(readdirSync(dir)).toEqual([idOf(2)]);
  });

  it("go when they are too old, when they are listed and when another comes", () => {
    add(1);
    time += limits.maxAgeMs;
    expect(kept()).toEqual(["file 1"]);
    time += 1;
    add(2);
    expect(readdirSync(dir)).toEqual([idOf(2)]);
    time += limits.maxAgeMs + 1;
    expect(kept()).toEqual([]);
    expect(readdirSync(dir)).toEqual([]);
  });

  it("are so many at most: the oldest make room", () => {
    for (const n of [1, 2, 3]) add(n, { at: time + n });
    expect(kept()).toEqual(["file 1", "file 2", "file 3"]);
    add(4, { at: time + 4 });
    expect(kept()).toEqual(["file 2", "file 3", "file 4"]);
  });

  it("take so many bytes at most together, but one that is larger alone is kept", () => {
    add(1, { bytes: 60, at: time + 1 });
    add(2, { bytes: 40, at: time + 2 });
    expect(kept()).toEqual(["file 1", "file 2"]);
    add(3, { bytes: 1, at: time + 3 });
    expect(kept()).toEqual(["file 2", "file 3"]);
    add(4, { bytes: 1000, at: time + 4 });
    expect(kept()).toEqual(["file 4"]);
  });

  it("that were left incomplete, or are something else, are not listed", () => {
    add(1);
    mkdirSync(join(dir, idOf(2)));
    mkdirSync(join(dir, idOf(3)));
    writeFileSync(join(dir, idOf(3), "item.json"), '{"id":');
    mkdirSync(join(dir, "other"));
    writeFileSync(join(dir, "other/item.json"), JSON.stringify(item(4)));
    expect(kept()).toEqual(["file 1"]);
  });
});

describe("an id", () => {
  it.each([
    [idOf(1), true],
    [`${idOf(1)}0`, false],
    [`x${idOf(1)}`, false],
    ["held_ABCDEF0123456789", false],
    ["", false],
  ])("%s: %s", (text, isId) => expect(isHeldId(text)).toBe(isId));
});

it("a hash is SHA-256, and a folder that does not exist has no names", () => {
  expect(hashOf(Buffer.from("abc"))).toMatch(/^ba7816bf8f01cfea/);
  expect(namesIn(join(base, "missing"))).toEqual([]);
  writeFileSync(join(base, "file"), "");
  expect(() => namesIn(join(base, "file"))).toThrow("ENOTDIR");
});
