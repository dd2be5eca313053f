import { describe, expect, it } from "vitest";
import { ToolInternalError } from "../contract/errors.js";
import { begin, codeOf, gate, make, turn, view, walked } from "./registry.fixture.js";
import { ToolRegistry } from "./tool-registry.js";

describe("calls", () => {
  it("walk from Registered over Ready to Executing and back, without waiting", () => {
    const registry = new ToolRegistry();
    const entry = registry.register(make());
    expect(entry.state).toBe("Registered");
    expect(entry.begin()).toBeUndefined();
    expect(entry.begin()).toBeUndefined();
    expect([entry.state, entry.running]).toEqual(["Executing", 2]);
    entry.end("ok");
    expect(entry.state).toBe("Executing");
    entry.end("failed");
    expect(entry.state).toBe("Ready");
    expect(walked(registry)).toEqual(["Initializing", "Ready", "Executing", "Ready"]);
    expect(() => entry.end("ok")).toThrow(ToolInternalError);
  });

  it("go through Error after a critical one, when the last has ended", () => {
    const registry = new ToolRegistry();
    const entry = registry.register(make());
    void entry.begin();
    void entry.begin();
    entry.end("critical");
    expect(entry.state).toBe("Executing");
    entry.end("ok");
    expect(walked(registry).slice(-3)).toEqual(["Executing", "Error", "Ready"]);
    void entry.begin();
    entry.end("ok");
    expect(walked(registry).slice(-2)).toEqual(["Executing", "Ready"]);
  });
});

describe("init", () => {
  it("runs once, at the first call, shared by all first calls", async () => {
    let runs = 0;
    const started = gate();
    const registry = new ToolRegistry();
    const entry = registry.register(make({ init: () => (runs++, started.promise) }));
    expect(runs).toBe(0);
    const waiting = [begin(entry), begin(entry), begin(entry)];
    await turn();
    expect([entry.state, runs]).toEqual(["Initializing", 1]);
    started.open();
    await Promise.all(waiting);
    expect([entry.state, entry.running]).toEqual(["Executing", 3]);
    for (const _ of waiting) entry.end("ok");
    expect(entry.begin()).toBeUndefined();
    entry.end("ok");
    expect(runs).toBe(1);
  });

  it.each([
    ["throws", () => Promise.reject(new Error("no disk"))],
    [
      "throws at once",
      () => {
        throw new Error("no disk");
      },
    ],
    // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- foreign code rejects with anything
    ["rejects with no error", () => Promise.reject("no disk")],
  ])("that %s makes the tool unhealthy, until a later try succeeds", async (_, fault) => {
    let now = 0;
    let broken = true;
    const registry = new ToolRegistry({ clock: { now: () => now }, health: { probeAfterMs: 1000 } });
    const entry = registry.register(make({ init: () => (broken ? fault() : undefined) }));
    const failures = await Promise.allSettled([begin(entry), begin(entry)]);
    for (const failure of failures) {
      expect(failure).toMatchObject({ status: "rejected", reason: { code: "TOOL_UNHEALTHY" } });
    }
    expect([entry.state, entry.running]).toEqual(["Failed", 0]);
    expect(await registry.health("t")).toMatchObject({
      status: "unhealthy",
      message: expect.stringContaining("no disk"),
    });
    expect(codeOf(() => registry.resolve("t", view))).toBe("TOOL_UNHEALTHY");
    now = 1000;
    await expect(registry.resolve("t", view).begin()).rejects.toMatchObject({
      details: { availableAt: 3000 },
    });
    now = 3000;
    broken = false;
    await registry.resolve("t", view).begin();
    entry.end("ok");
    expect(walked(registry)).toEqual([
      "Initializing",
      "Failed",
      "Initializing",
      "Failed",
      "Initializing",
      "Ready",
      "Executing",
      "Ready",
    ]);
  });

  it("can be asked for by name, and again at once after a failure", async () => {
    let broken = true;
    const registry = new ToolRegistry();
    registry.register(
      make({
        init: () => {
          if (broken) throw new Error("not yet");
        },
      }),
    );
    await expect(registry.initialize("t")).rejects.toMatchObject({ code: "TOOL_UNHEALTHY" });
    broken = false;
    await registry.initialize("t");
    await registry.initialize("t");
    expect(registry.state("t")).toBe("Ready");
    expect(registry.resolve("t", view).begin()).toBeUndefined();
    registry.register(make({ name: "plain" }));
    await registry.initialize("plain");
    expect(walked(registry, "plain")).toEqual(["Initializing", "Ready"]);
    await expect(registry.initialize("nope")).rejects.toMatchObject({ code: "TOOL_NOT_FOUND" });
  });

  it("that is tried again before its time lets calls wait for it", async () => {
    const tries = [gate(), gate()];
    let at = 0;
    const registry = new ToolRegistry();
    const entry = registry.register(
      make({
        init: () => tries[at++]?.promise.then(() => (at === 1 ? Promise.reject(new Error("no")) : undefined)),
      }),
    );
    tries[0]?.open();
    await expect(begin(entry)).rejects.toMatchObject({ code: "TOOL_UNHEALTHY" });
    const again = registry.initialize("t");
    const call = begin(registry.resolve("t", view));
    tries[1]?.open();
    await Promise.all([again, call]);
    expect([entry.state, entry.running]).toEqual(["Executing", 1]);
  });

  it("that never ends fails at its time limit", async () => {
    const registry = new ToolRegistry({ health: { initTimeoutMs: 5 } });
    const entry = registry.register(make({ init: () => new Promise(() => undefined) }));
    await expect(entry.begin()).rejects.toThrow(/longer than 5 ms/);
    expect(entry.state).toBe("Failed");
    expect(await registry.unregister("t")).toBe(true);
  });
});

