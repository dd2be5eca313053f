import { randomUUID } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openBlobs } from "../../store/blobs.js";
import { createAuditLog, type OpenedAuditLog } from "./audit-log.js";
import { listSegments, segmentPaths } from "./segment-files.js";
import { fill, newDir, newWriter, openRecorder, readLog, toRecord } from "./testing/fixture.js";
import { createRestMaker } from "./to-rest.js";

/** A log that keeps large contents aside, in a folder for each segment. */
function openWithAside(dir: string, keepResults = true) {
  const blobs = openBlobs(join(dir, "aside"), randomUUID);
  const rests = createRestMaker({
    redact: (value) => value,
    aside: () => blobs,
    keepResults,
    salt: () => "0123456789abcdef",
    durable: false,
  });
  const log: OpenedAuditLog = createAuditLog({
    dir,
    isAlive: () => false,
    asideOf: () => blobs,
    coverAll: async () => expect.unreachable("nobody asks for a head"),
    settle: async () => {},
    alerts: () => [],
  });
  return { recorder: openRecorder(dir, { rests }), log };
}

function openDescriptors(): number {
  return readdirSync("/proc/self/fd").length;
}

describe("a record", () => {
  it("has its contents, wherever they are kept", async () => {
    const dir = newDir();
    const { recorder, log } = openWithAside(dir);
    // In the log itself, a content has 8,192 characters at most, its quotes among them.
    const results = ["small", "x".repeat(8190), "y".repeat(8191), "z".repeat(100_000)];
    for (const [at, result] of results.entries()) {
      await recorder.record(toRecord(`call_${at}`, { arguments: { result } }, { result }));
    }
    await recorder.close();
    for (const [at, result] of results.entries()) {
      expect(await log.get(`call_${at}`)).toMatchObject({ arguments: { result }, result });
    }
    const found = await log.search();
    expect(found.map(({ resultDigest }) => resultDigest?.bytes)).toEqual([
      100_002,
      8193,
      undefined,
      undefined,
    ]);
    expect(found.map((record) => "result" in record)).toEqual([false, false, true, true]);
    expect(found.every((record) => !("salt" in record))).toBe(true);
  });

  it("has only the digest of what is larger than 64 MB, and of results that are not to be kept", async () => {
    const dir = newDir();
    const large = openWithAside(dir);
    const most = 64 * 1024 * 1024 - 2;
    await large.recorder.record(toRecord("most", {}, { result: "x".repeat(most) }));
    await large.recorder.record(toRecord("more", {}, { result: "x".repeat(most + 1) }));
    await large.recorder.close();
    expect((await large.log.get("most"))?.result).toHaveLength(most);
    expect(await large.log.get("more")).toMatchObject({ resultDigest: { bytes: most + 3 } });
    expect(await large.log.get("more")).not.toHaveProperty("result");
    const other = newDir();
    const without = openWithAside(other, false);
    await without.recorder.record(toRecord("call", {}, { result: "small" }));
    await without.recorder.close();
    const record = await without.log.get("call");
    expect(record).toMatchObject({ arguments: { text: "hello" }, resultDigest: { bytes: 7 } });
    expect(record).not.toHaveProperty("result");
  });

  it("is on disk once flush has returned", async () => {
    const dir = newDir();
    const recorder = openRecorder(dir);
    void recorder.record(toRecord("call"));
    await recorder.flush();
    expect(readFileSync(segmentPaths(dir, 0).lines, "utf8")).toContain('"callId":"call"');
    await recorder.close();
  });

  it("is found by its number also where that is written as text", async () => {
    const dir = newDir();
    await fill(dir, 2);
    const log = readLog(dir);
    expect(await log.get("2")).toMatchObject({ callId: "call_1" });
    expect(await log.get(2)).toMatchObject({ callId: "call_1" });
    // The line before the first call opens the segment and is none.
    expect(await log.get("0")).toBeUndefined();
  });
});

describe("searching", () => {
  it("finds nothing for a name that no record has, whatever the first name of the log is", async () => {
    const dir = newDir();
    await fill(dir, 2, { agent: "echo", taskId: "echo", sessionId: "echo" });
    const log = readLog(dir);
    expect(await log.search({ agent: "echo", taskId: "echo", sessionId: "echo" })).toHaveLength(2);
    for (const absent of [{ agent: "x" }, { taskId: "x" }, { sessionId: "x" }, { tool: "x" }]) {
      expect(await log.search(absent)).toEqual([]);
    }
  });

  it("takes an empty text for none", async () => {
    const dir = newDir();
    await fill(dir, 3);
    expect(await readLog(dir).search({ text: "" })).toHaveLength(3);
  });

  it("leaves no file open", async () => {
    const dir = newDir();
    await fill(dir, 30);
    const log = readLog(dir);
    await log.search();
    const before = openDescriptors();
    for (let round = 0; round < 5; round++) {
      expect(await log.search({ limit: 20 })).toHaveLength(20);
      expect(await log.search({ text: "call_7" })).toHaveLength(1);
      expect(await log.get("call_5")).toMatchObject({ callId: "call_5" });
      expect(await log.get(3)).toMatchObject({ callId: "call_2" });
      expect(await log.get("nothing")).toBeUndefined();
    }
    expect(openDescriptors()).toBe(before);
  });

  it("reads the index that an earlier search stored, and makes none again", async () => {
    const dir = newDir();
    const recorder = openRecorder(dir);
    for (let at = 0; at < 2100; at++) await recorder.record(toRecord(`call_${at}`));
    await recorder.close();
    await readLog(dir).search();
    const { index } = segmentPaths(dir, 0);
    const made = statSync(index, { bigint: true });
    expect(await readLog(dir).search({ text: "call_1234" })).toHaveLength(1);
    const now = statSync(index, { bigint: true });
    expect([now.ino, now.mtimeNs]).toEqual([made.ino, made.mtimeNs]);
  });
});

