import { describe, expect, it } from "vitest";
import * as z from "zod";
import { type CallRecord, type TenonEvent, ToolExecutionError } from "../index.js";
import { echo, gate, open, tool, until, watch } from "../../test/spine-fixture.js";

const callTypes = (events: readonly TenonEvent[]) =>
  events
    .map(({ type }) => type)
    .filter((type) => type.startsWith("TOOL_CALL") || type.startsWith("APPROVAL"));

describe("events", () => {
  it("come in order for a success, a failure, a retry and every kind of refusal", async () => {
    let tries = 0;
    const tenon = open({
      tools: [
        echo,
        tool("fail", { annotations: {}, execute: () => Promise.reject(new Error("x")) }),
        tool("again", {
          retry: { attempts: 1, delayMs: 1 },
          execute: () => {
            if (++tries === 1) throw new ToolExecutionError("x", { retryable: true });
            return 1;
          },
        }),
        tool("danger", { annotations: { dangerous: true }, execute: () => 1 }),
        tool("off", { execute: () => 1 }),
      ],
    });
    tenon.registry.disable("off");
    const events = watch(tenon);
    const of = async (request: object) => {
      events.length = 0;
      await tenon.call(request as never);
      return callTypes(events);
    };
    const refused = ["TOOL_CALL_REQUESTED", "TOOL_CALL_FAILED"];
    expect(await of({ name: "echo", arguments: { text: "a" } })).toEqual([
      "TOOL_CALL_REQUESTED",
      "TOOL_CALL_STARTED",
      "TOOL_CALL_COMPLETED",
    ]);
    expect(await of({ name: "fail" })).toEqual([
      "TOOL_CALL_REQUESTED",
      "TOOL_CALL_STARTED",
      "TOOL_CALL_FAILED",
    ]);
    expect(await of({ name: "again" })).toEqual([
      "TOOL_CALL_REQUESTED",
      "TOOL_CALL_STARTED",
      "TOOL_CALL_RETRIED",
      "TOOL_CALL_COMPLETED",
    ]);
    for (const request of [
      { name: "nope" },
      { name: "echo" },
      { name: "danger" },
      { name: "off" },
      {},
      { name: "echo", signal: AbortSignal.abort() },
    ]) {
      expect(await of(request)).toEqual(refused);
    }
  });

  it("say who, what and for which task", async () => {
    const tenon = open({ tools: [echo] });
    const events = watch(tenon);
    await tenon
      .createSession({ id: "s1", agent: "ada" })
      .call({ id: "c1", name: "echo", arguments: { text: "a" }, taskId: "t1" });
    for (const event of events.filter(({ type }) => type.startsWith("TOOL_CALL"))) {
      expect(event.payload).toMatchObject({
        requestId: "c1",
        toolName: "echo",
        sessionId: "s1",
        agent: "ada",
        taskId: "t1",
      });
      expect(event.time).toBeTypeOf("number");
    }
    expect(events[0]?.payload).toMatchObject({ arguments: { text: "a" } });
    expect(events.at(-1)?.payload).toMatchObject({ result: { text: "a" } });
  });

  it("harm nobody when a listener throws, rejects or changes what it is given", async () => {
    const tenon = open({ tools: [tool("keep", { execute: (input) => input })] });
    const heard: string[] = [];
    const failed: unknown[] = [];
    tenon.onAny(() => {
      throw new Error("every time");
    });
    const rejecting: () => unknown = () => Promise.reject(new Error("later"));
    tenon.on("TOOL_CALL_STARTED", rejecting);
    // oxlint-disable-next-line typescript/only-throw-error
    tenon.on("TOOL_CALL_COMPLETED", () => {
      throw Object.create(null);
    });
    tenon.on("LISTENER_FAILED", (failure) => failed.push(failure));
    tenon.on("TOOL_CALL_COMPLETED", () => void heard.push("completed"));
    const answer = await tenon.call({ name: "keep", arguments: { a: 1 } });
    expect(answer).toSucceed({ result: { a: 1 } });
    expect(heard).toEqual(["completed"]);
    await until(() => failed.length >= 3);
  });

  it("carry no secrets: neither in arguments, results, progress nor errors", async () => {
    const token = `ghp_${"a1B2".repeat(9)}`;
    const tenon = open({
      tools: [
        tool("leak", {
          input: z.object({ password: z.string(), note: z.string() }),
          annotations: {},
          async *execute(input) {
            yield `using ${token}`;
            return { ...(input as object), token };
          },
        }),
        tool("leakError", {
          annotations: {},
          execute: () =>
            Promise.reject(new ToolExecutionError(`bad ${token}`, { hint: token, details: { token } })),
        }),
        tool("leakAgain", { fallback: "leak2", execute: () => Promise.reject(new Error(`bad ${token}`)) }),
        tool("leak2", { execute: () => 1 }),
      ],
    });
    const events = watch(tenon);
    const answer = await tenon.call({
      name: "leak",
      arguments: { password: "hunter2hunter2", note: `Bearer ${token}` },
    });
    expect((answer.result as { token: string }).token).toBe(token);
    const failed = await tenon.call({ name: "leakError" });
    const fellBack = await tenon.call({ name: "leakAgain" });
    const seen = JSON.stringify([events, failed, fellBack.metadata]);
    expect(seen).not.toContain(token);
    expect(seen).not.toContain("hunter2");
    expect(events.length).toBeGreaterThan(5);
  });

  it("stop for a listener that left", async () => {
    const tenon = open({ tools: [echo] });
    const heard: string[] = [];
    const leave = tenon.on("TOOL_CALL_REQUESTED", () => void heard.push("x"));
    await tenon.call({ name: "echo", arguments: { text: "a" } });
    leave();
    await tenon.call({ name: "echo", arguments: { text: "a" } });
    expect(heard).toHaveLength(1);
  });
});

