import { existsSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { CallStart } from "../../contract/ports/recorder.js";
import { purgeLog } from "./purge.js";
import { readHead, segmentPaths } from "./segment-files.js";
import { SegmentWriter } from "./segment-writer.js";
import { settleAbandoned } from "./settle.js";
import { newDir, newWriter, openRecorder, readLog, toRecord } from "./testing/fixture.js";

function toStart(callId: string, members: Partial<CallStart> = {}): CallStart {
  const { envelope: _, ...owner } = toRecord(callId);
  return {
    ...owner,
    callId,
    toolName: "echo",
    version: "1.0.0",
    startedAt: 5,
    decision: undefined,
    ...members,
  };
}

const linesOf = (dir: string, segment = 0): Record<string, unknown>[] =>
  readFileSync(segmentPaths(dir, segment).lines, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);

const settle = (dir: string, writer: () => SegmentWriter, alive?: string): Promise<number> =>
  settleAbandoned({
    dir,
    owner: "settler",
    isAlive: (owner) => owner === alive,
    writer,
    effectsOf: async () => ({ files: [{ path: "a.txt", op: "write" }] }),
  });

describe("a start record", () => {
  it("is in the log before the call runs, and the record of the end points to it", async () => {
    const dir = newDir();
    const recorder = openRecorder(dir);
    expect(recorder.start(toStart("one"))).toBeUndefined();
    const [, start] = linesOf(dir);
    expect(start).toMatchObject({
      kind: "start",
      seq: 1,
      callId: "one",
      tool: "echo",
      arguments: { text: "hello" },
    });
    expect(await readLog(dir).search()).toEqual([]);
    await recorder.record(toRecord("one"));
    await recorder.close();
    expect(linesOf(dir)[2]).toMatchObject({ start: 1, callId: "one", outcome: "success" });
    const log = readLog(dir);
    expect(await log.verify()).toMatchObject({ ok: true, records: 1 });
    expect(await log.started?.("one")).toMatchObject({ kind: "start", seq: 1 });
    expect(await log.search({ text: "hello" })).toHaveLength(1);
  });

  it("is on disk before the call runs where records must be, and within a moment otherwise", async () => {
    for (const strict of [true, false]) {
      const dir = newDir();
      const recorder = openRecorder(dir, { strict });
      const noted = (): number => readHead(segmentPaths(dir, 0).head)?.count ?? 0;
      const starting = recorder.start(toStart("one"));
      expect(starting === undefined).toBe(!strict);
      await starting;
      if (strict) expect(noted()).toBe(2);
      else await expect.poll(noted).toBe(2);
      await Promise.all([recorder.start(toStart("two")), recorder.start(toStart("three"))]);
      if (strict) expect(noted()).toBe(4);
      await recorder.close();
      expect(noted()).toBe(4);
    }
  });

  it("shares a write with records that wait, and each end finds its own start", async () => {
    const dir = newDir();
    const recorder = openRecorder(dir, { running: { isQuiet: false } });
    void recorder.start(toStart("one"));
    const kept = recorder.record(toRecord("one"));
    void recorder.start(toStart("two")); // in the same tick: the record of "one" goes along
    expect(linesOf(dir).map(({ callId }) => callId)).toEqual([undefined, "one", "one", "two"]);
    await kept;
    await recorder.record(toRecord("two"));
    await recorder.close();
    expect(linesOf(dir).map(({ start }) => start)).toEqual([undefined, undefined, 1, undefined, 3]);
    expect(await readLog(dir).verify()).toMatchObject({ ok: true, records: 2 });
  });

  it("shares no write where its call is alone, and those that end in the same moment share one", async () => {
    const dir = newDir();
    const recorder = openRecorder(dir);
    expect(recorder.record(toRecord("one"))).toBeUndefined();
    const waiting = [recorder.record(toRecord("two")), recorder.record(toRecord("three"))];
    expect(waiting[0]).toBeInstanceOf(Promise);
    expect(waiting[1]).toBe(waiting[0]);
    expect(linesOf(dir).map(({ callId }) => callId)).toEqual([undefined, "one"]);
    await waiting[0];
    expect(linesOf(dir).map(({ callId }) => callId)).toEqual([undefined, "one", "two", "three"]);
    expect(recorder.record(toRecord("four"))).toBeUndefined();
    await recorder.close();
    expect(await readLog(dir).verify()).toMatchObject({ ok: true, records: 4 });
  });

  it("refuses the call where it cannot be written, and leaves nothing to make up for", async () => {
    const dir = newDir();
    const recorder = openRecorder(dir, {
      open: () => {
        throw new Error("read-only file system");
      },
    });
    expect(() => recorder.start(toStart("one"))).toThrow("read-only file system");
    expect(() => recorder.start(toStart("two"))).toThrow("read-only file system");
    expect(recorder.fault).toMatch("read-only file system");
  });

  it("without an end shows, in a segment that is closed or dead; so does an end without its start", async () => {
    const dir = newDir();
    const recorder = openRecorder(dir);
    void recorder.start(toStart("one"));
    await recorder.close();
    expect(await readLog(dir).verify()).toMatchObject({
      ok: false,
      seq: 1,
      problem: expect.stringMatching(/no record tells how/) as string,
    });
    const other = newDir();
    const writer = newWriter(other);
    writer.append([',"start":7,"callId":"one","time":1,"durationMs":1,"outcome":"success"}']);
    await writer.close();
    expect(await readLog(other).verify()).toMatchObject({
      ok: false,
      seq: 1,
      problem: expect.stringMatching(/record 7, is missing/) as string,
    });
  });

  it("of a dead process is closed once as interrupted, with what is known of the effects", async () => {
    const dir = newDir();
    const recorder = openRecorder(dir);
    void recorder.start(toStart("done"));
    await recorder.record(toRecord("done"));
    void recorder.start(toStart("cut off", { taskId: "T" }));
    await recorder.flush(); // its process dies here
    const writer = newWriter(dir);
    expect(await settle(dir, () => writer)).toBe(1);
    expect(await settle(dir, () => writer)).toBe(0);
    await writer.close();
    const log = readLog(dir);
    expect(await log.verify()).toMatchObject({ ok: true, records: 2 });
    expect(await log.search({ outcome: "interrupted" })).toMatchObject([
      {
        callId: "cut off",
        start: 3,
        taskId: "T",
        arguments: { text: "hello" },
        effects: { files: [{ path: "a.txt" }] },
        error: { code: "CALL_INTERRUPTED" },
      },
    ]);
  });

  it("of a dead process is closed by one process only, unless that died over it", async () => {
    const dir = newDir();
    const recorder = openRecorder(dir);
    void recorder.start(toStart("cut off"));
    await recorder.flush(); // its process dies here
    const { settling } = segmentPaths(dir, 0);
    const writer = newWriter(dir);
    writeFileSync(settling, "another");
    expect(await settle(dir, () => writer, "another")).toBe(0);
    // A claim without a name may be one whose name is being written.
    writeFileSync(settling, "");
    expect(await settle(dir, () => writer)).toBe(0);
    const elevenSecondsAgo = Date.now() / 1000 - 11;
    utimesSync(settling, elevenSecondsAgo, elevenSecondsAgo);
    expect(await settle(dir, () => writer)).toBe(1);
    expect(existsSync(settling)).toBe(false);
    await writer.close();
    expect(await readLog(dir).verify()).toMatchObject({ ok: true, records: 1 });
  });

  it("of a process that may be alive is left to it", async () => {
    const dir = newDir();
    const recorder = openRecorder(dir);
    void recorder.start(toStart("running"));
    await recorder.flush();
    const writer = newWriter(dir);
    expect(await settle(dir, () => writer, "test")).toBe(0);
    await writer.close();
    await recorder.record(toRecord("running"));
    await recorder.close();
    expect(await readLog(dir).search()).toMatchObject([{ callId: "running", outcome: "success" }]);
  });

  it("may have a second end, of a process that was taken for dead and was only stopped", async () => {
    const dir = newDir();
    const stopped = openRecorder(dir);
    void stopped.start(toStart("one"));
    await stopped.flush();
    const writer = newWriter(dir);
    expect(await settle(dir, () => writer)).toBe(1);
    await stopped.record(toRecord("one"));
    expect(await readLog(dir).verify()).toMatchObject({ ok: true, records: 2 });
    // It may begin more before it hears that it was taken for dead, and die then.
    void stopped.start(toStart("late"));
    await stopped.flush();
    expect(await settle(dir, () => writer)).toBe(1);
    expect(await settle(dir, () => writer)).toBe(0);
    expect(await readLog(dir).verify()).toMatchObject({ ok: true, records: 3 });
    // What never began has no end, wherever that stands.
    writer.append([',"start":2,"callId":"two","time":1,"durationMs":1,"outcome":"success"}']);
    await writer.close();
    expect(await readLog(dir).verify()).toMatchObject({
      ok: false,
      problem: expect.stringMatching(/record 2, is missing/) as string,
    });
  });

  it("is found by its end in a later segment, also by the next process", async () => {
    const dir = newDir();
    const open = (): SegmentWriter =>
      new SegmentWriter({ dir, owner: "test", isAlive: () => false, segmentBytes: 400, now: () => 1 });
    const recorder = openRecorder(dir, { open });
    void recorder.start(toStart("long"));
    void recorder.start(toStart("longer"));
    for (let at = 0; at < 4; at++) await recorder.record(toRecord(`short ${at}`));
    await recorder.record(toRecord("long"));
    await recorder.flush();
    const writer = newWriter(dir);
    expect(await settle(dir, () => writer)).toBe(1);
    await writer.close();
    expect(await readLog(dir).search({ outcome: "interrupted" })).toMatchObject([{ callId: "longer" }]);
    expect(await readLog(dir).verify()).toMatchObject({ ok: true, records: 6 });
  });

  it("loses its contents with a purge, and is still told from its end", async () => {
    const dir = newDir();
    const recorder = openRecorder(dir);
    void recorder.start(toStart("one", { arguments: { text: "hunter2 secret" } }));
    await recorder.record(toRecord("one", { arguments: { text: "hunter2 secret" } }));
    await recorder.close();
    const writer = newWriter(dir);
    const texts = ["hunter2"];
    for (const dryRun of [true, false])
      expect((await purgeLog({ dir, writer, now: () => 6 }, { texts, dryRun })).records).toBe(1);
    await writer.close();
    expect(readFileSync(segmentPaths(dir, 0).lines, "utf8")).not.toContain("hunter2");
    expect(await readLog(dir).verify()).toMatchObject({ ok: true, records: 1 });
    expect(await readLog(dir).started?.("one")).toMatchObject({ kind: "start", purged: 6 });
  });

  it("counts in a purge also while its call runs, and once where its end is in a later segment", async () => {
    const dir = newDir();
    const open = (): SegmentWriter =>
      new SegmentWriter({ dir, owner: "test", isAlive: () => false, segmentBytes: 400, now: () => 1 });
    const recorder = openRecorder(dir, { open });
    const secret = { arguments: { text: "hunter2 secret" } };
    void recorder.start(toStart("long", secret));
    for (let at = 0; at < 4; at++) await recorder.record(toRecord(`short ${at}`));
    await recorder.record(toRecord("long", secret));
    void recorder.start(toStart("running", secret));
    await recorder.flush();
    const writer = newWriter(dir);
    const request = { texts: ["hunter2"] };
    for (const dryRun of [true, false])
      expect(await purgeLog({ dir, writer, now: () => 6 }, { ...request, dryRun })).toEqual({
        records: 2,
        contents: 0,
      });
    expect(await purgeLog({ dir, writer, now: () => 7 }, request)).toEqual({ records: 0, contents: 0 });
    await writer.close();
  });
});

describe("a content that cannot be kept beside the log", () => {
  it("is told in the answer and in the record, which keeps its digest", async () => {
    const dir = newDir();
    const told: string[] = [];
    const recorder = openRecorder(dir, { onFault: (message) => told.push(message) });
    const record = toRecord("large", {}, { result: "x".repeat(20_000) });
    await recorder.record(record);
    await recorder.close();
    expect(record.envelope.metadata["auditFault"]).toMatch("The result of the call could not be stored");
    expect(told).toHaveLength(1);
    expect(await readLog(dir).search()).toMatchObject([
      {
        resultDigest: { bytes: 20_002 },
        asideFault: expect.stringMatching(/could not be stored/) as string,
        arguments: { text: "hello" },
      },
    ]);
  });
});
