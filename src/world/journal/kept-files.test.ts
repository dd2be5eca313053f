import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { asOrdinaryUser } from "../testing/as-ordinary-user.js";
import { createKeptFiles, diskUsage, type KeptFiles } from "./kept-files.js";

const block = 4096;
let base: string;
let dir: string;
let now: number;

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), "tenon-kept-"));
  chmodSync(base, 0o777);
  dir = join(base, "kept");
  now = 1_700_000_000_000;
});

afterEach(() => {
  rmSync(base, { recursive: true, force: true });
});

const open = (maxBulkBytes = 1e9): KeptFiles =>
  createKeptFiles({ dir, maxBulkBytes, now: () => (now += 1000) });

/** A tree of two folders and two files of one block each. */
function plantTree(at: string): string {
  mkdirSync(join(at, "inner"), { recursive: true });
  for (const file of ["one", "inner/two"]) writeFileSync(join(at, file), Buffer.alloc(block, "x"));
  return at;
}

describe("kept files", () => {
  it("have a place of their own each, apart where they can be created again", () => {
    const [kept, other] = [open(), open()];
    const slots = [kept.newSlot(), kept.newSlot(), kept.newSlot("bulk"), other.newSlot()];
    expect(new Set(slots).size).toBe(4);
    expect(slots.map((slot) => kept.isSlot(slot))).toEqual([true, true, true, true]);
    expect(slots.map((slot) => kept.isBulk(slot))).toEqual([false, false, true, false]);
    expect([kept.isSlot(join(base, "kept-else")), kept.isBulk(join(dir, "bulky"))]).toEqual([false, false]);
    // Only the rest counts for the limit of the journal.
    const [own = "", , bulk = ""] = slots;
    expect(kept.refOf(own, 5)).toEqual({ hash: `kept:${own.slice(dir.length + 1)}`, size: 5 });
    expect(kept.refOf(bulk, 5)).toEqual({ hash: `kept:bulk/${bulk.slice(dir.length + 6)}`, size: 0 });
    expect(kept.exists(own)).toBe(false);
    plantTree(own);
    expect(kept.exists(own)).toBe(true);
  });

  it("are taken from the same file system only", () => {
    const kept = open();
    expect([kept.accepts(base), kept.accepts(base)]).toEqual([true, true]);
    expect(kept.accepts("/proc")).toBe(false);
  });

  it("are swept where no change needs them, also from folders that forbid it", async () => {
    const asked: (readonly string[])[] = [];
    await asOrdinaryUser(async () => {
      const kept = open();
      const slots = [kept.newSlot(), kept.newSlot(), kept.newSlot("bulk")].map(plantTree);
      for (const folder of slots.flatMap((slot) => [join(slot, "inner"), slot])) chmodSync(folder, 0o500);
      const refs = slots.map((slot) => kept.refOf(slot, 1).hash);
      const unreferenced = async (names: readonly string[]) => (asked.push(names), refs.slice(1));
      expect(await kept.sweep({ unreferenced })).toBe(2);
      expect(asked.map((names) => names.toSorted())).toEqual([refs.toSorted()]);
      expect(slots.map((slot) => existsSync(slot))).toEqual([true, false, false]);
    });
    expect(await open().sweep({ unreferenced: async () => [] })).toBe(0);
  });

  it("that can be created again are dropped from the oldest on beyond their limit", async () => {
    const tree = 4 * statfsSync(base).bsize;
    const slots = ["one", "two", "three"].map(() => plantTree(open().newSlot("bulk")));
    const own = plantTree(open().newSlot());
    const sizes = await Promise.all(slots.map(diskUsage));
    const [, second = 0, third = 0] = sizes;
    expect(second).toBeGreaterThanOrEqual(2 * block);
    expect(second).toBeLessThanOrEqual(tree + 2 * block);
    await open(second + third).limitBulk();
    expect([...slots, own].map((slot) => existsSync(slot))).toEqual([false, true, true, true]);
    await open(second + third - 1).limitBulk();
    expect([...slots, own].map((slot) => existsSync(slot))).toEqual([false, false, true, true]);
  });

  it("count a folder that may not be read as empty", async () => {
    await asOrdinaryUser(async () => {
      const top = plantTree(join(base, "tree"));
      const whole = await diskUsage(top);
      chmodSync(join(top, "inner"), 0);
      expect(whole - (await diskUsage(top))).toBe(block);
      expect(await diskUsage(join(top, "one"))).toBe(block);
      chmodSync(join(top, "inner"), 0o700);
    });
  });
});
