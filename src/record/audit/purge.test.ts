import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { CallRecord } from "../../contract/ports/recorder.js";
import { openBelow } from "../../world/testing/open-below.js";
import { hashOf } from "./line.js";
import { purgeLog, type PurgeRequest } from "./purge.js";
import { asideDir } from "./retention.js";
import { loadIndex } from "./segment-index.js";
import { segmentPaths } from "./segment-files.js";
import { newDir, newWriter, openRecorder, readLog, toRecord } from "./testing/fixture.js";

type Call = [id: string, members?: Partial<CallRecord>, envelope?: Parameters<typeof toRecord>[2]];

async function write(dir: string, ...calls: Call[]): Promise<void> {
  const recorder = openRecorder(dir);
  for (const call of calls) await recorder.record(toRecord(...call));
  await recorder.close();
}
async function purge(dir: string, request: PurgeRequest, now = 5) {
  const writer = newWriter(dir);
  try {
    return await purgeLog({ dir, writer, now: () => now }, request);
  } finally {
    await writer.close();
    expect(openBelow(dir)).toEqual([]);
  }
}
const linesOf = (dir: string): string => readFileSync(segmentPaths(dir, 0).lines, "utf8");
const get = (dir: string, id: string) => readLog(dir).get(id);
const error = { type: "ToolExecutionError", code: "X", message: "secret path", retryable: true } as never;

describe("a purge by time or session", () => {
  it("leaves of a call who made it, when, and how it ended", async () => {
    const dir = newDir();
    await write(
      dir,
      ["old", { taskId: "t" }, { startedAt: 999, error }],
      ["same", {}, { startedAt: 1000 }],
      ["new", {}, { startedAt: 1001 }],
    );
    const before = [await get(dir, "same"), await get(dir, "new")];
    expect(await purge(dir, { before: 1000 })).toEqual({ records: 1, contents: 0 });
    const old = await get(dir, "old");
    expect(old).toMatchObject({
      callId: "old",
      tool: "echo",
      agent: "agent",
      taskId: "t",
      sessionId: "session",
      time: 999,
      durationMs: 1.5,
      outcome: "failure",
      purged: 5,
      arguments: "[purged]",
      error: { type: "ToolExecutionError", code: "X", message: "[purged]", retryable: true },
    });
    expect(old).not.toHaveProperty("result");
    expect([await get(dir, "same"), await get(dir, "new")]).toEqual(before);
    expect(await readLog(dir).verify()).toMatchObject({ ok: true, records: 3 });
  });

  it("is of the calls of that session, and of nothing else", async () => {
    const dir = newDir();
    await write(dir, ["a", { sessionId: "s1" }], ["b", { sessionId: "s2" }], ["c", { sessionId: "s1" }]);
    expect(await purge(dir, { sessionId: "s1" })).toEqual({ records: 2, contents: 0 });
    expect(await get(dir, "a")).toMatchObject({ arguments: "[purged]" });
    expect(await get(dir, "b")).not.toHaveProperty("purged");
    expect(await purge(dir, { sessionId: "none" })).toEqual({ records: 0, contents: 0 });
    expect(await purge(dir, { before: 0 })).toEqual({ records: 0, contents: 0 });
    expect(await purge(dir, { sessionId: "s2", before: 5 })).toEqual({ records: 1, contents: 0 });
  });

  it("of none of these removes nothing", async () => {
    const dir = newDir();
    await write(dir, ["a"]);
    const before = await get(dir, "a");
    expect(await purge(dir, {})).toEqual({ records: 0, contents: 0 });
    expect(await get(dir, "a")).toEqual(before);
  });
});

describe("a purge of a text", () => {
  it("removes it wherever it stands in a record, and nothing else", async () => {
    const dir = newDir();
    const members = {
      arguments: { list: ["a secret", 1, null, { secret: true }], note: "kept" },
      taskId: "secret",
    };
    await write(dir, ["a", members, { error, result: undefined }], ["b"]);
    const other = await get(dir, "b");
    expect(await purge(dir, { texts: ["secret"] })).toEqual({ records: 1, contents: 0 });
    expect(linesOf(dir)).not.toContain("secret");
    expect(await get(dir, "a")).toMatchObject({
      arguments: { list: ["a [purged]", 1, null, { "[purged]": true }], note: "kept" },
      taskId: "[purged]",
      error: { code: "X", message: "[purged] path" },
    });
    expect(await get(dir, "b")).toEqual(other);
  });

  it("leaves the log as long as it was, and the place of every record", async () => {
    const dir = newDir();
    await write(dir, ["a", { arguments: "secret" }], ["b"]);
    const lengths = (): number[] =>
      linesOf(dir)
        .split("\n")
        .map((line) => Buffer.byteLength(line))
        .slice(0, 3);
    const before = lengths();
    await purge(dir, { texts: ["secret"] });
    expect(lengths()).toEqual(before);
    expect((await readLog(dir).search()).map(({ callId }) => callId)).toEqual(["b", "a"]);
  });

  it("that is shorter than its mark makes room by what else is in the record", async () => {
    const dir = newDir();
    const texts = ["é1"];
    const members = { arguments: Array.from({ length: 50 }, () => "é1") };
    await write(
      dir,
      ["a", members],
      ["b", { arguments: Array.from({ length: 50 }, () => "é1") }, { result: "é1".repeat(99) }],
    );
    expect(await purge(dir, { texts })).toEqual({ records: 2, contents: 0 });
    expect(linesOf(dir)).not.toContain("é1");
    for (const id of ["a", "b"])
      expect(await get(dir, id)).toMatchObject({ callId: id, arguments: "[purged]", outcome: "success" });
    expect(await readLog(dir).verify()).toMatchObject({ ok: true, records: 2 });
  });

  it("leaves markers of the log alone, and records whose text only looks like it", async () => {
    const dir = newDir();
    await write(dir, ["a", { arguments: "secrets" }]);
    expect(await purge(dir, { texts: ["segment", "Secret", "secrets!"] })).toEqual({
      records: 0,
      contents: 0,
    });
    expect(linesOf(dir)).toContain('"kind":"segment"');
  });
});

