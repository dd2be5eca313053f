import { createHash, randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { FileImage } from "../../contract/ports/journal.js";
import { openBlobs } from "../../store/blobs.js";
import { chooseOpener } from "../files/opener.js";
import {
  atLineEnds,
  blobsOfFile,
  commonEnds,
  fromDelta,
  hashPieces,
  hashPrevious,
  isWorthDelta,
  matchesDelta,
  storeDelta,
} from "./delta.js";
import { readBytes, type SourceDeps } from "./sources.js";

let base: string;
let deps: SourceDeps;

beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), "tenon-delta-"));
  mkdirSync(join(base, "blobs"));
  let ids = 0;
  deps = { opener: chooseOpener(), blobs: openBlobs(join(base, "blobs"), () => `id${(ids += 1)}`) };
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

const sha = (bytes: Uint8Array | string): string => createHash("sha256").update(bytes).digest("hex");
const data = (bytes: Uint8Array) => ({ source: { kind: "data", data: bytes }, size: bytes.length }) as const;
const lines = fc
  .array(fc.constantFrom("a\n", "b\n", "\n", "long line\n", "a", "b"), { maxLength: 12 })
  .map((parts) => Buffer.from(parts.join("")));

describe("a difference", () => {
  it("is worth it from 4 kB on, where at most a quarter is replaced", () => {
    const whole = new Uint8Array(4096);
    expect(isWorthDelta(whole, { prefix: 3072, suffix: 0 })).toBe(true);
    expect(isWorthDelta(whole, { prefix: 2072, suffix: 1000 })).toBe(true);
    expect(isWorthDelta(whole, { prefix: 2071, suffix: 1000 })).toBe(false);
    expect(isWorthDelta(whole, { prefix: 2072, suffix: 999 })).toBe(false);
    expect(isWorthDelta(whole.subarray(1), { prefix: 4095, suffix: 0 })).toBe(false);
    expect(isWorthDelta(new Uint8Array(4097), { prefix: 4000, suffix: 97 })).toBe(true);
  });

  it("has the longest common ends, which do not overlap", () => {
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        const { prefix, suffix } = commonEnds(before, after);
        const shorter = Math.min(before.length, after.length);
        expect(prefix + suffix).toBeLessThanOrEqual(shorter);
        expect(before.subarray(0, prefix).equals(after.subarray(0, prefix))).toBe(true);
        const [end, endAfter] = [before.length - suffix, after.length - suffix];
        expect(before.subarray(end).equals(after.subarray(endAfter))).toBe(true);
        if (prefix < shorter) expect(before[prefix]).not.toBe(after[prefix]);
        if (prefix + suffix < shorter) expect(before[end - 1]).not.toBe(after[endAfter - 1]);
      }),
    );
  });

  it.each([
    // What is replaced begins and ends with a line.
    ["aa\nbb\ncc\n", [4, 4], [3, 3]],
    ["aa\nbb\ncc\n", [3, 4], [3, 3]],
    ["aa\nbb\ncc\n", [2, 4], [0, 3]],
    ["aa\nbb\ncc\n", [3, 3], [3, 3]],
    ["aa\nbb\ncc\n", [0, 5], [0, 3]],
    ["aa\nbb\ncc\n", [0, 0], [0, 0]],
    ["aa\nbb\ncc", [4, 1], [3, 0]],
    ["aa\nbb\ncc", [8, 0], [6, 0]],
    ["\naa", [1, 2], [1, 2]],
    ["\naa", [0, 3], [0, 2]],
    ["aa", [1, 1], [0, 0]],
    ["", [0, 0], [0, 0]],
  ] as [string, [number, number], [number, number]][])(
    "of %j with the ends %j has those of lines: %j",
    (text, [prefix, suffix], expected) => {
      const found = atLineEnds(Buffer.from(text), { prefix, suffix });
      expect([found.prefix, found.suffix]).toEqual(expected);
    },
  );

  it("is of whole lines, and has all that was replaced", () => {
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        const shared = commonEnds(before, after);
        const ends = atLineEnds(before, shared);
        expect(ends.prefix).toBeLessThanOrEqual(shared.prefix);
        expect(ends.suffix).toBeLessThanOrEqual(shared.suffix);
        const isStart = (at: number): boolean => at === 0 || before[at - 1] === 0x0a;
        expect(isStart(ends.prefix)).toBe(true);
        const end = before.length - ends.suffix;
        expect(end === before.length || isStart(end)).toBe(true);
      }),
    );
  });

  it("gives the previous content again from the next one, also where it is long", async () => {
    const text = (length: number): Buffer =>
      Buffer.from(randomBytes(length).toString("hex").slice(0, length));
    for (const [prefix, middle, suffix] of [
      [10, 5, 10],
      [0, 5, 10],
      [10, 5, 0],
      [10, 0, 10],
      [10, 4096, 3],
      [10, 4097, 3],
    ] as const) {
      const [head, old, tail] = [text(prefix), text(middle), text(suffix)];
      const before = Buffer.concat([head, old, tail]);
      const after = Buffer.concat([head, Buffer.from("the next"), tail]);
      const { delta, blobs } = await storeDelta(deps.blobs, before, { prefix, suffix });
      const isInline = middle <= 4096;
      expect(delta).toEqual({
        prefix,
        suffix,
        middle: isInline ? { bytes: old.toString("base64") } : { hash: sha(old) },
      });
      expect(blobs).toEqual(isInline ? [] : [{ hash: sha(old), size: middle }]);
      expect(Buffer.from(await readBytes(deps, fromDelta(delta, data(after))))).toEqual(before);
      const image: FileImage = { type: "file", hash: "", size: before.length, delta };
      expect(blobsOfFile(image)).toEqual(isInline ? [] : [sha(old)]);
      // The previous content is known by its size and what is stored of it.
      expect(await matchesDelta(deps, data(before), image)).toBe(true);
      expect(await matchesDelta(deps, data(Buffer.concat([before, tail, head])), image)).toBe(false);
      expect(await matchesDelta(deps, data(before), { ...image, size: before.length + 1 })).toBe(false);
      const { delta: _, ...whole } = image;
      expect(await matchesDelta(deps, data(before), whole)).toBe(false);
      expect(blobsOfFile({ ...whole, hash: "h" })).toEqual(["h"]);
      if (middle === 0) continue;
      for (const at of [prefix, prefix + middle - 1]) {
        const other = Buffer.from(before);
        other[at] = 0x21;
        expect(await matchesDelta(deps, data(other), image)).toBe(false);
      }
    }
  });

  it("is found in a file that is read in several pieces", async () => {
    const before = Buffer.from(randomBytes(9_000_000).toString("latin1").slice(0, 9_000_000), "latin1");
    const file = join(base, "large");
    writeFileSync(file, before);
    const shown = { source: { kind: "disk", real: file }, size: before.length } as const;
    for (const prefix of [10, (1 << 22) - 2, 8_999_000]) {
      const suffix = before.length - prefix - 4;
      const { delta } = await storeDelta(deps.blobs, before, { prefix, suffix });
      const image: FileImage = { type: "file", hash: "", size: before.length, delta };
      expect(await matchesDelta(deps, shown, image)).toBe(true);
      const shifted = { ...delta, prefix: prefix + 1, suffix: suffix - 1 };
      expect(await matchesDelta(deps, shown, { ...image, delta: shifted })).toBe(false);
    }
  });

  it("has the hash of the previous content up to a megabyte, and none beyond", () => {
    const most = new Uint8Array(1 << 20);
    expect(hashPrevious(most)).toBe(sha(most));
    expect(hashPrevious(new Uint8Array((1 << 20) + 1))).toBe("");
  });
});

it("a content in pieces has the same hash as in one, whatever their lengths", async () => {
  const pieces = [0, 1, (1 << 20) - 1, 1 << 20, (1 << 20) + 1, 3 << 20].map((length) => randomBytes(length));
  expect(await hashPieces(pieces)).toBe(sha(Buffer.concat(pieces)));
  expect(await hashPieces([])).toBe(sha(""));
  let turns = 0;
  const timer = setInterval(() => (turns += 1), 0);
  await hashPieces([new Uint8Array(64 << 20)]);
  clearInterval(timer);
  expect(turns).toBeGreaterThan(0);
});
