import { describe, expect, it } from "vitest";
import * as z from "zod";
import { gate, open, tool, until } from "../../test/spine-fixture.js";

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
    expect(await tenon.call({ name: "other" })).toSucceed();
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
