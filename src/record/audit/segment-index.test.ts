import { readFileSync, readdirSync, statSync, truncateSync, writeFileSync } from "node:fs";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { AuditRecord } from "../../contract/ports/audit.js";
import { loadIndex, outcomes, parseLine, SegmentIndex } from "./segment-index.js";
import { segmentPaths } from "./segment-files.js";
import { newDir, openRecorder, toRecord } from "./testing/fixture.js";

const error = (code: string, type = "ToolExecutionError") =>
  ({ type, code, message: "no", retryable: false }) as never;

/** A log with one call of each kind. */
async function fillAll(dir: string): Promise<void> {
  const recorder = openRecorder(dir);
  void recorder.start({
    callId: "one",
    toolName: "write_file",
    version: "1",
    startedAt: 1000,
    arguments: {},
    sessionId: "s1",
  } as never);
  await recorder.record(
    toRecord("one", { taskId: "t1", agent: "a1", sessionId: "s1" }, { startedAt: 1000, durationMs: 250.5 }),
  );
  await recorder.record(
    toRecord("two", { taskId: "t2" }, { startedAt: 900, durationMs: 10, error: error("X") }),
  );
  const denied = error("PATH_FORBIDDEN", "ToolSecurityError");
  const metadata = { sessionId: "s", waitedForPersonMs: 70 };
  await recorder.record(toRecord("three", {}, { startedAt: 2000, durationMs: 100, error: denied, metadata }));
  await recorder.record(toRecord("four", { act: "cli" }, { startedAt: 2000, durationMs: 0, result: "é" }));
  await recorder.close();
}

/** All that an index knows of its rows. */
function rowsOf(index: SegmentIndex): object[] {
  const name = (id: number): string | undefined => index.names.names[id];
  return Array.from({ length: index.rows }, (_, row) => ({
    isCall: index.isCall(row),
    isStart: index.isStart(row),
    isAct: index.isAct(row),
    ended: index.ended.at(row),
    time: index.time.at(row),
    tool: name(index.tool.at(row)),
    agent: name(index.agent.at(row)),
    task: name(index.task.at(row)),
    session: name(index.session.at(row)),
    outcome: outcomes[index.outcome.at(row)],
    duration: index.duration.at(row),
    waited: index.waited.at(row),
    resultBytes: index.resultBytes.at(row),
    error: name(index.error.at(row)),
  }));
}

/** What the lines of a segment say, read one by one. */
function rowsOfLines(file: string): object[] {
  let latest = 0;
  const lines = readFileSync(file, "utf8").trimEnd().split("\n");
  return lines.map((line) => {
    const record = JSON.parse(line) as AuditRecord & { kind?: string; act?: string };
    const isStart = record.kind === "start";
    const isCall = record.callId !== undefined && !isStart;
    latest = Math.max(latest, isCall ? record.time + record.durationMs : 0);
    return {
      isCall,
      isStart,
      isAct: record.act !== undefined,
      ended: latest,
      time: record.time,
      tool: record.tool ?? "",
      agent: record.agent ?? "",
      task: record.taskId ?? "",
      session: record.sessionId ?? "",
      outcome: isCall ? record.outcome : undefined,
      duration: isCall ? record.durationMs : 0,
      waited: isCall ? ((record as { waitedForPersonMs?: number }).waitedForPersonMs ?? 0) : 0,
      resultBytes:
        isCall && record.result !== undefined ? Buffer.byteLength(JSON.stringify(record.result)) : 0,
      error: isCall ? (record.error?.code ?? "") : "",
    };
  });
}

describe("the index of a segment", () => {
  it("knows of each line what the line says", async () => {
    const dir = newDir();
    await fillAll(dir);
    const paths = segmentPaths(dir, 0);
    const index = new SegmentIndex(paths);
    index.update();
    expect(rowsOf(index)).toEqual(rowsOfLines(paths.lines));
    expect(index.rows).toBe(6);
    expect(index.bytes).toBe(statSync(paths.lines).size);
    const text = readFileSync(paths.lines, "utf8");
    for (let row = 0; row < index.rows; row++) {
      const part = Buffer.from(text).subarray(
        index.offset.at(row),
        index.offset.at(row) + index.length.at(row),
      );
      expect(`${part.toString()}\n`).toBe(`${text.split("\n")[row]}\n`);
    }
    // What was read is not read again.
    index.update();
    expect(index.rows).toBe(6);
  });

  it("is the same after it was saved and loaded, and goes on from there", async () => {
    const dir = newDir();
    await fillAll(dir);
    const paths = segmentPaths(dir, 0);
    const first = loadIndex(paths);
    first.update();
    first.save();
    expect(statSync(paths.index).mode & 0o777).toBe(0o600);
    expect(readdirSync(dir).filter((name) => name.includes("partial"))).toEqual([]);
    const second = loadIndex(paths);
    expect([second.bytes, second.names.names]).toEqual([first.bytes, first.names.names]);
    expect(rowsOf(second)).toEqual(rowsOf(first));
    expect(Buffer.from(second.filter.bytes())).toEqual(Buffer.from(first.filter.bytes()));
    for (const name of ["offset", "length", "call"] as const)
      expect(Buffer.from(second[name].bytes())).toEqual(Buffer.from(first[name].bytes()));
    await fillAll(dir);
    for (const index of [first, second]) {
      index.update();
      expect(rowsOf(index)).toEqual(rowsOfLines(paths.lines));
    }
  });

  it("is made again where it is of another version, cut off, or not an index", async () => {
    const dir = newDir();
    await fillAll(dir);
    const paths = segmentPaths(dir, 0);
    const index = loadIndex(paths);
    index.update();
    index.save();
    const saved = readFileSync(paths.index);
    expect(loadIndex(paths).rows).toBe(6);
    for (const damage of [
      () => truncateSync(paths.index, saved.length - 8),
      () => writeFileSync(paths.index, Buffer.concat([saved, Buffer.alloc(8)])),
      () =>
        writeFileSync(paths.index, saved.toString("latin1").replace('"version":5', '"version":4'), "latin1"),
      () => writeFileSync(paths.index, "{}"),
      () => writeFileSync(paths.index, ""),
    ]) {
      damage();
      const made = loadIndex(paths);
      expect([made.rows, made.bytes]).toEqual([0, 0]);
      made.update();
      expect(rowsOf(made)).toEqual(rowsOf(index));
    }
  });

  it("finds the first row that ended at a time or later", () => {
    const times = fc.array(fc.nat({ max: 9 }), { maxLength: 12 });
    fc.assert(
      fc.property(times, (ends) => {
        const index = new SegmentIndex(segmentPaths("/none", 0));
        const sorted = ends.toSorted((one, other) => one - other);
        for (const each of sorted) index.ended.push(each);
        for (let time = -1; time <= 10; time++) {
          const first = sorted.findIndex((each) => each >= time);
          expect(index.firstEndedSince(time)).toBe(first < 0 ? sorted.length : first);
        }
      }),
    );
  });
});

it("a line that is not JSON is not a record", () => {
  expect(parseLine("{")).toBeUndefined();
  expect(parseLine(Buffer.from('{"a":1}'))).toEqual({ a: 1 });
});
