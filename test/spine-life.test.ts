import { describe, expect, it } from "vitest";
import { createTestClock } from "../src/tools/testing/context.js";
import { ToolInternalError } from "../src/index.js";
import { createFixture, echo, gate, open, tool, watch } from "./spine-fixture.js";

describe("a tool's life", () => {
  it("begins with the first call: init runs once, however many calls wait for it", async () => {
    let inits = 0;
    const tenon = open({
      tools: [
        tool("lazy", {
          init: async () => {
            inits++;
            await new Promise((resolve) => setTimeout(resolve, 10));
          },
          execute: () => inits,
        }),
      ],
    });
    expect([inits, tenon.registry.state("lazy")]).toEqual([0, "Registered"]);
    const answers = await tenon.callMany(Array.from({ length: 20 }, () => ({ name: "lazy" })));
    expect(answers.every(({ result }) => result === 1)).toBe(true);
    await tenon.call({ name: "lazy" });
    expect(inits).toBe(1);
  });

  it("that cannot begin answers why, and begins again later", async () => {
    const clock = createTestClock(1000);
    let broken = true;
    const tenon = open({
      clock,
      health: { probeAfterMs: 100 },
      tools: [
        tool("lazy", {
          init: () => {
            if (broken) throw new Error("no license");
          },
          execute: () => "runs",
        }),
      ],
    });
    const first = await tenon.call({ name: "lazy" });
    expect(first).toFailWith("TOOL_UNHEALTHY", { type: "ToolUnavailableError" });
    expect(first.error?.message).toContain("no license");
    broken = false;
    expect(await tenon.call({ name: "lazy" })).toFailWith("TOOL_UNHEALTHY");
    clock.advance(101);
    expect(await tenon.call({ name: "lazy" })).toSucceedWith("runs");
  });

  it("shows Executing only while calls run", async () => {
    const go = gate();
    const tenon = open({ tools: [tool("work", { execute: () => go.passed })] });
    const states: string[] = [];
    tenon.on("TOOL_STATE_CHANGED", ({ to }) => states.push(to));
    const running = [tenon.call({ name: "work" }), tenon.call({ name: "work" })];
    expect(tenon.registry.state("work")).toBe("Executing");
    go.open();
    await Promise.all(running);
    expect(tenon.registry.state("work")).toBe("Ready");
    expect(states).toEqual(["Initializing", "Ready", "Executing", "Ready"]);
  });

  it("is interrupted by critical errors in a row, and goes on after a trial that works", async () => {
    const clock = createTestClock(1000);
    let broken = true;
    const tenon = open({
      clock,
      health: { criticalErrors: 3, probeAfterMs: 1000 },
      tools: [
        tool("shaky", {
          execute: () => {
            if (broken) throw new ToolInternalError("wires crossed");
            return "fine";
          },
        }),
      ],
    });
    for (let index = 0; index < 3; index++) {
      expect(await tenon.call({ name: "shaky" })).toFailWith("INTERNAL");
    }
    expect(tenon.registry.state("shaky")).toBe("Disabled");
    const refused = await tenon.call({ name: "shaky" });
    expect(refused).toFailWith("TOOL_UNHEALTHY", { type: "ToolUnavailableError" });
    clock.advance(1001);
    expect(await tenon.call({ name: "shaky" })).toFailWith("INTERNAL");
    expect(await tenon.call({ name: "shaky" })).toFailWith("TOOL_UNHEALTHY");
    broken = false;
    clock.advance(2001);
    expect(await tenon.call({ name: "shaky" })).toSucceedWith("fine");
    expect(tenon.registry.state("shaky")).toBe("Ready");
  });

  it("is not interrupted by failures that say nothing about it", async () => {
    const tenon = open({ tools: [echo], health: { criticalErrors: 2 } });
    for (let index = 0; index < 5; index++) await tenon.call({ name: "echo", arguments: {} });
    expect(await tenon.call({ name: "echo", arguments: { text: "a" } })).toSucceed();
  });

  it("is brought back by its own health check", async () => {
    const clock = createTestClock(1000);
    let broken = true;
    const tenon = open({
      clock,
      health: { criticalErrors: 1, probeAfterMs: 1000 },
      tools: [
        tool("shaky", {
          healthCheck: () => ({ healthy: !broken }),
          execute: () => {
            if (broken) throw new ToolInternalError("x");
            return "fine";
          },
        }),
      ],
    });
    await tenon.call({ name: "shaky" });
    clock.advance(1001);
    expect(await tenon.call({ name: "shaky" })).toFailWith("TOOL_UNHEALTHY");
    broken = false;
    clock.advance(5000);
    expect(await tenon.call({ name: "shaky" })).toSucceedWith("fine");
    expect(await tenon.health("shaky")).toMatchObject({ status: "healthy" });
  });
});

