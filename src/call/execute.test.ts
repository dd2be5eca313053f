import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { createTestClock } from "../tools/testing/context.js";
import { ToolExecutionError } from "../index.js";
import { echo, gate, open, tool, until, watch } from "../../test/spine-fixture.js";
import { underLoad } from "../../test/setup/under-load.js";

const never = () => new Promise<never>(() => {});

/** A tool that ends when it is told to stop. */
const obedient = (name: string, members: object = {}) =>
  tool(name, {
    execute: (_, { signal }) =>
      new Promise((_resolve, reject) =>
        signal.addEventListener("abort", () => reject(signal.reason as Error)),
      ),
    ...members,
  });

describe("the time limit", () => {
  it("is the tool's, the configuration's or the request's", async () => {
    const tenon = open({
      cancelGraceMs: 10,
      config: { tools: { timeout: 30, perTool: { set: { timeout: 20 } } } },
      tools: [
        tool("own", { timeoutMs: 25, execute: never }),
        tool("general", { execute: never }),
        tool("set", { timeoutMs: 60_000, execute: never }),
        tool("asked", { timeoutMs: 60_000, execute: never }),
        tool("free", { timeoutMs: null, execute: never }),
      ],
    });
    const answers = await tenon.callMany([
      { name: "own" },
      { name: "general" },
      { name: "set" },
      { name: "asked", timeoutMs: 15 },
      { name: "free", timeoutMs: 15 },
    ]);
    expect(answers.map(({ error }) => [error?.type, error?.code, error?.details?.["timeoutMs"]])).toEqual([
      ["ToolTimeoutError", "TIMED_OUT", 25],
      ["ToolTimeoutError", "TIMED_OUT", 30],
      ["ToolTimeoutError", "TIMED_OUT", 20],
      ["ToolTimeoutError", "TIMED_OUT", 15],
      ["ToolTimeoutError", "TIMED_OUT", 15],
    ]);
    for (const { durationMs } of answers) expect(durationMs).toBeLessThan(underLoad(2000));
  });

  it("tells the tool by its signal, with the reason", async () => {
    const told = gate<unknown>();
    const tenon = open({
      tools: [
        tool("slow", {
          timeoutMs: 10,
          execute: (_, { signal }) =>
            new Promise((_resolve, reject) => {
              signal.addEventListener("abort", () => {
                told.open(signal.reason);
                reject(signal.reason as Error);
              });
            }),
        }),
      ],
    });
    expect(await tenon.call({ name: "slow" })).toFailWith("TIMED_OUT");
    expect(await told.passed).toMatchObject({ name: "ToolTimeoutError" });
  });

  it("lets a tool that ignores it go on alone: the answer is in time, its locks stay until it is still", async () => {
    const go = gate();
    const log: string[] = [];
    const held = { annotations: {}, resources: () => ({ writes: [{ lock: "x" }] }) };
    const tenon = open({
      cancelGraceMs: 60_000,
      tools: [
        tool("deaf", {
          ...held,
          timeoutMs: 10,
          execute: () => go.passed.then(() => log.push("deaf is still")),
        }),
        tool("next", { ...held, execute: () => log.push("next") }),
      ],
    });
    expect(await tenon.call({ name: "deaf" })).toFailWith("TIMED_OUT");
    const waiting = tenon.call({ name: "next" });
    await until(() => tenon.stats().waiting === 1);
    expect(log).toEqual([]);
    go.open();
    await waiting;
    expect(log).toEqual(["deaf is still", "next"]);
  });

  it("holds for a generator that ignores it, too: its locks stay until it is still", async () => {
    const go = gate();
    const log: string[] = [];
    const held = { annotations: {}, resources: () => ({ writes: [{ lock: "x" }] }) };
    const tenon = open({
      cancelGraceMs: 60_000,
      tools: [
        tool("deaf", {
          ...held,
          timeoutMs: 10,
          async *execute() {
            try {
              yield "working";
              await go.passed;
              yield "still working";
            } finally {
              log.push("deaf is still");
            }
          },
        }),
        tool("next", { ...held, execute: () => log.push("next") }),
      ],
    });
    expect(await tenon.call({ name: "deaf" })).toFailWith("TIMED_OUT");
    const waiting = tenon.call({ name: "next" });
    await until(() => tenon.stats().waiting === 1);
    go.open();
    await waiting;
    expect(log).toEqual(["deaf is still", "next"]);
  });

  it("gives the locks of a tool that is never still away after the grace", async () => {
    const held = { annotations: {}, resources: () => ({ writes: [{ lock: "x" }] }) };
    const tenon = open({
      cancelGraceMs: 30,
      tools: [
        tool("deaf", { ...held, timeoutMs: 10, execute: never }),
        tool("next", { ...held, execute: () => "ran" }),
      ],
    });
    await tenon.call({ name: "deaf" });
    expect(await tenon.call({ name: "next" })).toSucceedWith("ran");
    await until(() => tenon.stats().running === 0);
  });

  it("ends a generator that yields without ever waiting", async () => {
    const tenon = open({
      tools: [
        tool("flood", {
          timeoutMs: 30,
          async *execute() {
            for (;;) yield "x";
          },
        }),
      ],
    });
    expect(await tenon.call({ name: "flood" })).toFailWith("TIMED_OUT");
    await until(() => tenon.stats().running === 0);
  });

  it("does not begin before the call does", async () => {
    const go = gate();
    const tenon = open({
      config: { tools: { maxConcurrent: 1 } },
      tools: [
        tool("hold", { execute: () => go.passed }),
        tool("quick", { timeoutMs: 40, execute: async () => "done" }),
      ],
    });
    const first = tenon.call({ name: "hold" });
    const second = tenon.call({ name: "quick" });
    setTimeout(go.open, 80);
    expect((await Promise.all([first, second])).map(({ success }) => success)).toEqual([true, true]);
  });

  it("does not begin before the tool is started, but the caller's does", async () => {
    const slowStart = () => new Promise<void>((resolve) => setTimeout(resolve, 60));
    const tenon = open({
      tools: [
        tool("slow", { timeoutMs: 30, init: slowStart, execute: async () => "done" }),
        tool("slower", { timeoutMs: 30, init: slowStart, execute: async () => "done" }),
      ],
    });
    expect(await tenon.call({ name: "slow" })).toSucceed();
    expect(await tenon.call({ name: "slower", timeoutMs: 20 })).toFailWith("TIMED_OUT");
    await until(() => tenon.registry.state("slower") === "Ready");
    expect(await tenon.call({ name: "slower" })).toSucceedWith("done");
    expect(await tenon.registry.unregister("slower")).toBe(true);
  });

  it("of a caller in a hurry is not the fault of the tool", async () => {
    const tenon = open({ tools: [obedient("slow")], health: { criticalErrors: 2 } });
    for (let index = 0; index < 3; index++) {
      expect(await tenon.call({ name: "slow", timeoutMs: 5 })).toFailWith("TIMED_OUT");
    }
    expect(tenon.registry.state("slow")).toBe("Ready");
  });
});

