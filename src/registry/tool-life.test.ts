import { describe, expect, it } from "vitest";
import type { ToolUnavailableError } from "../contract/errors.js";
import type { HealthVerdict, Tool } from "../contract/tool.js";
import { begin, codeOf, gate, type Gate, make, thrown, view, walked } from "./registry.fixture.js";
import { ToolRegistry } from "./tool-registry.js";

describe("health", () => {
  const setUp = (over: Partial<Tool> = {}) => {
    const time = { now: 0 };
    const registry = new ToolRegistry({
      clock: { now: () => time.now },
      health: { criticalErrors: 3, probeAfterMs: 1000 },
    });
    const entry = registry.register(make(over));
    const crash = (times: number): void => {
      for (let i = 0; i < times; i++) {
        void registry.resolve("t", view).begin();
        entry.end("critical");
      }
    };
    return { time, registry, entry, crash };
  };

  it("takes a tool out after critical errors in a row only", () => {
    const { registry, entry, crash } = setUp();
    crash(2);
    void entry.begin();
    entry.end("ok");
    crash(2);
    expect(entry.state).toBe("Ready");
    crash(1);
    expect(walked(registry).slice(-3)).toEqual(["Executing", "Error", "Disabled"]);
    let error: ToolUnavailableError | undefined;
    try {
      registry.resolve("t", view);
    } catch (thrown) {
      error = thrown as ToolUnavailableError;
    }
    expect(error).toMatchObject({ code: "TOOL_UNHEALTHY", retryable: true, details: { availableAt: 1000 } });
    expect(error?.message).toContain("3 critical errors in a row");
    expect(error?.hint).toContain(new Date(1000).toISOString());
    expect(registry.list()).toHaveLength(1);
  });

  it("lets one trial through when it is time; success brings the tool back", () => {
    const { time, registry, entry, crash } = setUp();
    crash(3);
    time.now = 999;
    expect(codeOf(() => registry.resolve("t", view))).toBe("TOOL_UNHEALTHY");
    time.now = 1000;
    const both = [registry.resolve("t", view), registry.resolve("t", view)];
    expect(both[0]?.begin()).toBeUndefined();
    expect(codeOf(() => both[1]?.begin())).toBe("TOOL_UNHEALTHY");
    expect(codeOf(() => registry.resolve("t", view))).toBe("TOOL_UNHEALTHY");
    entry.end("ok");
    expect(entry.state).toBe("Ready");
    crash(2);
    expect(entry.state).toBe("Ready");
  });

  it("reports a tool that is out as unhealthy until the trial succeeded", async () => {
    const { time, registry, entry, crash } = setUp();
    crash(3);
    expect(await registry.health("t")).toMatchObject({ status: "unhealthy" });
    time.now = 1000;
    expect(await registry.health("t")).toMatchObject({ status: "unhealthy" });
    void entry.begin();
    entry.end("ok");
    expect(await registry.health("t")).toMatchObject({ status: "healthy" });
  });

  it("is brought back by a good health check, not by a bad one", async () => {
    let healthy = false;
    const { registry, crash } = setUp({ healthCheck: () => ({ healthy }) });
    crash(3);
    await registry.health("t");
    expect(registry.state("t")).toBe("Disabled");
    healthy = true;
    expect(await registry.health()).toMatchObject({ status: "healthy" });
    expect(registry.state("t")).toBe("Ready");
  });

  it("is not blocked by a resolved call that never begins", () => {
    const { time, registry, crash } = setUp();
    crash(3);
    time.now = 1000;
    registry.resolve("t", view);
    expect(registry.resolve("t", view).begin()).toBeUndefined();
  });

  it("waits twice as long after each failed trial, ten minutes at most", () => {
    const { time, registry, entry, crash } = setUp();
    crash(3);
    const waits: number[] = [];
    for (let wait = 1000, i = 0; i < 14; i++) {
      time.now += wait;
      void registry.resolve("t", view).begin();
      entry.end("critical");
      expect(entry.state).toBe("Disabled");
      const since = time.now;
      try {
        registry.resolve("t", view);
      } catch (error) {
        wait = Number((error as ToolUnavailableError).details?.["availableAt"]) - since;
      }
      waits.push(wait);
    }
    expect(waits.slice(0, 3)).toEqual([2000, 4000, 8000]);
    expect(waits.at(-1)).toBe(600_000);
    registry.enable("t");
    expect(entry.state).toBe("Ready");
    crash(2);
    expect(entry.state).toBe("Ready");
  });

  it("keeps the longer wait until a call succeeds", () => {
    const { time, registry, entry, crash } = setUp();
    const waitAfter = (outcome: "ok" | "failed"): number => {
      time.now += 10 ** 7;
      void registry.resolve("t", view).begin();
      entry.end(outcome);
      crash(3);
      const since = time.now;
      const { details } = thrown(() => registry.resolve("t", view)) as unknown as ToolUnavailableError;
      return Number(details?.["availableAt"]) - since;
    };
    crash(3);
    expect(waitAfter("failed")).toBe(2000);
    expect(waitAfter("ok")).toBe(1000);
  });

  it("keeps the longer wait where a call that had begun before ends well", () => {
    const { time, registry, entry, crash } = setUp();
    void entry.begin();
    crash(3);
    entry.end("ok");
    time.now = 1000;
    void registry.resolve("t", view).begin();
    entry.end("critical");
    expect(thrown(() => registry.resolve("t", view))).toMatchObject({ details: { availableAt: 3000 } });
  });

  it("tries a tool only while none of its calls runs, and says so", () => {
    const { time, registry, entry } = setUp();
    for (let i = 0; i < 4; i++) void entry.begin();
    for (let i = 0; i < 3; i++) entry.end("critical");
    time.now = 1000;
    const refusal = (): string => thrown(() => registry.resolve("t", view)).message;
    expect(refusal()).toBe(
      'Tool "t" was disabled after 3 critical errors in a row and still has running calls.',
    );
    entry.end("ok");
    void registry.resolve("t", view).begin();
    expect(refusal()).toBe(
      'Tool "t" was disabled after 3 critical errors in a row and another call is testing it.',
    );
    entry.end("critical");
    expect(refusal()).toBe('Tool "t" was disabled after another critical error.');
  });

  it("has its limits from the options, and five errors and half a minute without", () => {
    const time = { now: 0 };
    const registry = new ToolRegistry({ clock: { now: () => time.now } });
    const entry = registry.register(make());
    for (let i = 1; i <= 5; i++) {
      expect(
        codeOf(() => registry.resolve("t", view)),
        `before error ${i}`,
      ).toBeUndefined();
      void entry.begin();
      entry.end("critical");
    }
    expect(thrown(() => registry.resolve("t", view))).toMatchObject({ details: { availableAt: 30_000 } });
    expect(registry.history("t").at(-1)).toMatchObject({
      to: "Disabled",
      reason: "5 critical errors in a row",
    });
  });

  it("asks the tool's own check instead of risking a call, never twice at once", async () => {
    const checks: Gate<HealthVerdict>[] = [];
    const { time, registry, entry, crash } = setUp({
      healthCheck: () => {
        const check = gate<HealthVerdict>();
        checks.push(check);
        return check.promise;
      },
    });
    crash(3);
    time.now = 1000;
    const waiting = [begin(registry.resolve("t", view)), begin(registry.resolve("t", view))];
    expect(checks).toHaveLength(1);
    checks[0]?.open({ healthy: false, message: "still down" });
    for (const result of await Promise.allSettled(waiting)) {
      expect(result).toMatchObject({ status: "rejected", reason: { details: { availableAt: 3000 } } });
    }
    expect([entry.state, entry.running]).toEqual(["Disabled", 0]);
    time.now = 3000;
    const again = [begin(registry.resolve("t", view)), begin(registry.resolve("t", view))];
    checks[1]?.open({ healthy: true });
    await Promise.all(again);
    expect([entry.state, entry.running, checks.length]).toEqual(["Executing", 2, 2]);
    entry.end("ok");
    entry.end("ok");
    expect(entry.state).toBe("Ready");
  });

  it("never probes what a person disabled", async () => {
    let checks = 0;
    const { time, registry, crash } = setUp({ healthCheck: () => (checks++, { healthy: true }) });
    crash(3);
    registry.disable("t", "keep out");
    time.now = 10 ** 9;
    expect(codeOf(() => registry.resolve("t", view))).toBe("TOOL_DISABLED");
    expect(await registry.health("t")).toMatchObject({
      status: "unhealthy",
      message: "It is disabled: keep out.",
    });
    expect(checks).toBe(0);
    expect(registry.state("t")).toBe("Disabled");
  });

  it("shuts out new calls as soon as the limit is reached while others run", () => {
    const { registry, entry } = setUp();
    for (let i = 0; i < 5; i++) void entry.begin();
    for (let i = 0; i < 3; i++) entry.end("critical");
    expect(entry.state).toBe("Executing");
    expect(codeOf(() => registry.resolve("t", view))).toBe("TOOL_UNHEALTHY");
    entry.end("ok");
    entry.end("ok");
    expect(walked(registry).slice(-2)).toEqual(["Error", "Disabled"]);
  });

  it("reports per tool and for the whole", async () => {
    const registry = new ToolRegistry({ health: { initTimeoutMs: 5 } });
    registry.registerMany([
      make({ name: "plain" }),
      make({ name: "well", healthCheck: () => ({ healthy: true, message: "fine", details: { ms: 3 } }) }),
      make({ name: "off" }),
    ]);
    registry.disable("off");
    expect(await registry.health("plain")).toMatchObject({ status: "healthy" });
    expect(await registry.health("well")).toMatchObject({
      status: "healthy",
      message: "fine",
      details: { ms: 3 },
    });
    expect(await registry.health("off")).toMatchObject({ status: "unhealthy" });
    expect(await registry.health("wel")).toMatchObject({
      status: "not_found",
      message: expect.stringContaining('"well"'),
    });
    expect(await registry.health()).toMatchObject({
      status: "healthy",
      details: { healthy: 2, disabled: 1 },
    });
    registry.registerMany([
      make({ name: "ill", healthCheck: () => ({ healthy: false }) }),
      make({ name: "odd", healthCheck: () => "yes" as never }),
      make({ name: "hangs", healthCheck: () => new Promise(() => undefined) }),
      make({
        name: "throws",
        healthCheck: () => {
          throw new Error("boom");
        },
      }),
    ]);
    expect(await registry.health("ill")).toMatchObject({ status: "unhealthy" });
    expect(await registry.health("odd")).toMatchObject({ status: "unhealthy" });
    expect(await registry.health("hangs")).toMatchObject({ status: "error" });
    expect(await registry.health("throws")).toMatchObject({
      status: "error",
      message: "Health check failed: boom",
    });
    const whole = await registry.health();
    expect(whole.status).toBe("unhealthy");
    expect(Object.keys(whole.details?.["tools"] as object).sort()).toEqual(["hangs", "ill", "odd", "throws"]);
  });
});