describe("close", () => {
  it("lets running calls end, refuses new ones, and may be called twice", async () => {
    const go = gate();
    const tenon = open({ tools: [tool("work", { execute: () => go.passed.then(() => "done") })] });
    const running = tenon.call({ name: "work" });
    const closing = tenon.close();
    expect(await tenon.call({ name: "work" })).toFailWith("RUNTIME_CLOSED", {
      type: "ToolUnavailableError",
      retryable: false,
    });
    const items: string[] = [];
    for await (const item of tenon.stream({ name: "work" })) items.push(item.type);
    expect(items).toEqual(["TOOL_CALL_REQUESTED", "TOOL_CALL_FAILED", "result"]);
    go.open();
    expect(await running).toSucceedWith("done");
    await closing;
    await tenon.close();
    expect(await tenon.call({ name: "work" })).toFailWith("RUNTIME_CLOSED");
    expect(() => tenon.register(echo)).toThrow("closed");
  });

  it("lets what runs make the calls it needs, and what waits have its turn", async () => {
    const go = gate();
    const tenon = open({
      tools: [
        echo,
        tool("work", {
          concurrency: { max: 1 },
          execute: async (_, ctx) => {
            await go.passed;
            return (await ctx.call({ name: "echo", arguments: { text: "late" } })).success;
          },
        }),
      ],
    });
    const running = [tenon.call({ name: "work" }), tenon.call({ name: "work" })];
    const closing = tenon.close();
    go.open();
    expect((await Promise.all(running)).map(({ result }) => result)).toEqual([true, true]);
    await closing;
  });

  it("cancels what outlives the grace, what waits included", async () => {
    const tenon = open({
      cancelGraceMs: 10,
      tools: [tool("work", { concurrency: { max: 1 }, execute: () => new Promise(() => {}) })],
    });
    const running = tenon.callMany([{ name: "work" }, { name: "work" }]);
    await tenon.close({ graceMs: 20 });
    expect((await running).map(({ error }) => error?.code)).toEqual(["CANCELLED", "CANCELLED"]);
  });

  it("disposes every tool that was used, though one of them fails, and closes recorders", async () => {
    const log: string[] = [];
    const made = (name: string, dispose: () => void) =>
      tool(name, { init: () => {}, dispose, execute: () => 1 });
    const tenon = open({
      tools: [
        made("bad", () => {
          throw new Error("no");
        }),
        made("good", () => void log.push("good")),
        made("unused", () => void log.push("unused")),
      ],
      recorders: [
        {
          name: "first",
          record: () => {},
          close: () => {
            throw new Error("first");
          },
        },
        { name: "second", record: () => {}, close: () => void log.push("second") },
      ],
    });
    await tenon.callMany([{ name: "bad" }, { name: "good" }]);
    const failed: unknown[] = [];
    tenon.on("LISTENER_FAILED", (failure) => failed.push(failure));
    await tenon.close();
    expect(log).toEqual(["good", "second"]);
    expect(failed).toEqual([{ event: "close:first", message: "first" }]);
  });

  it("works where the state could not be opened", async () => {
    const fixture = createFixture();
    const tenon = open({ tools: [tool("keep", { execute: (_, ctx) => ctx.store.set("a", 1) })] }, fixture);
    const { writeFileSync, rmSync } = await import("node:fs");
    writeFileSync(fixture.stateDir, "in the way");
    expect(await tenon.call({ name: "keep" })).not.toSucceed();
    rmSync(fixture.stateDir);
    expect(await tenon.call({ name: "keep" })).toSucceed();
    await tenon.close();
  });

  it("of a Tenon that was never used does nothing and leaves nothing", async () => {
    const fixture = createFixture();
    const tenon = open({}, fixture);
    await tenon.close();
    const { existsSync } = await import("node:fs");
    expect(existsSync(fixture.stateDir)).toBe(false);
  });

  it("emits no event after it", async () => {
    const tenon = open({ tools: [echo] });
    await tenon.call({ name: "echo", arguments: { text: "a" } });
    await tenon.close();
    const events = watch(tenon);
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(events).toEqual([]);
  });
});