describe("a tool that runs out of time", () => {
  it("by its own limit again and again is taken out of service, by a caller's shorter one it is not", async () => {
    const late = tool("late", { timeoutMs: 20, execute: never });
    const healthOf = async (timeoutMs: number | undefined) => {
      const tenon = open({ cancelGraceMs: 1, health: { criticalErrors: 1 }, tools: [late] });
      const request = { name: "late", ...(timeoutMs !== undefined && { timeoutMs }) };
      expect(await tenon.call(request)).toFailWith("TIMED_OUT", {
        message: `"late" exceeded its time limit of ${timeoutMs ?? 20} ms and was stopped.`,
        hint: "Do less in one call, or pass a larger timeoutMs.",
        details: { timeoutMs: timeoutMs ?? 20 },
      });
      return tenon.registry.state("late");
    };
    expect(await healthOf(undefined)).toBe("Disabled");
    expect(await healthOf(20)).toBe("Disabled");
    expect(await healthOf(5)).not.toBe("Disabled");
  });
});

describe("a call that cannot be recorded", () => {
  const failing = { name: "books", record: () => {}, start: () => Promise.reject(new Error("full")) };
  const recorded = (start: () => unknown, annotations: object) => {
    let ran = 0;
    const tenon = open({
      recorders: [{ ...failing, start: start as never }],
      tools: [tool("change", { annotations, execute: () => ++ran })],
    });
    return tenon.call({ name: "change" }).then((answer) => ({ answer, ran }));
  };

  it("does not run, unless it only reads", async () => {
    const throwing = () => {
      throw new Error("full");
    };
    for (const start of [failing.start, throwing]) {
      const { answer, ran } = await recorded(start, {});
      expect(answer).toFailWith("AUDIT_UNAVAILABLE", {
        message:
          "Nothing was done: a call that may change something runs only where it can be recorded. full",
      });
      expect(ran).toBe(0);
      expect((await recorded(start, { readOnly: true })).ran).toBe(1);
    }
    expect((await recorded(() => undefined, {})).ran).toBe(1);
  });

  it("and is cancelled while its start is recorded does not run either", async () => {
    const cancel = new AbortController();
    const writing = gate();
    let ran = 0;
    const tenon = open({
      recorders: [{ ...failing, start: () => writing.passed }],
      tools: [tool("change", { annotations: {}, execute: () => ++ran })],
    });
    const running = tenon.call({ name: "change", signal: cancel.signal });
    cancel.abort();
    writing.open();
    expect(await running).toFailWith("CANCELLED");
    expect(ran).toBe(0);
  });
});