describe("disable while calls run", () => {
  it("refuses new calls at once and walks legally when the last one ends", () => {
    const registry = new ToolRegistry();
    const entry = registry.register(make());
    void entry.begin();
    registry.disable("t", "stop");
    expect(codeOf(() => registry.resolve("t", view))).toBe("TOOL_DISABLED");
    expect(codeOf(() => entry.begin())).toBe("TOOL_DISABLED");
    expect([entry.state, entry.running]).toEqual(["Executing", 1]);
    entry.end("ok");
    expect(walked(registry).slice(-3)).toEqual(["Executing", "Ready", "Disabled"]);
    expect(registry.history("t").at(-1)?.reason).toBe("stop");
  });

  it("can be taken back before the last one ends", () => {
    const registry = new ToolRegistry();
    const entry = registry.register(make());
    void entry.begin();
    registry.disable("t");
    registry.enable("t");
    void entry.begin();
    entry.end("ok");
    entry.end("ok");
    expect(walked(registry)).not.toContain("Disabled");
  });

  it("holds for a tool whose init has not run, without running it", async () => {
    let runs = 0;
    const registry = new ToolRegistry();
    registry.register(make({ init: () => void runs++ }));
    registry.disable("t");
    expect(codeOf(() => registry.resolve("t", view))).toBe("TOOL_DISABLED");
    await expect(registry.initialize("t")).rejects.toMatchObject({ code: "TOOL_DISABLED" });
    registry.enable("t");
    await registry.resolve("t", view).begin();
    expect(runs).toBe(1);
  });

  it("refuses calls that still wait for init", async () => {
    const started = gate();
    const registry = new ToolRegistry();
    const entry = registry.register(make({ init: () => started.promise }));
    const waiting = entry.begin();
    registry.disable("t", "changed my mind");
    started.open();
    await expect(waiting).rejects.toMatchObject({ code: "TOOL_DISABLED" });
    expect([entry.state, entry.running]).toEqual(["Disabled", 0]);
  });

  it("keeps its sense when a listener disables in the middle of a transition", () => {
    for (const phase of ["before", "after"] as const) {
      for (const to of ["Initializing", "Ready", "Executing"]) {
        const registry = new ToolRegistry();
        const entry = registry.register(make());
        registry.onTransition((t) => t.to === to && registry.disable("t"), phase);
        const began = codeOf(() => entry.begin()) === undefined;
        if (began) entry.end("ok");
        expect([phase, to, entry.state, entry.running]).toEqual([phase, to, "Disabled", 0]);
        const steps = registry.history("t");
        expect(steps.map(({ from }) => from)).toEqual(["Registered", ...steps.slice(0, -1).map((s) => s.to)]);
      }
    }
  });
});
