import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Metrics } from "./metrics.js";

function createMetrics() {
  let time = 1_000;
  const metrics = new Metrics({ monotonic: () => time });
  return { metrics, pass: (ms: number) => void (time += ms) };
}

describe("Metrics", () => {
  it("counts calls, successes, failures and times of a tool", () => {
    const { metrics } = createMetrics();
    const meter = metrics.meter("read_file", "1.0.0");
    for (let ms = 1; ms <= 100; ms++) {
      meter.began(0);
      meter.ended(ms, ms > 98 ? "ToolTimeoutError" : undefined);
    }
    const tool = metrics.tool("read_file")!;
    expect(tool).toMatchObject({ toolName: "read_file", calls: 100, successes: 98, failures: 2 });
    expect(tool.duration).toMatchObject({ count: 100, total: 5050, avg: 50.5, max: 100 });
    expect(Math.abs(tool.duration.p50 - 50)).toBeLessThanOrEqual(0.5);
    expect(Math.abs(tool.duration.p95 - 95)).toBeLessThanOrEqual(0.95);
    expect(Math.abs(tool.duration.p99 - 99)).toBeLessThanOrEqual(0.99);
    expect({ ...tool.errors }).toEqual({ ToolTimeoutError: 2 });
    expect(tool.resources).toBeUndefined();
  });

  it("gives exact percentiles where all calls took the same time", () => {
    const { metrics } = createMetrics();
    metrics.meter("a", "1.0.0").ended(5, undefined);
    expect(metrics.tool("a")!.duration).toMatchObject({ avg: 5, p50: 5, p95: 5, p99: 5, max: 5 });
  });

  it("counts a refused call as a failure without a duration", () => {
    const { metrics } = createMetrics();
    const meter = metrics.meter("a", "1.0.0");
    meter.began(0);
    meter.ended(10, undefined);
    meter.refused("ToolPermissionError");
    const tool = metrics.tool("a")!;
    expect(tool).toMatchObject({ calls: 2, successes: 1, failures: 1 });
    expect(tool.duration).toMatchObject({ count: 1, avg: 10 });
    expect({ ...tool.errors }).toEqual({ ToolPermissionError: 1 });
  });

  it("weighs the mean concurrency by time and leaves idle time out", () => {
    const { metrics, pass } = createMetrics();
    const meter = metrics.meter("a", "1.0.0");
    meter.began(0);
    pass(10); // one runs
    meter.began(0);
    pass(30); // two run
    meter.ended(40, undefined);
    meter.ended(30, undefined);
    pass(100_000); // idle
    expect(metrics.tool("a")!.concurrency).toEqual({ now: 0, mean: 70 / 40, peak: 2 });
    meter.began(0);
    pass(10);
    expect(metrics.tool("a")!.concurrency).toEqual({ now: 1, mean: 80 / 50, peak: 2 });
  });

  it("takes the moment from the caller where it is given", () => {
    const metrics = new Metrics({
      monotonic: () => {
        throw new Error("the clock was asked");
      },
    });
    const meter = metrics.meter("a", "1.0.0");
    meter.began(0, 100);
    meter.ended(50, undefined, 150);
    expect(metrics.callStats()["a"]).toEqual({ count: 1, failures: 0, avgDuration: 50 });
  });

  it("counts the calls that waited, and how long", () => {
    const { metrics } = createMetrics();
    const meter = metrics.meter("a", "1.0.0");
    for (const waited of [0, 5, 0, 20]) meter.began(waited);
    expect(metrics.tool("a")!.waits).toEqual({ count: 2, total: 25, max: 20 });
  });

  it("shows memory, CPU and I/O only where a process reported them", () => {
    const { metrics } = createMetrics();
    const meter = metrics.meter("shell_exec", "1.0.0");
    meter.resources({ memoryBytes: 100, cpuMs: 5 });
    meter.resources({ memoryBytes: 300, ioBytes: 7 });
    meter.resources({ cpuMs: 5 });
    expect(metrics.tool("shell_exec")!.resources).toEqual({
      samples: 3,
      memoryAvgBytes: 200,
      memoryPeakBytes: 300,
      cpuMs: 10,
      ioBytes: 7,
    });
  });

  it("keeps versions apart and merges them for the tool, concurrency included", () => {
    const { metrics, pass } = createMetrics();
    const one = metrics.meter("a", "1.0.0");
    const two = metrics.meter("a", "2.0.0");
    one.began(0);
    two.began(0);
    pass(10);
    one.ended(10, undefined);
    two.ended(10, "ToolExecutionError");
    expect(metrics.versions("a")).toMatchObject([
      { version: "1.0.0", calls: 1, failures: 0, concurrency: { peak: 1, mean: 1 } },
      { version: "2.0.0", calls: 1, failures: 1, concurrency: { peak: 1, mean: 1 } },
    ]);
    expect(metrics.tool("a")).toMatchObject({ calls: 2, failures: 1, concurrency: { peak: 2, mean: 2 } });
    expect(metrics.tool("a")).not.toHaveProperty("version");
    expect(metrics.meter("a", "1.0.0")).toBe(one);
    expect(metrics.versions("unknown")).toEqual([]);
    expect(metrics.tool("unknown")).toBeUndefined();
  });

  it("sums all tools up in a snapshot, with the peak of the whole", () => {
    const metrics = new Metrics({ monotonic: () => 0, hostUse: () => ({ memoryBytes: 1, cpuMs: 2 }) });
    const [a, b] = [metrics.meter("a", "1.0.0"), metrics.meter("b", "1.0.0")];
    a.began(0);
    b.began(3);
    a.ended(10, undefined);
    b.ended(30, "X");
    const { tools, overall, host } = metrics.snapshot();
    expect(tools.map((t) => t.toolName)).toEqual(["a", "b"]);
    expect(overall).toMatchObject({
      calls: 2,
      failures: 1,
      duration: { avg: 20, max: 30 },
      waits: { count: 1 },
    });
    expect(overall.concurrency.peak).toBe(2);
    expect(host).toEqual({ memoryBytes: 1, cpuMs: 2 });
  });

  it("keeps names such as __proto__ and constructor apart from the language's own", () => {
    const { metrics } = createMetrics();
    for (const name of ["__proto__", "constructor", "toString"]) {
      const meter = metrics.meter(name, "__proto__");
      meter.refused("__proto__");
      meter.refused("constructor");
    }
    const stats = metrics.callStats();
    expect(Object.getPrototypeOf(stats)).toBeNull();
    expect(Object.keys(stats)).toEqual(["__proto__", "constructor", "toString"]);
    expect(stats["__proto__"]).toEqual({ count: 2, failures: 2, avgDuration: 0 });
    expect(Object.entries(metrics.tool("__proto__")!.errors)).toEqual([
      ["__proto__", 1],
      ["constructor", 1],
    ]);
    expect(metrics.tool("hasOwnProperty")).toBeUndefined();
  });

  it("stays sane whatever is reported", () => {
    const amount = fc.oneof(
      fc.constantFrom(NaN, Infinity, -Infinity, -1, -0, 0, 1e308, Number.MIN_VALUE),
      fc.double(),
    );
    const step = fc.oneof(
      fc.record({ do: fc.constant("began" as const), amount, at: fc.option(amount) }),
      fc.record({ do: fc.constant("ended" as const), amount, at: fc.option(amount) }),
      fc.record({ do: fc.constant("resources" as const), amount, at: fc.constant(null) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const { metrics } = createMetrics();
        const meter = metrics.meter("a", "1.0.0");
        for (const s of steps) {
          if (s.do === "began") meter.began(s.amount, s.at ?? undefined);
          else if (s.do === "ended") meter.ended(s.amount, undefined, s.at ?? undefined);
          else meter.resources({ memoryBytes: s.amount, cpuMs: s.amount, ioBytes: s.amount });
        }
        const { duration, concurrency } = metrics.tool("a")!;
        for (const value of [...Object.values(duration), ...Object.values(concurrency)]) {
          expect(value).toBeGreaterThanOrEqual(0);
        }
        expect(duration.p50).toBeLessThanOrEqual(duration.p95);
        expect(duration.p95).toBeLessThanOrEqual(duration.p99);
        expect(duration.p99).toBeLessThanOrEqual(duration.max);
        expect(concurrency.now).toBeLessThanOrEqual(concurrency.peak);
      }),
    );
  });

  it("does not let a flood of error types grow without bound", () => {
    const { metrics } = createMetrics();
    const meter = metrics.meter("a", "1.0.0");
    for (let i = 0; i < 1_000; i++) meter.refused(`Error${i}`);
    const { errors, failures } = metrics.tool("a")!;
    expect(failures).toBe(1_000);
    expect(Object.keys(errors).length).toBeLessThanOrEqual(65);
    expect(Object.values(errors).reduce((sum, count) => sum + count, 0)).toBe(1_000);
  });

  it("starts from nothing after a reset, with the same meters and what runs still running", () => {
    const { metrics, pass } = createMetrics();
    const meter = metrics.meter("a", "1.0.0");
    const other = metrics.meter("b", "1.0.0");
    meter.began(5);
    meter.began(5);
    pass(10);
    meter.ended(10, "X");
    other.refused("X");
    metrics.reset("a");
    expect(metrics.tool("a")).toMatchObject({
      calls: 0,
      waits: { count: 0 },
      concurrency: { now: 1, peak: 1 },
    });
    expect(metrics.tool("b")).toMatchObject({ calls: 1 });
    meter.ended(20, undefined);
    expect(metrics.tool("a")).toMatchObject({ calls: 1, concurrency: { now: 0 } });
    metrics.reset();
    expect(metrics.snapshot().overall).toMatchObject({ calls: 0, concurrency: { now: 0, peak: 0 } });
  });

  it("always has calls equal to successes and failures, and now equal to what runs", () => {
    const step = fc.constantFrom("begin", "succeed", "fail", "refuse");
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        const { metrics } = createMetrics();
        const meter = metrics.meter("a", "1.0.0");
        let running = 0;
        let ended = 0;
        for (const s of steps) {
          if (s === "begin") {
            meter.began(0);
            running += 1;
          } else if (s === "refuse") {
            meter.refused("R");
            ended += 1;
          } else if (running > 0) {
            meter.ended(1, s === "fail" ? "F" : undefined);
            running -= 1;
            ended += 1;
          }
        }
        const { calls, successes, failures, concurrency } = metrics.tool("a")!;
        expect(calls).toBe(ended);
        expect(successes + failures).toBe(ended);
        expect(concurrency.now).toBe(running);
      }),
    );
  });
});
