import { describe, expect, it } from "vitest";
import { createTestClock } from "../src/tools/testing/context.js";
import { ToolInternalError } from "../src/index.js";
import { createFixture, echo, gate, open, tool, until, watch } from "./spine-fixture.js";

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

describe("while calls run and wait", () => {
  const held = () => {
    const go = gate();
    const work = tool("work", { concurrency: { max: 1 }, execute: () => go.passed.then(() => "done") });
    return { go, work };
  };

  it("disable lets running ones end and refuses those that have not begun, and enable brings it back", async () => {
    const { go, work } = held();
    const tenon = open({ tools: [work] });
    const running = tenon.call({ name: "work" });
    const waiting = tenon.call({ name: "work" });
    tenon.registry.disable("work", "for a while");
    const refused = await tenon.call({ name: "work" });
    expect(refused).toFailWith("TOOL_DISABLED", { type: "ToolUnavailableError" });
    expect(refused.error?.message).toContain("for a while");
    go.open();
    expect(await running).toSucceed();
    expect(await waiting).toFailWith("TOOL_DISABLED");
    expect(tenon.registry.state("work")).toBe("Disabled");
    tenon.registry.enable("work");
    expect(await tenon.call({ name: "work" })).toSucceed();
  });

  it("unregister waits for running ones, disposes once, and the name is unknown at once", async () => {
    const { go, work } = held();
    let disposed = 0;
    const tenon = open({ tools: [{ ...work, dispose: () => void disposed++ }] });
    const running = tenon.call({ name: "work" });
    const waiting = tenon.call({ name: "work" });
    const leaving = tenon.registry.unregister("work");
    expect(await tenon.call({ name: "work" })).toFailWith("TOOL_NOT_FOUND");
    expect(disposed).toBe(0);
    go.open();
    expect(await running).toSucceed();
    expect(await waiting).not.toSucceed();
    await leaving;
    expect([disposed, tenon.registry.state("work")]).toEqual([1, "Unregistered"]);
  });

  it("replace lets running ones end on the old tool; waiting and new ones get the new one", async () => {
    const { go, work } = held();
    const tenon = open({ tools: [{ ...work, version: "1.0.0" }] });
    const running = tenon.call({ name: "work" });
    const waiting = tenon.call({ name: "work" });
    tenon.registry.replace(tool("work", { version: "1.0.1", execute: () => "new" }));
    const fresh = tenon.call({ name: "work" });
    go.open();
    const answers = await Promise.all([running, waiting, fresh]);
    expect(answers.map(({ result }) => result)).toEqual(["done", "new", "new"]);
    expect(answers.map(({ metadata }) => metadata.version)).toEqual(["1.0.0", "1.0.1", "1.0.1"]);
  });

  it("replace by a more dangerous tool does not carry the old consent over", async () => {
    const { go, work } = held();
    let ran = false;
    const tenon = open({ tools: [work] });
    const running = tenon.call({ name: "work" });
    const waiting = tenon.call({ name: "work" });
    tenon.registry.replace(tool("work", { annotations: { dangerous: true }, execute: () => (ran = true) }));
    go.open();
    await running;
    expect(await waiting).toFailWith("APPROVAL_UNAVAILABLE");
    expect(ran).toBe(false);
  });

  it("replace by a tool with a check of its own lets that check decide", async () => {
    const { go, work } = held();
    const tenon = open({ tools: [work] });
    const running = tenon.call({ name: "work" });
    const waiting = tenon.call({ name: "work" });
    tenon.registry.replace(
      tool("work", {
        checkPermissions: () => ({ behavior: "deny", message: "not any more" }),
        execute: () => 1,
      }),
    );
    go.open();
    await running;
    expect((await waiting).error?.message).toContain("not any more");
  });

  it("replace by a tool that touches other things makes the waiting call keep its order among those", async () => {
    const { go, work } = held();
    const other = gate();
    const log: string[] = [];
    const locked = { annotations: {}, resources: () => ({ writes: [{ lock: "x" }] }) };
    const tenon = open({
      tools: [work, tool("other", { ...locked, execute: () => other.passed.then(() => log.push("other")) })],
    });
    const running = tenon.call({ name: "work" });
    const waiting = tenon.call({ name: "work" });
    const first = tenon.call({ name: "other" });
    tenon.registry.replace(tool("work", { ...locked, execute: () => log.push("work") }));
    go.open();
    await running;
    await until(() => tenon.stats().waiting === 1);
    other.open();
    await Promise.all([first, waiting]);
    expect(log).toEqual(["other", "work"]);
  });

  it("replace by a tool that touches nothing gives up the locks that the waiting call was to have", async () => {
    const [first, second] = [gate(), gate()];
    const locked = { annotations: {}, resources: () => ({ writes: [{ lock: "x" }] }) };
    const tenon = open({
      tools: [
        tool("other", { ...locked, execute: () => first.passed }),
        tool("work", { ...locked, execute: () => "old" }),
      ],
    });
    const running = tenon.call({ name: "other" });
    await until(() => tenon.stats().running === 1);
    const waiting = tenon.call({ name: "work" });
    await until(() => tenon.stats().waiting === 1);
    let began = false;
    tenon.registry.replace(
      tool("work", { execute: () => ((began = true), second.passed.then(() => "new")) }),
    );
    first.open();
    await running;
    await until(() => began);
    // The new tool holds no lock, so that a call which needs it runs meanwhile.
    expect((await tenon.call({ name: "other" })).success).toBe(true);
    second.open();
    expect((await waiting).result).toBe("new");
  });

  it("replace checks the waiting call's arguments by the new schema, as they were sent", async () => {
    const { go, work } = held();
    const seen: unknown[] = [];
    const tenon = open({ tools: [work] });
    const running = tenon.call({ name: "work" });
    const good = tenon.call({ name: "work", arguments: { n: "abc" } });
    const bad = tenon.call({ name: "work", arguments: { n: 5 } });
    const z = await import("zod");
    tenon.registry.replace(
      tool("work", {
        input: z.object({ n: z.string().transform((text) => text.length) }),
        execute: (input) => seen.push(input),
      }),
    );
    go.open();
    await running;
    expect(await good).toSucceed();
    expect(await bad).toFailWith("ARGUMENTS_INVALID");
    expect(seen).toEqual([{ n: 3 }]);
  });

  it("a thousand calls and fifty replacements: none is lost, every tool is disposed once", async () => {
    let disposed = 0;
    const make = (generation: number) =>
      tool("work", {
        version: "1.0.0",
        async execute() {
          await new Promise((resolve) => setImmediate(resolve));
          return generation;
        },
        dispose: () => void disposed++,
      });
    const tenon = open({ builtIns: false, tools: [make(0)], config: { tools: { maxConcurrent: 20 } } });
    const running = tenon.callMany(
      Array.from({ length: 1000 }, (_, index) => ({ id: `${index}`, name: "work" })),
    );
    for (let generation = 1; generation <= 50; generation++) {
      await new Promise((resolve) => setImmediate(resolve));
      tenon.registry.replace(make(generation));
    }
    const answers = await running;
    expect(answers.filter(({ success }) => success)).toHaveLength(1000);
    expect(answers.map(({ metadata }) => metadata.requestId)).toEqual(
      Array.from({ length: 1000 }, (_, index) => `${index}`),
    );
    expect(await tenon.call({ name: "work" })).toSucceedWith(50);
    await tenon.close();
    expect(disposed).toBe(51);
    expect(tenon.stats()).toMatchObject({ running: 0, waiting: 0 });
  });

  it("quotas count a call once, though its tool was replaced while it waited", async () => {
    const { go, work } = held();
    const tenon = open({ tools: [work], config: { tools: { quotas: [{ tool: "work", perSession: 2 }] } } });
    const running = tenon.call({ name: "work" });
    const waiting = tenon.call({ name: "work" });
    tenon.registry.replace(
      tool("work", { checkPermissions: () => ({ behavior: "allow" }), execute: () => "new" }),
    );
    go.open();
    await running;
    expect(await waiting).toSucceedWith("new");
    expect(await tenon.call({ name: "work" })).toFailWith("QUOTA_SPENT");
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