describe("contents aside", () => {
  const plant = async (dir: string): Promise<string[]> => {
    const kept = async (bytes: Uint8Array) => {
      const hash = hashOf(Buffer.from(bytes).toString());
      mkdirSync(asideDir(dir, 0), { recursive: true });
      writeFileSync(join(asideDir(dir, 0), hash), bytes);
      return { hash, size: bytes.length };
    };
    const { createRestMaker } = await import("./to-rest.js");
    const rests = createRestMaker({
      redact: (value) => value,
      aside: () => ({ put: kept }) as never,
      keepResults: true,
      salt: () => "SALT",
      durable: false,
    });
    const recorder = openRecorder(dir, { rests });
    const long = (text: string): string => `${text} ${"x".repeat(9000)}`;
    await recorder.record(
      toRecord("a", { arguments: long("one") }, { startedAt: 1, result: long("secret two") }),
    );
    await recorder.record(toRecord("b", { arguments: long("three") }, { startedAt: 9, result: "short" }));
    await recorder.close();
    return ["one", "secret two", "three"].map((text) => join(asideDir(dir, 0), hashOf(`"${long(text)}"`)));
  };
  const there = (files: string[]): boolean[] => files.map((file) => existsSync(file));

  it("go with their call, or with the text in them; a dry run tells of it and removes nothing", async () => {
    for (const [request, records, left] of [
      [{ before: 5 }, 1, [false, false, true]],
      [{ texts: ["secret"] }, 0, [true, false, true]],
      [{ texts: ["nothing"] }, 0, [true, true, true]],
      // What is in the record itself goes, what is aside has nothing of it.
      [{ texts: ["short"] }, 1, [true, true, true]],
      [{ before: 99, texts: ["secret"] }, 2, [false, false, false]],
    ] as const) {
      const dir = newDir();
      const files = await plant(dir);
      const lines = linesOf(dir);
      const told = { records, contents: left.filter((each) => !each).length };
      expect(await purge(dir, { ...request, dryRun: true })).toEqual(told);
      expect([there(files), linesOf(dir)]).toEqual([[true, true, true], lines]);
      expect(await purge(dir, { ...request, dryRun: false })).toEqual(told);
      expect(there(files)).toEqual(left);
      expect(linesOf(dir)).toContain(
        `"kind":"purged","time":5,"records":${told.records},"contents":${told.contents}`,
      );
    }
  });
});

it("a purge drops what a search knows of a segment that it changed, and of no other", async () => {
  const dir = newDir();
  await write(dir, ["a", { arguments: "secret" }]);
  const { index } = segmentPaths(dir, 0);
  const save = (): void => {
    const made = loadIndex(segmentPaths(dir, 0));
    made.update();
    made.save();
  };
  save();
  await purge(dir, { texts: ["absent"] });
  expect(existsSync(index)).toBe(true);
  await purge(dir, { texts: ["secret"] });
  expect(existsSync(index)).toBe(false);
  save();
  expect(statSync(index).size).toBeGreaterThan(0);
});

it("a purge of very many records is noted in several lines", async () => {
  const dir = newDir();
  const writer = newWriter(dir);
  const line = (at: number): string =>
    `,"callId":"c${at}","time":1,"durationMs":1,"tool":"t","agent":"a","sessionId":"s","outcome":"success","arguments":"secret and more than that"}`;
  writer.append(Array.from({ length: 2001 }, (_, at) => line(at)));
  await writer.close();
  expect(await purge(dir, { texts: ["secret"] })).toEqual({ records: 2001, contents: 0 });
  const noted = linesOf(dir)
    .split("\n")
    .flatMap((text) => (text.includes('"kind":"purge"') ? [JSON.parse(text) as { changed: unknown[] }] : []));
  expect(noted.map(({ changed }) => changed.length)).toEqual([1000, 1000, 1]);
  expect(await readLog(dir).verify()).toMatchObject({ ok: true, records: 2001 });
});