describe("a segment", () => {
  it("begins with a line that says what it is, and has a head of one length", async () => {
    const dir = newDir();
    const writer = newWriter(dir);
    const { head, lines } = segmentPaths(dir, 0);
    writer.append([',"callId":"call","time":1,"durationMs":1}']);
    await writer.sync();
    const size = statSync(head).size;
    for (let at = 0; at < 2000; at++) writer.append([`,"callId":"call_${at}","time":1,"durationMs":1}`]);
    await writer.close();
    expect(JSON.parse(readFileSync(lines, "utf8").split("\n")[0] ?? "")).toMatchObject({
      seq: 0,
      kind: "segment",
      time: 1,
    });
    expect(statSync(head).size).toBe(size);
    expect(readFileSync(head, "utf8")).toMatch(/^2002 [0-9a-f]{64} \d+ +\n$/);
  });
});

describe("before anybody reads, the log", () => {
  const readers: Record<string, (log: OpenedAuditLog) => Promise<unknown>> = {
    search: async (log) => (await log.search()).length,
    get: async (log) => (await log.get("late"))?.callId,
    "get by number": async (log) => (await log.get(1))?.callId,
    started: async (log) => (await log.started?.("begun"))?.callId,
    head: async (log) => (await log.head()).seq,
    verify: async (log) => (await log.verify()).records,
    export: async (log) => {
      let count = 0;
      for await (const _ of log.export()) count += 1;
      return count;
    },
    tally: async (log) => (await log.tally({}, 1)).total,
    usage: async (log) => (await log.usage({ since: 0, until: 99 }, 1)).total.calls,
    groups: async (log) => (await log.groups("session")).length,
    pastAlerts: async (log) => (await log.pastAlerts?.())?.length,
  };
  const expected: Record<string, unknown> = {
    get: "late",
    "get by number": "late",
    started: "begun",
    head: 1,
  };

  it.each(Object.keys(readers))("has the ends of calls whose processes died: %s", async (name) => {
    const dir = newDir();
    const line = (callId: string, more = ""): string =>
      `${more},"callId":"${callId}","time":5,"durationMs":1,"tool":"t","agent":"a","sessionId":"s","outcome":"denied"}`;
    let settled = 0;
    const log = createAuditLog({
      dir,
      isAlive: () => false,
      asideOf: () => undefined,
      coverAll: async () => ({ seq: listSegments(dir).length, hash: "" }),
      settle: async () => {
        settled += 1;
        const writer = newWriter(dir);
        const denied = Array.from({ length: 7 }, (_, at) => line(`more ${at}`));
        writer.append([line("late"), line("begun", ',"kind":"start"'), ...denied]);
        await writer.close();
      },
      alerts: () => [],
    });
    const counts: Record<string, number> = {
      search: 8,
      verify: 8,
      export: 8,
      tally: 8,
      usage: 8,
      groups: 1,
      pastAlerts: 1,
    };
    expect(await readers[name]?.(log)).toBe(expected[name] ?? counts[name]);
    expect(settled).toBe(1);
  });

  it("is empty where nothing was ever written, and is not begun by a look at its head", async () => {
    const dir = newDir();
    expect(await readLog(dir).head()).toEqual({ seq: 0, hash: "0".repeat(64) });
    expect(readdirSync(dir)).toEqual([]);
  });
});

it("what is counted with a text is counted up to 5,000 records, which is told", async () => {
  const dir = newDir();
  const writer = newWriter(dir, 1 << 26);
  const line = `,"callId":"c","time":5,"durationMs":1,"tool":"t","agent":"a","sessionId":"s","outcome":"success","arguments":"needle"}`;
  writer.append(Array.from({ length: 4999 }, () => line));
  await writer.sync();
  const log = readLog(dir);
  const count = () => log.tally({ text: "needle" }, 1);
  expect(await count()).toEqual({
    from: 5,
    widthMs: 2,
    total: 4999,
    counts: { success: [4999], failure: [0], denied: [0], interrupted: [0] },
  });
  writer.append([line, line]);
  await writer.close();
  expect(await count()).toMatchObject({ total: 5000, capped: true });
  for (const text of ["", undefined]) {
    expect(await log.tally({ text }, 1)).toMatchObject({ total: 5001 });
    expect(await log.tally({ text }, 1)).not.toHaveProperty("capped");
  }
});
