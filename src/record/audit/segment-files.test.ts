import { closeSync, mkdirSync, openSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { genesis } from "./line.js";
import {
  claim,
  findUnsettled,
  isSettled,
  listSegments,
  readHead,
  readIfThere,
  segmentPaths,
  sizeOf,
  writeHead,
} from "./segment-files.js";
import { newDir } from "./testing/fixture.js";

const hash = "a1".repeat(32);

describe("the segments of a log", () => {
  it("are found by their files, in order", () => {
    const dir = newDir();
    const names = ["00000010.jsonl", "00000009.jsonl", "123456789.jsonl", "00000001.jsonl"];
    for (const name of [...names, "1.jsonl", "x00000002.jsonl", "00000003.jsonl.gz", "00000004.head"])
      writeFileSync(join(dir, name), "");
    expect(listSegments(dir)).toEqual([1, 9, 10, 123_456_789]);
    expect(listSegments(join(dir, "none"))).toEqual([]);
    expect(listSegments(join(dir, "1.jsonl"))).toEqual([]);
    expect(() => listSegments("\0")).toThrow(/null bytes/);
    expect(segmentPaths(dir, 10).lines).toBe(join(dir, "00000010.jsonl"));
    expect(new Set(Object.values(segmentPaths(dir, 1))).size).toBe(7);
  });

  it("are unsettled where their process is gone and it is not noted that all calls have an end", () => {
    const dir = newDir();
    const plant = (segment: number, files: Partial<Record<"owner" | "settled", string>>): void => {
      const paths = segmentPaths(dir, segment);
      writeFileSync(paths.lines, "12345");
      for (const [name, text] of Object.entries(files)) writeFileSync(paths[name as "owner"], text);
    };
    plant(0, { owner: "dead" });
    plant(1, { owner: "alive" });
    plant(2, {});
    plant(3, { owner: "dead", settled: "5" });
    plant(4, { owner: "dead", settled: "4" });
    plant(5, { owner: "dead", settled: "" });
    expect(findUnsettled({ dir, isAlive: (owner) => owner === "alive" })).toEqual([0, 4]);
    expect([2, 3, 4, 5].map((segment) => isSettled(segmentPaths(dir, segment)))).toEqual([
      false,
      true,
      false,
      true,
    ]);
  });
});

describe("the head of a segment", () => {
  it("is written in place, always as long, and read again", () => {
    const file = join(newDir(), "head");
    const fd = openSync(file, "w+");
    for (const head of [
      { count: 12, hash, bytes: 3456 },
      { count: 1, hash, bytes: 1 },
      { count: Number.MAX_SAFE_INTEGER, hash, bytes: Number.MAX_SAFE_INTEGER },
    ]) {
      writeHead(fd, head);
      expect(readHead(file)).toEqual(head);
      expect(sizeOf(file)).toBe(160);
    }
    writeHead(fd);
    expect(readHead(file)).toEqual({ count: 0, hash: genesis, bytes: 0 });
    closeSync(fd);
  });

  it.each([
    "",
    "1",
    `1 ${hash}`,
    `x 1 ${hash} 2`,
    `1 ${hash}0 2`,
    `1 ${hash} 2 x`,
    `1 ${hash.toUpperCase()} 2`,
  ])("is not known from %j", (text) => {
    const file = join(newDir(), "head");
    expect(readHead(file)).toBeUndefined();
    writeFileSync(file, text);
    expect(readHead(file)).toBeUndefined();
  });
});

describe("a claim", () => {
  it("is made once, by a file that names who made it, and leaves nothing else", () => {
    const dir = newDir();
    const file = join(dir, "owner");
    expect([claim(file, "one"), claim(file, "two")]).toEqual([true, false]);
    expect(readFileSync(file, "utf8")).toBe("one");
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(dir)).toEqual(["owner"]);
    expect(() => claim(join(dir, "none/owner"), "one")).toThrow(/ENOENT/);
  });
});

it("a file that is not there has no text and no size; a folder has no text", () => {
  const dir = newDir();
  expect([readIfThere(join(dir, "none")), sizeOf(join(dir, "none"))]).toEqual([undefined, 0]);
  mkdirSync(join(dir, "folder"));
  expect(() => readIfThere(join(dir, "folder"))).toThrow(/EISDIR/);
  writeFileSync(join(dir, "file"), "text");
  expect([readIfThere(join(dir, "file")), sizeOf(join(dir, "file"))]).toEqual(["text", 4]);
});
