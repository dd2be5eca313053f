import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Metrics } from "./metrics.js";
import { type Advice, createOptimiser, type OptimiserOptions } from "./optimiser.js";
import type { ToolSettings } from "./optimiser-rules.js";

function setUp(options: Partial<OptimiserOptions> = {}, initial: Partial<ToolSettings> = {}) {
  let time = 0;
  const settings = { timeoutMs: 30_000, max: 8, cacheable: true, ...initial };
  const emitted: Advice[] = [];
  const metrics = new Metrics({ monotonic: () => time });
  const optimiser = createOptimiser({
    mode: "apply",
    metrics,
    apply: {
      setTimeout: (_name, ms) => void (settings.timeoutMs = ms),
      setConcurrency: (_name, max) => void (settings.max = max),
    },
    current: () => settings,
    emit: (advice) => void emitted.push(advice),
    now: () => time,
    windowMs: 60_000,
    ...options,
  });
  const call = (times: number, durationMs: number, waitedMs = 0) => {
    const meter = metrics.meter("tool", "1.0.0");
    for (let i = 0; i < times; i++) {
      meter.began(waitedMs);
      meter.ended(durationMs, undefined);
    }
  };
  const advice = (kind: Advice["kind"]) => optimiser.review().filter((a) => a.kind === kind);
  return { optimiser, metrics, settings, emitted, call, advice, pass: (ms: number) => void (time += ms) };
}

/** About 5 % of the calls wait: neither up nor down. */
function callCalmly({ call }: ReturnType<typeof setUp>, times: number, durationMs: number) {
  call(Math.ceil(times * 0.05), durationMs, 10);
  call(times - Math.ceil(times * 0.05), durationMs);
}

describe("the optimiser's time limit", () => {
  it("is 5 s at least", () => {
    const world = setUp();
    callCalmly(world, 40, 10);
    expect(world.advice("timeout")).toMatchObject([{ from: 30_000, to: 5_000, applied: true }]);
    expect(world.settings.timeoutMs).toBe(5_000);
  });

  it("is three times the mean where calls are alike", () => {
    const world = setUp();
    callCalmly(world, 40, 20_000);
    expect(world.advice("timeout")[0]!.to).toBe(60_000);
  });

  it("is one and a half times the 95th percentile where few calls are slow", () => {
    const world = setUp();
    callCalmly(world, 90, 100);
    world.call(10, 40_000, 0);
    const to = world.advice("timeout")[0]!.to!;
    expect(Math.abs(to - 60_000)).toBeLessThanOrEqual(600);
  });

  it("stays below the cap, and is not lowered because of the cap", () => {
    const low = setUp({ maxTimeoutMs: 100_000 });
    callCalmly(low, 40, 90_000);
    expect(low.advice("timeout")[0]!.to).toBe(100_000);
    const high = setUp({ maxTimeoutMs: 100_000 }, { timeoutMs: 900_000 });
    callCalmly(high, 40, 90_000);
    expect(high.advice("timeout")).toEqual([]);
  });

  it("is left alone where the tool keeps its own or where it fits already", () => {
    const own = setUp({}, { timeoutMs: null });
    callCalmly(own, 40, 10);
    expect(own.optimiser.review()).toEqual([]);
    const fitting = setUp({}, { timeoutMs: 5_200 });
    callCalmly(fitting, 40, 10);
    expect(fitting.optimiser.review()).toEqual([]);
  });
});

describe("the optimiser's concurrency", () => {
  it("goes down when more than 10 % of the calls waited", () => {
    const world = setUp();
    world.call(3, 10, 5);
    world.call(22, 10);
    expect(world.advice("concurrency")).toMatchObject([{ from: 8, to: 6, applied: true }]);
    expect(world.settings.max).toBe(6);
  });

  it("goes up when less than 1 % waited", () => {
    const world = setUp();
    world.call(25, 10);
    expect(world.advice("concurrency")).toMatchObject([{ from: 8, to: 9 }]);
  });

  it("stays between 1 % and 10 %", () => {
    const world = setUp();
    world.call(10, 10, 5);
    world.call(90, 10);
    expect(world.advice("concurrency")).toEqual([]);
  });

  it("never leaves its bounds, whatever happens", () => {
    fc.assert(
      fc.property(
        fc.array(fc.boolean(), { maxLength: 40 }),
        fc.integer({ min: 1, max: 10 }),
        fc.integer({ min: 1, max: 10 }),
        (windows, max, maxConcurrency) => {
          const world = setUp({ maxConcurrency }, { max });
          for (const busy of windows) {
            world.call(30, 10, busy ? 5 : 0);
            world.optimiser.review();
            expect(world.settings.max).toBeGreaterThanOrEqual(1);
            expect(world.settings.max).toBeLessThanOrEqual(Math.max(max, maxConcurrency));
          }
        },
      ),
    );
  });

  it("keeps a tool alone that is not safe beside itself", () => {
    const world = setUp({}, { max: 1, maxCap: 1 });
    world.call(50, 10);
    expect(world.advice("concurrency")).toEqual([]);
  });

  it("gives a tool without limit one when its calls wait", () => {
    const world = setUp({ maxConcurrency: 8 }, { max: Infinity });
    world.call(50, 10, 5);
    expect(world.advice("concurrency")).toMatchObject([{ to: 6 }]);
  });
});