describe("metrics", () => {
  it("count successes, failures, refusals and waits, and come back to rest", async () => {
    const go = gate();
    const tenon = open({
      config: { tools: { maxConcurrent: 1 } },
      tools: [
        echo,
        tool("fail", { annotations: {}, execute: () => Promise.reject(new ToolExecutionError("x")) }),
        tool("hold", { execute: () => go.passed }),
      ],
    });
    const first = tenon.call({ name: "hold" });
    const rest = [
      tenon.call({ name: "echo", arguments: { text: "a" } }),
      tenon.call({ name: "echo", arguments: { text: 5 } }),
      tenon.call({ name: "fail" }),
    ];
    expect(tenon.metrics.snapshot().overall.concurrency.now).toBe(1);
    go.open();
    await Promise.all([first, ...rest]);
    const { tools, overall } = tenon.metrics.snapshot();
    const of = (name: string) => tools.find(({ toolName }) => toolName === name);
    expect(of("echo")).toMatchObject({
      calls: 2,
      successes: 1,
      failures: 1,
      errors: { ToolValidationError: 1 },
      waits: { count: 1 },
    });
    expect(of("fail")).toMatchObject({ calls: 1, failures: 1, errors: { ToolExecutionError: 1 } });
    expect(overall).toMatchObject({ calls: 4, successes: 2, failures: 2, concurrency: { now: 0, peak: 1 } });
    expect(tenon.registry.getStats()).toMatchObject({ callStats: { echo: { count: 2, failures: 1 } } });
  });

  it("are at rest after timeouts, cancellations, retries, refusals and nested calls", async () => {
    const tenon = open({
      cancelGraceMs: 5,
      tools: [
        echo,
        tool("late", { timeoutMs: 5, execute: () => new Promise(() => {}) }),
        tool("hang", { execute: () => new Promise(() => {}) }),
        tool("again", {
          retry: { attempts: 2, delayMs: 1 },
          execute: () => Promise.reject(new ToolExecutionError("x", { retryable: true })),
        }),
        tool("outer", { execute: (_, ctx) => ctx.call({ name: "late" }) }),
        tool("starts", { init: () => Promise.reject(new Error("x")), execute: () => 1 }),
      ],
    });
    const cancel = new AbortController();
    setTimeout(() => cancel.abort(), 10);
    await tenon.callMany([
      { name: "late" },
      { name: "hang", signal: cancel.signal },
      { name: "again" },
      { name: "outer" },
      { name: "starts" },
      { name: "echo", arguments: { text: "a" } },
    ]);
    await until(() => tenon.stats().running === 0);
    const { tools, overall } = tenon.metrics.snapshot();
    expect(overall.concurrency.now).toBe(0);
    expect(tools.every(({ concurrency }) => concurrency.now === 0)).toBe(true);
    expect(overall.calls).toBe(7);
    expect(tenon.stats()).toMatchObject({ running: 0, waiting: 0, nestedRunning: 0, nestedWaiting: 0 });
    for (const name of ["late", "hang", "again", "outer", "echo"])
      expect(["Ready", "Disabled"]).toContain(tenon.registry.state(name));
  });

  it("leave out a tool whose metrics are switched off", async () => {
    const tenon = open({
      tools: [echo],
      config: { tools: { perTool: { echo: { monitoring: { enableMetrics: false } } } } },
    });
    await tenon.call({ name: "echo", arguments: { text: "a" } });
    expect(tenon.metrics.snapshot().overall.calls).toBe(0);
  });
});

