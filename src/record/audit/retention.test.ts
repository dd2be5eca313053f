import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { asideDir, asideFiles, dropOldSegments, type RetentionOptions } from "./retention.js";
import { readHead, segmentPaths, sizeOf } from "./segment-files.js";
import { fill, newDir, newWriter, readLog } from "./testing/fixture.js";

const now = Date.now();

/** A log of some closed segments, each with a content aside. */
async function plant(count: number): Promise<string> {
  const dir = newDir();
  for (let segment = 0; segment < count; segment++) {
    await fill(dir, 2);
    // The next process begins another segment: this one was not released.
    const { head } = segmentPaths(dir, segment);
    const kept = readFileSync(head);
    writeFileSync(head, "broken");
    const writer = newWriter(dir);
    writer.append([',"kind":"probe","time":1}']);
    await writer.close();
    writeFileSync(head, kept);
    mkdirSync(asideDir(dir, segment), { recursive: true });
    writeFileSync(join(asideDir(dir, segment), "content"), "x".repeat(500));
  }
  return dir;
}

async function drop(dir: string, options: Partial<RetentionOptions>): Promise<number> {
  const writer = newWriter(dir);
  try {
    return await dropOldSegments(writer, {
      dir,
      maxAgeMs: 1e12,
      maxBytes: 1e12,
      now: () => now,
      isAlive: () => false,
      ...options,
    });
  } finally {
    await writer.close();
  }
}
const segmentsOf = (dir: string): number[] =>
  readdirSync(dir).flatMap((name) => (name.endsWith(".jsonl") ? [Number.parseInt(name, 10)] : []));
const age = (dir: string, segment: number, ms: number): void =>
  utimesSync(segmentPaths(dir, segment).lines, (now - ms) / 1000, (now - ms) / 1000);

describe("what is kept of the log", () => {
  it("is all, within the limits", async () => {
    const dir = await plant(2);
    expect(await drop(dir, {})).toBe(0);
    expect(segmentsOf(dir).slice(0, 2)).toEqual([0, 1]);
  });

  it("is what is young enough, and nothing before something that is kept", async () => {
    const dir = await plant(3);
    for (const [segment, ms] of [50_000, 1000, 50_000].entries()) age(dir, segment, ms);
    const { head } = segmentPaths(dir, 0);
    const { count, hash } = readHead(head) ?? {};
    const { length } = segmentsOf(dir);
    expect(await drop(dir, { maxAgeMs: 50_001 })).toBe(0);
    expect(await drop(dir, { maxAgeMs: 49_999 })).toBe(1);
    expect(segmentsOf(dir)).toHaveLength(length - 1);
    expect(readdirSync(dir).filter((name) => name.startsWith("00000000."))).toEqual([]);
    expect(existsSync(asideDir(dir, 0))).toBe(false);
    expect(asideFiles(dir, 0)).toEqual([]);
    expect(asideFiles(dir, 1)).toEqual([join(asideDir(dir, 1), "content")]);
    const lines = segmentsOf(dir).map((segment) => readFileSync(segmentPaths(dir, segment).lines, "utf8"));
    expect(lines.join("")).toContain(
      `"kind":"retention","time":${now},"floor":1,"dropped":[[0,${count},"${hash}"]]`,
    );
    expect(await readLog(dir).verify()).toMatchObject({ ok: true });
  });

  it("is what fits, its contents aside included", async () => {
    const dir = await plant(3);
    const sizeOfSegment = (segment: number): number => {
      const { lines, index } = segmentPaths(dir, segment);
      return sizeOf(lines) + sizeOf(index) + (segment < 3 ? 500 : 0);
    };
    const total = segmentsOf(dir).reduce((sum, segment) => sum + sizeOfSegment(segment), 0);
    expect(await drop(dir, { maxBytes: total })).toBe(0);
    expect(await drop(dir, { maxBytes: total - 1 })).toBe(1);
    expect(segmentsOf(dir)[0]).toBe(1);
  });

  it("is what a process writes, this one or another", async () => {
    const dir = await plant(2);
    writeFileSync(segmentPaths(dir, 1).owner, "them");
    expect(await drop(dir, { maxBytes: 0, isAlive: (owner) => owner === "them" })).toBe(1);
    expect(segmentsOf(dir)).toContain(1);
    expect(await drop(dir, { maxBytes: 0, isAlive: () => false })).toBeGreaterThan(0);
    const left = segmentsOf(dir);
    expect(left).toHaveLength(1);
    expect(statSync(dirname(segmentPaths(dir, left[0] ?? 0).lines)).isDirectory()).toBe(true);
  });
});