describe("cancellation", () => {
  it("before the call begins: nothing runs", async () => {
    let ran = false;
    const tenon = open({ tools: [tool("run", { execute: () => (ran = true) })] });
    const answer = await tenon.call({ name: "run", signal: AbortSignal.abort() });
    expect(answer).toFailWith("CANCELLED", { type: "ToolCancelledError", retryable: false });
    expect(ran).toBe(false);
  });

  it("leaves nothing on a signal that outlives its calls", async () => {
    const tenon = open({ tools: [tool("run", { execute: () => 1 })] });
    const { signal } = new AbortController();
    await Promise.all(Array.from({ length: 5 }, () => tenon.call({ name: "run", signal })));
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });

  it("while it waits: it leaves the queue at once and never runs", async () => {
    const go = gate();
    let ran = false;
    const tenon = open({
      config: { tools: { maxConcurrent: 1 } },
      tools: [tool("hold", { execute: () => go.passed }), tool("run", { execute: () => (ran = true) })],
    });
    const first = tenon.call({ name: "hold" });
    const cancel = new AbortController();
    const second = tenon.call({ name: "run", signal: cancel.signal });
    expect(tenon.stats().waiting).toBe(1);
    cancel.abort();
    expect(await second).toFailWith("CANCELLED");
    expect(tenon.stats().waiting).toBe(0);
    go.open();
    await first;
    expect(ran).toBe(false);
  });

  it("while it runs: the answer comes at once, whether the tool heeds it or not", async () => {
    const tenon = open({
      cancelGraceMs: 10,
      tools: [obedient("heeds"), tool("ignores", { execute: never })],
    });
    for (const name of ["heeds", "ignores"]) {
      const cancel = new AbortController();
      const running = tenon.call({ name, signal: cancel.signal });
      await until(() => tenon.stats().running === 1);
      cancel.abort(new Error("a reason of one's own"));
      expect(await running).toFailWith("CANCELLED");
      await until(() => tenon.stats().running === 0);
    }
  });

  it("while it is tried again: no further try", async () => {
    let tries = 0;
    const retried = gate();
    const tenon = open({
      tools: [
        tool("flaky", {
          retry: { delayMs: 60_000, maxDelayMs: 60_000 },
          execute() {
            tries++;
            throw new ToolExecutionError("again", { retryable: true });
          },
        }),
      ],
    });
    tenon.on("TOOL_CALL_RETRIED", () => retried.open());
    const cancel = new AbortController();
    const running = tenon.call({ name: "flaky", signal: cancel.signal });
    await retried.passed;
    cancel.abort();
    expect(await running).toFailWith("CANCELLED");
    expect(tries).toBe(1);
    await until(() => tenon.stats().running === 0);
  });

  it("ends the sleep tool at once", async () => {
    const tenon = open();
    const cancel = new AbortController();
    const started = Date.now();
    const running = tenon.call({ name: "sleep", arguments: { duration: 3600 }, signal: cancel.signal });
    await until(() => tenon.stats().running === 1);
    cancel.abort();
    expect(await running).toFailWith("CANCELLED");
    expect(Date.now() - started).toBeLessThan(underLoad(5000));
    await until(() => tenon.stats().running === 0);
  });

  it("of one signal stops a thousand calls, without a warning of leaks", async () => {
    const warnings: string[] = [];
    const note = (warning: Error) => void warnings.push(warning.name);
    process.on("warning", note);
    const tenon = open({
      tools: [obedient("slow")],
      config: { tools: { maxConcurrent: 50, maxQueued: 2000 } },
    });
    const cancel = new AbortController();
    const running = tenon.callMany(
      Array.from({ length: 1000 }, () => ({ name: "slow", signal: cancel.signal })),
    );
    await until(() => tenon.stats().running === 50);
    cancel.abort();
    const answers = await running;
    expect(answers.every(({ error }) => error?.code === "CANCELLED")).toBe(true);
    await until(() => tenon.stats().running === 0);
    await new Promise((resolve) => setTimeout(resolve, 5));
    process.off("warning", note);
    expect(warnings).toEqual([]);
  });

  it("after the answer changes nothing", async () => {
    const tenon = open({ tools: [echo] });
    const cancel = new AbortController();
    const events = watch(tenon);
    const answer = await tenon.call({ name: "echo", arguments: { text: "a" }, signal: cancel.signal });
    const count = events.length;
    cancel.abort();
    expect(answer).toSucceed();
    expect(events).toHaveLength(count);
  });

  it("that comes while a tool is being started leaves the tool usable", async () => {
    const go = gate();
    const tenon = open({ tools: [tool("slow", { init: () => go.passed, execute: () => "done" })] });
    const cancel = new AbortController();
    const running = tenon.call({ name: "slow", signal: cancel.signal });
    cancel.abort();
    expect(await running).toFailWith("CANCELLED");
    go.open();
    expect(await tenon.call({ name: "slow" })).toSucceedWith("done");
    await until(() => tenon.registry.state("slow") === "Ready");
    expect(await tenon.registry.unregister("slow")).toBe(true);
  });
});

