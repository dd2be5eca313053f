import { describe, expect, it } from "vitest";
import * as z from "zod";
import type { Resource, ToolContext } from "../index.js";
import { collect, echo, gate, open, tool, until, watch } from "../../test/spine-fixture.js";
import { underLoad } from "../../test/setup/under-load.js";

describe("a call that a tool makes", () => {
  it("belongs to the task, agent, session and events of the one above", async () => {
    const seen: unknown[] = [];
    const inner = tool("inner", {
      execute: (_, { taskId, agent, sessionId, userId, iterationId }) =>
        seen.push({ taskId, agent, sessionId, userId, iterationId }),
    });
    const outer = tool("outer", {
      execute: async (_, ctx) => ({
        answer: await ctx.call({ name: "inner", taskId: "forged", arguments: {} } as never),
      }),
    });
    const tenon = open({ tools: [inner, outer] });
    const session = tenon.createSession({ id: "s1", agent: "ada", userId: "u1", iterationId: "i1" });
    const events = watch(tenon);
    const answer = await session.call({ id: "c1", name: "outer", taskId: "t1" });
    expect(seen).toEqual([{ taskId: "t1", agent: "ada", sessionId: "s1", userId: "u1", iterationId: "i1" }]);
    expect(answer).toSucceed({
      result: { answer: { toolName: "inner", metadata: { parentCallId: answer.callId, taskId: "t1" } } },
    });
    const inside = events.filter(({ payload }) => (payload as { toolName?: string }).toolName === "inner");
    expect(
      inside
        .filter(({ type }) => type.startsWith("TOOL_CALL"))
        .every(({ payload }) => (payload as { parentCallId?: string }).parentCallId === answer.callId),
    ).toBe(true);
    expect((await tenon.task("t1"))?.actionsDone.map(({ toolName }) => toolName)).toEqual(["inner", "outer"]);
  });

  it("passes the same checks", async () => {
    const danger = tool("danger", { annotations: { dangerous: true }, execute: () => 1 });
    const hidden = tool("hidden", { execute: () => 1 });
    const outer = tool("outer", {
      execute: async (_, ctx) => [
        (await ctx.call({ name: "danger" })).error?.code,
        (await ctx.call({ name: "hidden" })).error?.code,
        (await ctx.call({ name: "echo", arguments: { text: 5 } })).error?.code,
        (await ctx.call(null as never)).error?.code,
        (
          await ctx.call({
            get name(): string {
              throw new Error("x");
            },
          })
        ).error?.code,
      ],
    });
    const tenon = open({
      tools: [danger, hidden, outer, echo],
      config: { toolsets: { some: ["outer", "danger", "echo"] } },
    });
    const { result } = await tenon.createSession({ toolset: "some" }).call({ name: "outer" });
    expect(result).toEqual([
      "APPROVAL_UNAVAILABLE",
      "TOOL_NOT_FOUND",
      "ARGUMENTS_INVALID",
      "REQUEST_INVALID",
      "REQUEST_INVALID",
    ]);
  });

  it("never waits for what the one above holds: its slot, its locks, its tool's only place", async () => {
    const deep = tool("deep", {
      annotations: {},
      concurrency: { max: 1, safe: false, queue: 0 },
      input: z.object({ n: z.number() }),
      resources: () => ({ writes: [{ lock: "the one" }, { tree: "dir" }] }),
      execute: async (input: never, ctx) => {
        const { n } = input as { n: number };
        if (n === 0) return 0;
        const { result, error } = await ctx.call({ name: "deep", arguments: { n: n - 1 } });
        if (error !== undefined) throw new Error(error.message);
        return (result as number) + 1;
      },
    });
    const tenon = open({
      tools: [deep],
      config: {
        tools: { maxConcurrent: 1, maxQueued: 5 },
        policy: { rules: [{ decision: "allow", tool: "deep" }] },
      },
    });
    const answers = await tenon.callMany([{ name: "deep", arguments: { n: 20 } }]);
    expect(answers.map(({ result, error }) => result ?? error)).toEqual([20]);
    expect(tenon.stats()).toMatchObject({ running: 0, waiting: 0, nestedRunning: 0, nestedWaiting: 0 });
  });

  it("beside its siblings keeps their order where they conflict, and overlaps where they do not", async () => {
    const log: string[] = [];
    const write = tool("write", {
      annotations: {},
      input: z.object({ id: z.string(), key: z.string() }),
      resources: ({ key }: { key: string }) => ({ writes: [{ lock: key }] as Resource[] }),
      async execute(input: never) {
        const { id } = input as { id: string };
        log.push(`+${id}`);
        await new Promise((resolve) => setTimeout(resolve, 10));
        log.push(`-${id}`);
      },
    });
    const outer = tool("outer", {
      execute: (_, ctx) =>
        Promise.all(
          [
            ["a", "x"],
            ["b", "x"],
            ["c", "y"],
          ].map(([id, key]) => ctx.call({ name: "write", arguments: { id, key } })),
        ),
    });
    await open({ tools: [write, outer], config: { tools: { maxConcurrent: 1 } } }).call({ name: "outer" });
    expect(log.slice(0, 2)).toEqual(["+a", "+c"]);
    expect(log.indexOf("+b")).toBeGreaterThan(log.indexOf("-a"));
  });

  it("stops with the one above, which may have been stopped by its time limit or its caller", async () => {
    for (const how of ["limit", "caller"]) {
      const inside = gate<AbortSignal>();
      const ended = gate<string | undefined>();
      const inner = tool("inner", {
        execute: (_, ctx) => {
          inside.open(ctx.signal);
          return new Promise(() => {});
        },
      });
      const outer = tool("outer", {
        ...(how === "limit" && { timeoutMs: 40 }),
        execute: async (_, ctx) => ended.open((await ctx.call({ name: "inner" })).error?.code),
      });
      const tenon = open({ tools: [inner, outer], cancelGraceMs: 10 });
      const cancel = new AbortController();
      const running = tenon.call({ name: "outer", signal: cancel.signal });
      const signal = await inside.passed;
      if (how === "caller") cancel.abort();
      expect(await running).toFailWith(how === "limit" ? "TIMED_OUT" : "CANCELLED");
      expect(signal.aborted).toBe(true);
      expect(await ended.passed).toBe("CANCELLED");
    }
  });

  it("does not count against its tool's health when the one above ran out of time", async () => {
    const inner = tool("inner", {
      execute: (_, ctx) =>
        new Promise((_resolve, reject) =>
          ctx.signal.addEventListener("abort", () => reject(new Error("stopped"))),
        ),
    });
    const outer = tool("outer", { timeoutMs: 5, execute: (_, ctx) => ctx.call({ name: "inner" }) });
    const tenon = open({ tools: [inner, outer], health: { criticalErrors: 2 } });
    for (let index = 0; index < 2; index++) await tenon.call({ name: "outer" });
    expect(tenon.registry.state("inner")).toBe("Ready");
    expect(tenon.registry.state("outer")).toBe("Disabled");
  });

  it("after the one above was stopped is cancelled at once", async () => {
    const late = gate<string | undefined>();
    const go = gate();
    let ran = false;
    const inner = tool("inner", { execute: () => (ran = true) });
    const outer = tool("outer", {
      timeoutMs: 10,
      async execute(_, ctx) {
        await go.passed;
        late.open((await ctx.call({ name: "inner" })).error?.code);
      },
    });
    const tenon = open({ tools: [inner, outer], cancelGraceMs: 10 });
    expect(await tenon.call({ name: "outer" })).toFailWith("TIMED_OUT");
    go.open();
    expect(await late.passed).toBe("CANCELLED");
    expect(ran).toBe(false);
  });

  it("that nobody waits for keeps the locks of the one above until it is done", async () => {
    const go = gate();
    const log: string[] = [];
    const inner = tool("inner", { execute: () => go.passed.then(() => log.push("inner done")) });
    const outer = tool("outer", {
      annotations: {},
      resources: () => ({ writes: [{ lock: "x" }] }),
      execute: (_, ctx) => void ctx.call({ name: "inner" }),
    });
    const next = tool("next", {
      annotations: {},
      resources: () => ({ writes: [{ lock: "x" }] }),
      execute: () => log.push("next"),
    });
    const tenon = open({ tools: [inner, outer, next] });
    await tenon.call({ name: "outer" });
    const waiting = tenon.call({ name: "next" });
    await until(() => tenon.stats().waiting === 1);
    go.open();
    await waiting;
    expect(log).toEqual(["inner done", "next"]);
  });

  const endless: [string, (ctx: ToolContext) => Promise<unknown>][] = [
    ["itself", (ctx) => ctx.call({ name: "loop" }).then(check)],
    ["itself twice", (ctx) => Promise.all([ctx.call({ name: "loop" }), ctx.call({ name: "loop" })])],
    [
      "itself twice, one after the other",
      async (ctx) => [await ctx.call({ name: "loop" }), await ctx.call({ name: "loop" })],
    ],
    [
      "another for ever",
      async (ctx) => {
        for (;;) await ctx.call({ name: "echo", arguments: { text: "x" } });
      },
    ],
  ];

  it.each(endless)("without end is stopped: a tool that calls %s", async (_, execute) => {
    const loop = tool("loop", { timeoutMs: 300, execute: (_input, ctx) => execute(ctx) });
    const tenon = open({ tools: [loop, echo], cancelGraceMs: 50 });
    const started = Date.now();
    const answer = await tenon.call({ name: "loop" });
    expect(Date.now() - started).toBeLessThan(underLoad(15_000));
    if (!answer.success) expect(["TIMED_OUT", "EXECUTION_FAILED"]).toContain(answer.error?.code);
    expect(await tenon.call({ name: "echo", arguments: { text: "still there" } })).toSucceed();
  });

  it("is seen in the stream of the one above", async () => {
    const outer = tool("outer", {
      execute: (_, ctx) => ctx.call({ name: "echo", arguments: { text: "a" } }),
    });
    const items = await collect(open({ tools: [outer, echo] }).stream({ name: "outer" }));
    expect(
      items.map((item) =>
        item.type === "result" ? "result" : `${item.type}:${(item.payload as { toolName: string }).toolName}`,
      ),
    ).toEqual([
      "TOOL_CALL_REQUESTED:outer",
      "TOOL_CALL_STARTED:outer",
      "TOOL_CALL_REQUESTED:echo",
      "TOOL_CALL_STARTED:echo",
      "TOOL_CALL_COMPLETED:echo",
      "TOOL_CALL_COMPLETED:outer",
      "result",
    ]);
  });

  it("a thousand of them at once are all answered", async () => {
    const outer = tool("outer", {
      execute: async (_, ctx) => {
        const calls = Array.from({ length: 1000 }, (_unused, n) =>
          ctx.call({ name: "echo", arguments: { text: `${n}` } }),
        );
        return (await Promise.all(calls)).filter(({ success }) => success).length;
      },
    });
    expect(await open({ tools: [outer, echo] }).call({ name: "outer" })).toSucceedWith(1000);
  });
});

function check(answer: { success: boolean; error?: { message: string } | undefined }): unknown {
  if (!answer.success) throw new Error(answer.error?.message);
  return answer;
}