describe("records", () => {
  it("are kept of every call, refusals and nested ones too, before the answer leaves", async () => {
    const kept: CallRecord[] = [];
    let done = 0;
    const tenon = open({
      tools: [
        echo,
        tool("outer", { execute: (_, ctx) => ctx.call({ name: "echo", arguments: { text: "in" } }) }),
      ],
      recorders: [
        { name: "now", record: (record) => void kept.push(record) },
        {
          name: "soon",
          record: async () => {
            await new Promise((resolve) => setTimeout(resolve, 5));
            done++;
          },
        },
      ],
    });
    const outer = await tenon.call({ id: "o", name: "outer", taskId: "t" });
    expect(done).toBe(2);
    await tenon.call({ name: "nope", arguments: { secret: 1 } });
    await tenon.call(null as never);
    expect(done).toBe(4);
    expect(kept.map(({ envelope }) => envelope.toolName)).toEqual(["echo", "outer", "nope", ""]);
    expect(kept[0]).toMatchObject({ parentCallId: outer.callId, taskId: "t", arguments: { text: "in" } });
    expect(kept[2]).toMatchObject({ arguments: { secret: 1 }, envelope: { success: false } });
  });

  it("are waited for, all of them, however long each takes", async () => {
    const done: string[] = [];
    const slow = (name: string, ms: number) => ({
      name,
      record: () =>
        new Promise<void>((resolve) =>
          setTimeout(() => {
            done.push(name);
            resolve();
          }, ms),
        ),
    });
    const told: string[] = [];
    const quick = { name: "quick", record: () => void told.push("quick") };
    const recorders = [slow("first", 60), quick, slow("second", 20), slow("third", 1)];
    await open({ tools: [echo], recorders }).call({ name: "echo", arguments: { text: "a" } });
    expect(done).toEqual(["third", "second", "first"]);
    expect(told).toEqual(["quick"]);
  });

  it("get plain arguments only, however hostile they were", async () => {
    const kept: CallRecord[] = [];
    const tenon = open({
      tools: [echo],
      recorders: [{ name: "now", record: (record) => void kept.push(record) }],
    });
    const hostile = new Proxy(
      {},
      {
        ownKeys: () => {
          throw new Error("trap");
        },
      },
    );
    await tenon.call({ name: "echo", arguments: hostile });
    await tenon.call({ name: "nope", arguments: hostile });
    expect(() => JSON.stringify(kept)).not.toThrow();
  });

  it("that cannot be kept cost no answer, and are told", async () => {
    const failures = new Set<string>();
    const tenon = open({
      tools: [echo],
      recorders: [
        {
          name: "throws",
          record: () => {
            throw new Error("t");
          },
        },
        { name: "rejects", record: () => Promise.reject(new Error("r")) },
        // oxlint-disable-next-line typescript/only-throw-error
        {
          name: "odd",
          record: () => {
            throw Object.create(null);
          },
        },
        { name: "alien", record: () => 5 as never },
      ],
    });
    tenon.on("LISTENER_FAILED", (failure) => failures.add(failure.event));
    expect(await tenon.call({ name: "echo", arguments: { text: "a" } })).toSucceed();
    expect(failures).toEqual(new Set(["record:odd", "record:rejects", "record:throws"]));
  });
});

describe("a task", () => {
  it("holds what was done for it, failures too, in order", async () => {
    const tenon = open({ tools: [echo] });
    await tenon.call({ name: "echo", arguments: { text: "1" }, taskId: "t" });
    await tenon.call({ name: "nope", taskId: "t" });
    await tenon.createSession({ taskId: "t" }).call({ name: "echo", arguments: { text: "2" } });
    await tenon.call({ name: "echo", arguments: { text: "other" }, taskId: "__proto__" });
    await tenon.call({ name: "echo", arguments: { text: "none" } });
    expect(
      (await tenon.task("t"))?.actionsDone.map(({ success, result }) => (success ? result : "failed")),
    ).toEqual([{ text: "1" }, "failed", { text: "2" }]);
    expect((await tenon.task("__proto__"))?.actionsDone).toHaveLength(1);
    expect(await tenon.task("constructor")).toBeUndefined();
  });
});