describe("retries", () => {
  const flaky = (fails: number, members: object = {}) => {
    const tries: number[] = [];
    const made = tool("flaky", {
      annotations: { idempotent: true },
      execute() {
        tries.push(tries.length);
        if (tries.length <= fails) throw new ToolExecutionError("again", { retryable: true });
        return "at last";
      },
      ...members,
    });
    return { made, tries };
  };

  /** Let time pass whenever somebody sleeps. */
  const pass = async (clock: ReturnType<typeof createTestClock>, running: Promise<unknown>) => {
    const turn = setInterval(() => clock.advance(100), 1);
    await running;
    clearInterval(turn);
  };

  it("come three times, one second apart at first and doubling", async () => {
    const clock = createTestClock(1_000_000);
    const { made, tries } = flaky(99);
    const tenon = open({ tools: [made], clock, random: () => 0.5 });
    const delays: number[] = [];
    tenon.on("TOOL_CALL_RETRIED", ({ delayMs, attempt }) => {
      expect(attempt).toBe(delays.length + 1);
      delays.push(delayMs);
    });
    const running = tenon.call({ name: "flaky" });
    await pass(clock, running);
    const answer = await running;
    expect(delays).toEqual([1000, 2000, 4000]);
    expect(tries).toHaveLength(4);
    expect(answer).toMatchObject({
      success: false,
      error: { code: "EXECUTION_FAILED" },
      metadata: { attempts: 4 },
    });
  });

  it("succeed when the tool does, and are counted as one call", async () => {
    const { made, tries } = flaky(2, { retry: { delayMs: 1 } });
    const tenon = open({ tools: [made] });
    const answer = await tenon.call({ name: "flaky" });
    expect(answer).toSucceed({ result: "at last", metadata: { attempts: 3 } });
    expect(tries).toHaveLength(3);
    expect(tenon.metrics.snapshot().overall).toMatchObject({ calls: 1, successes: 1, failures: 0 });
  });

  it("are as many as the tool or the configuration says", async () => {
    for (const [retry, config, expected] of [
      [{ attempts: 0 }, {}, 1],
      [{ attempts: 1, delayMs: 1 }, {}, 2],
      [{ attempts: 1, delayMs: 1 }, { retryAttempts: 3 }, 4],
      [{ attempts: 5, delayMs: 1 }, { retryAttempts: 0 }, 1],
    ] as const) {
      const { made, tries } = flaky(99, { retry });
      await open({ tools: [made], config: { tools: { perTool: { flaky: config } } } }).call({
        name: "flaky",
      });
      expect(tries).toHaveLength(expected);
    }
  });

  it("are for read-only and idempotent tools only, and for errors that may pass", async () => {
    const cases: [object, object, number][] = [
      [{ annotations: { readOnly: true } }, { retryable: true }, 2],
      [{ annotations: { idempotent: true } }, { retryable: true }, 2],
      [{ annotations: {} }, { retryable: true }, 1],
      [{ annotations: { idempotent: true } }, { retryable: false }, 1],
    ];
    for (const [members, options, expected] of cases) {
      let tries = 0;
      const made = tool("flaky", {
        retry: { attempts: 1, delayMs: 1 },
        async execute() {
          tries++;
          throw new ToolExecutionError("again", options);
        },
        ...members,
      });
      await open({ tools: [made] }).call({ name: "flaky" });
      expect(tries).toBe(expected);
    }
  });

  it("come for connections that break and for waits inside the tool that time out", async () => {
    for (const error of [
      Object.assign(new Error("reset"), { code: "ECONNRESET" }),
      Object.assign(new Error("slow"), { name: "TimeoutError" }),
    ]) {
      let tries = 0;
      const made = tool("net", {
        retry: { attempts: 2, delayMs: 1 },
        execute: () => (tries++, Promise.reject(error)),
      });
      await open({ tools: [made] }).call({ name: "net" });
      expect(tries).toBe(3);
    }
  });

  it("do not come for arguments, denials, the call's own time limit or results that are wrong", async () => {
    let tries = 0;
    const tenon = open({
      cancelGraceMs: 5,
      tools: [
        tool("slow", { timeoutMs: 5, retry: { delayMs: 1 }, execute: () => (tries++, never()) }),
        tool("wrong", {
          retry: { delayMs: 1 },
          output: { type: "number" },
          execute: () => (tries++, "text"),
        }),
      ],
    });
    expect(await tenon.call({ name: "slow" })).toFailWith("TIMED_OUT");
    expect(await tenon.call({ name: "wrong" })).toFailWith("RESULT_INVALID");
    expect(tries).toBe(2);
  });

  it("end with the time limit, which is for all tries together", async () => {
    const { made, tries } = flaky(99, {
      timeoutMs: 40,
      retry: { attempts: 50, delayMs: 15, maxDelayMs: 15 },
    });
    const answer = await open({ tools: [made] }).call({ name: "flaky" });
    expect(answer).toFailWith("TIMED_OUT");
    expect(tries.length).toBeLessThan(10);
  });

  it("of generators begin again", async () => {
    let tries = 0;
    const made = tool("gen", {
      retry: { delayMs: 1 },
      async *execute() {
        yield `try ${++tries}`;
        if (tries < 3) throw new ToolExecutionError("again", { retryable: true });
        return tries;
      },
    });
    expect(await open({ tools: [made] }).call({ name: "gen" })).toSucceedWith(3);
  });
});

