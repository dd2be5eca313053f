import { describe, expect, it } from "vitest";
import type { ToolEnvelope } from "../../contract/call.js";
import { newDir, openRecorder, readLog, toRecord } from "./testing/fixture.js";

interface Told {
  readonly tool?: string;
  readonly at: number;
  readonly ms: number;
  readonly waited?: number;
  readonly error?: string;
  readonly result?: unknown;
  readonly act?: string;
}

async function logOf(calls: readonly Told[]) {
  const dir = newDir();
  const recorder = openRecorder(dir);
  for (const [place, { tool = "t", at, ms, waited, error, result = "", act }] of calls.entries()) {
    const fault = { type: "ToolPermissionError", message: "no", retryable: false };
    await recorder.record({
      ...toRecord(`call_${place}`, {}, {
        toolName: tool,
        startedAt: at,
        durationMs: ms,
        completedAt: at + ms,
        result,
        metadata: { sessionId: "s", ...(waited !== undefined && { waitedForPersonMs: waited }) },
        ...(error !== undefined && { error: { ...fault, code: error } }),
      } as Partial<ToolEnvelope>),
      ...(act !== undefined && { act }),
    });
  }
  await recorder.close();
  return readLog(dir);
}

describe("the numbers of a range of time", () => {
  it("are of all calls in it, not of its last moment, and of none outside it", async () => {
    const before = Array.from({ length: 50 }, (_, at) => ({ at: 1000 + at, ms: 5000 }));
    const inside = Array.from({ length: 100 }, (_, at) => ({ at: 100_000 + at * 1000, ms: at + 1 }));
    const log = await logOf([...before, ...inside, { at: 900_000, ms: 7000 }]);
    const { total, series } = await log.usage({ since: 100_000, until: 200_000 }, 10);
    expect(total).toMatchObject({ calls: 100, failures: 0, maxMs: 100 });
    expect(total.p50Ms).toBeCloseTo(50, -0.5);
    expect(total.p95Ms / 95).toBeCloseTo(1, 1.7);
    expect(total.p99Ms / 99).toBeCloseTo(1, 1.7);
    expect(series.calls).toEqual([10, 10, 10, 10, 10, 10, 10, 10, 10, 10]);
    // Each interval has its own percentiles: they rise with the times.
    expect(series.p95Ms[0]).toBeLessThan(11);
    expect(series.p95Ms[9]).toBeGreaterThan(90);
  });

  it("keep the waiting for a person apart from the running, over time too", async () => {
    const log = await logOf([{ at: 0, ms: 60_000, waited: 50_000 }]);
    const { total, series } = await log.usage({ since: 0, until: 60_000 }, 6);
    expect(total).toMatchObject({ maxMs: 10_000, avgMs: 10_000 });
    expect(total.people).toEqual({ calls: 1, totalMs: 50_000, maxMs: 50_000 });
    expect(series.waitingForPeople).toEqual([1, 1, 1, 1, 1, 0]);
    expect(series.running).toEqual([0, 0, 0, 0, 0, 1]);
  });

  it("add up over the tools", async () => {
    const log = await logOf([
      { tool: "a", at: 0, ms: 30, waited: 10, result: "12" },
      { tool: "a", at: 1, ms: 10, error: "A" },
      { tool: "b", at: 2, ms: 70, waited: 30, result: "1234" },
      { tool: "b", at: 3, ms: 10, error: "A" },
      { tool: "b", at: 4, ms: 10, error: "B" },
    ]);
    const { total, tools } = await log.usage({ since: 0, until: 10_000 }, 1);
    expect(total).toMatchObject({
      calls: 5,
      denied: 3,
      avgMs: 30,
      maxMs: 40,
      people: { calls: 2, totalMs: 40, maxMs: 30 },
      results: { calls: 2, totalBytes: 10 },
    });
    expect(Object.entries(total.errors)).toEqual([
      ["A", 2],
      ["B", 1],
    ]);
    expect(tools.map(({ tool, calls, people, errors }) => [tool, calls, people.totalMs, errors])).toEqual([
      ["b", 3, 30, { A: 1, B: 1 }],
      ["a", 2, 10, { A: 1 }],
    ]);
  });

  it("count what runs and waits in the part of the range in which it did", async () => {
    const log = await logOf([{ at: -3000, ms: 10_000, waited: 4000 }]);
    const { series } = await log.usage({ since: 0, until: 8000 }, 4);
    expect(series.waitingForPeople).toEqual([0.5, 0, 0, 0]);
    expect(series.running).toEqual([0.5, 1, 1, 0.5]);
    expect(series.calls).toEqual([0, 0, 0, 1]);
    expect(series.p50Ms).toEqual([null, null, null, expect.closeTo(6000, -3)]);
  });

  it("leave out what people did without calling a tool", async () => {
    const log = await logOf([
      { tool: "a", at: 1, ms: 1 },
      { tool: "tokens_revoke", at: 2, ms: 900, act: "cli" },
    ]);
    const { tools, total, series } = await log.usage({ since: 0, until: 10_000 }, 1);
    expect(tools.map(({ tool }) => tool)).toEqual(["a"]);
    expect(total).toMatchObject({ calls: 1, maxMs: 1 });
    expect(series.calls).toEqual([1]);
  });

  it("tell refusals from failures, and how large results are, tool by tool", async () => {
    const log = await logOf([
      { tool: "a", at: 1, ms: 1, result: "1234567890" },
      { tool: "a", at: 2, ms: 1, result: { wide: "é" } },
      { tool: "b", at: 3, ms: 9000, error: "ACCESS_DENIED" },
    ]);
    const { tools, total } = await log.usage({ since: 0, until: 10_000 }, 1);
    expect(tools.map(({ tool, calls }) => [tool, calls])).toEqual([
      ["a", 2],
      ["b", 1],
    ]);
    expect(tools[0]?.results).toEqual({ calls: 2, totalBytes: 12 + 13 });
    // A refusal says nothing about how long the tool takes.
    expect(tools[1]).toMatchObject({ denied: 1, failures: 0, p99Ms: 0, errors: { ACCESS_DENIED: 1 } });
    expect(total.maxMs).toBe(1);
    expect((await log.usage({ since: 0, until: 10_000, tool: "b*" }, 1)).total.calls).toBe(1);
  });
});