describe("the optimiser's caching", () => {
  const quiet = { timeoutMs: null, cacheable: false };

  it("is advised above 10 calls a window at more than 100 ms, and never applied", () => {
    const world = setUp({}, quiet);
    world.call(11, 101);
    expect(world.optimiser.review()).toMatchObject([{ toolName: "tool", kind: "caching", applied: false }]);
  });

  it.each([
    ["10 calls", 10, 500, quiet],
    ["100 ms", 15, 100, quiet],
    ["a tool that is cached already", 15, 500, { ...quiet, cacheable: true }],
    ["a tool that changes something", 15, 500, { ...quiet, readOnly: false }],
  ])("is not advised for %s", (_case, times, durationMs, settings) => {
    const world = setUp({}, settings);
    world.call(times, durationMs);
    expect(world.advice("caching")).toEqual([]);
  });

  it("is advised once a window", () => {
    const world = setUp({}, quiet);
    world.call(11, 200);
    expect(world.advice("caching")).toHaveLength(1);
    world.call(1, 200);
    expect(world.advice("caching")).toEqual([]);
    world.pass(60_000);
    world.call(1, 200);
    world.advice("caching");
    world.call(11, 200);
    expect(world.advice("caching")).toHaveLength(1);
  });

  it("counts calls a window even where the review comes late", () => {
    const world = setUp({}, quiet);
    world.call(15, 200);
    world.pass(600_000);
    expect(world.advice("caching")).toEqual([]);
  });
});

describe("the optimiser", () => {
  it("does nothing when it is off", () => {
    const world = setUp({ mode: "off" });
    world.call(100, 200, 5);
    expect(world.optimiser.review()).toEqual([]);
    expect(world.emitted).toEqual([]);
    expect(world.settings).toMatchObject({ timeoutMs: 30_000, max: 8 });
  });

  it("says and changes nothing when it advises", () => {
    const world = setUp({ mode: "advise" });
    world.call(100, 200, 5);
    const advice = world.optimiser.review();
    expect(advice.map((a) => [a.kind, a.applied])).toEqual([
      ["timeout", false],
      ["concurrency", false],
    ]);
    expect(world.emitted).toEqual(advice);
    expect(world.settings).toMatchObject({ timeoutMs: 30_000, max: 8 });
  });

  it("needs enough calls, which may gather over several reviews within a window", () => {
    const world = setUp();
    world.call(19, 10);
    expect(world.optimiser.review()).toEqual([]);
    world.call(1, 10);
    expect(world.optimiser.review()).not.toEqual([]);
  });

  it("lets calls of a past window count no more", () => {
    const world = setUp();
    world.call(19, 10);
    world.pass(60_000);
    expect(world.optimiser.review()).toEqual([]);
    world.call(1, 10);
    expect(world.optimiser.review()).toEqual([]);
  });

  it("judges the calls of the window and not those of all time", () => {
    const world = setUp();
    callCalmly(world, 10_000, 10);
    world.optimiser.review();
    expect(world.settings.timeoutMs).toBe(5_000);
    callCalmly(world, 40, 20_000);
    world.optimiser.review();
    expect(world.settings.timeoutMs).toBe(60_000);
  });

  it("judges no call twice", () => {
    const world = setUp();
    world.call(100, 10, 5);
    world.optimiser.review();
    expect(world.settings.max).toBe(6);
    expect(world.optimiser.review()).toEqual([]);
    expect(world.settings.max).toBe(6);
  });

  it("survives a reset of the metrics", () => {
    const world = setUp();
    callCalmly(world, 1_000, 10);
    world.optimiser.review();
    world.metrics.reset();
    callCalmly(world, 40, 20_000);
    world.optimiser.review();
    expect(world.settings.timeoutMs).toBe(60_000);
  });

  it("skips a tool that is gone", () => {
    const world = setUp({ current: () => undefined });
    world.call(100, 200, 5);
    expect(world.optimiser.review()).toEqual([]);
  });

  it("says so when an advice could not be applied, and goes on", () => {
    const world = setUp({
      apply: {
        setTimeout: () => {
          throw new Error("no such tool");
        },
        setConcurrency: () => {},
      },
    });
    world.call(100, 10, 5);
    const [timeout, concurrency] = world.optimiser.review();
    expect(timeout).toMatchObject({ kind: "timeout", applied: false });
    expect(timeout!.message).toContain("no such tool");
    expect(concurrency).toMatchObject({ kind: "concurrency", applied: true });
  });
});