describe("the time in which a person is waited for", () => {
  it("does not count as running time: for consent before the tool and for a question within it", async () => {
    const slowly = <T>(answer: T) => new Promise<T>((resolve) => setTimeout(() => resolve(answer), 400));
    const asks = tool("asks", {
      annotations: {},
      checkPermissions: () => ({ behavior: "ask", reason: "to see" }),
      execute: async (_, ctx) => ({
        said: await ctx.interact.ask({ kind: "ask", message: "Well?" }, ctx.signal),
      }),
    });
    const tenon = open({
      tools: [asks, echo],
      interact: { approve: () => slowly(true), ask: () => slowly("yes") },
    });
    const answer = await tenon.call({ name: "asks", arguments: {} });
    expect(answer).toSucceed();
    expect(answer.metadata.waitedForPersonMs).toBeGreaterThan(700);
    const ran = tenon.metrics.tool("asks")?.duration.max ?? 0;
    // All but the waiting, however slow the machine is.
    expect(ran).toBeLessThanOrEqual(answer.durationMs - 700);
    const record = await tenon.audit.get(answer.callId);
    expect(record?.waitedForPersonMs).toBe(answer.metadata.waitedForPersonMs);
    const { total } = await tenon.audit.usage({ since: 0, until: Date.now() + 1000 }, 1);
    expect(total.people).toEqual({
      calls: 1,
      totalMs: answer.metadata.waitedForPersonMs,
      maxMs: answer.metadata.waitedForPersonMs,
    });
    expect(total.maxMs).toBeCloseTo(answer.durationMs - total.people.totalMs, 3);
    expect((await tenon.call({ name: "echo", arguments: {} })).metadata).not.toHaveProperty(
      "waitedForPersonMs",
    );
  });
});
