import { describe, expect, it } from "vitest";
import type { StreamItem } from "../index.js";
import { collect, echo, gate, open, tool, until, watch } from "../../test/spine-fixture.js";

const typesOf = (items: readonly StreamItem[]) => items.map(({ type }) => type);

describe("a generator", () => {
  it("reports while it runs and answers with what it returns", async () => {
    const tenon = open({
      tools: [
        tool("count", {
          async *execute() {
            yield "one";
            yield { message: "two", progress: 2, total: 3, forged: "x", callId: "forged" } as never;
            return { counted: 3 };
          },
        }),
      ],
    });
    const items = await collect(tenon.stream({ id: "c1", name: "count" }));
    expect(typesOf(items)).toEqual([
      "TOOL_CALL_REQUESTED",
      "TOOL_CALL_STARTED",
      "TOOL_CALL_PROGRESS",
      "TOOL_CALL_PROGRESS",
      "TOOL_CALL_COMPLETED",
      "result",
    ]);
    expect(items[2]).toMatchObject({ payload: { requestId: "c1", toolName: "count", output: "one" } });
    expect(items[3]).toMatchObject({ payload: { requestId: "c1", message: "two", progress: 2, total: 3 } });
    expect(items[3]).not.toHaveProperty("payload.forged");
    expect(items[3]).not.toMatchObject({ payload: { callId: "forged" } });
    expect(items.at(-1)).toMatchObject({ envelope: { success: true, result: { counted: 3 } } });
  });

  it("is the same for call, also where a promise of one comes back", async () => {
    async function* generate() {
      yield "a";
      return "end";
    }
    const tenon = open({
      tools: [tool("direct", { execute: generate }), tool("promised", { execute: async () => generate() })],
    });
    const progress = new Set<string>();
    tenon.on("TOOL_CALL_PROGRESS", ({ toolName }) => progress.add(toolName));
    expect(
      (await tenon.callMany([{ name: "direct" }, { name: "promised" }])).map(({ result }) => result),
    ).toEqual(["end", "end"]);
    expect(progress).toEqual(new Set(["direct", "promised"]));
  });

  it("that fails half-way keeps what it reported", async () => {
    const tenon = open({
      tools: [
        tool("half", {
          async *execute() {
            yield "so far";
            throw new Error("no further");
          },
        }),
      ],
    });
    const items = await collect(tenon.stream({ name: "half" }));
    expect(typesOf(items).slice(2)).toEqual(["TOOL_CALL_PROGRESS", "TOOL_CALL_FAILED", "result"]);
    expect(items.at(-1)).toMatchObject({ envelope: { error: { message: "no further" } } });
  });

  it("is ended when its call is, so that it can tidy up", async () => {
    const tidied = gate<string>();
    const waiting = gate();
    const tenon = open({
      tools: [
        tool("endless", {
          async *execute(_, { signal }) {
            try {
              for (;;) {
                yield "x";
                waiting.open();
                await new Promise((resolve) => {
                  signal.addEventListener("abort", resolve);
                });
              }
            } finally {
              tidied.open("tidy");
            }
          },
        }),
      ],
    });
    const cancel = new AbortController();
    const running = tenon.call({ name: "endless", signal: cancel.signal });
    await waiting.passed;
    cancel.abort();
    expect(await running).toFailWith("CANCELLED");
    expect(await tidied.passed).toBe("tidy");
    await until(() => tenon.stats().running === 0);
  });

  it("is ended once, whether its call stops while it works or it fails by itself", async () => {
    for (const isAborted of [true, false]) {
      const [asked, step] = [gate(), gate<IteratorResult<string>>()];
      let ended = 0;
      const iterator = {
        [Symbol.asyncIterator]() {
          return this;
        },
        next: () => (asked.open(), step.passed),
        return: () => (ended++, Promise.resolve({ done: true, value: undefined })),
      };
      const tenon = open({ tools: [tool("own", { execute: () => iterator })] });
      const cancel = new AbortController();
      const running = tenon.call({ name: "own", signal: cancel.signal });
      await asked.passed;
      if (isAborted) cancel.abort();
      else step.fail(new Error("broken"));
      expect(await running).toFailWith(isAborted ? "CANCELLED" : "EXECUTION_FAILED");
      step.open({ done: false, value: "late" });
      await until(() => tenon.stats().running === 0);
      expect(ended).toBe(1);
    }
  });

  it("of one's own making needs no return, and may answer at once", async () => {
    let count = 0;
    const iterator = {
      [Symbol.asyncIterator]() {
        return this;
      },
      next: () => (++count < 3 ? { done: false, value: `${count}` } : { done: true, value: count }),
    };
    const failing = {
      [Symbol.asyncIterator]() {
        return this;
      },
      next: () => {
        throw new Error("from next");
      },
    };
    const tenon = open({
      tools: [tool("own", { execute: () => iterator }), tool("bad", { execute: () => failing })],
    });
    expect(await tenon.call({ name: "own" })).toSucceedWith(3);
    expect((await tenon.call({ name: "bad" })).error?.message).toBe("from next");
  });

  it("that returns nothing has the last result that it yielded, and reports none of them", async () => {
    const streaming = (make: () => AsyncGenerator<unknown, unknown>) =>
      collect(open({ tools: [tool("s", { execute: make as never })] }).stream({ name: "s" }));
    const yielding = await streaming(async function* () {
      yield { success: true, data: "first" };
      yield "working";
      yield { success: true, data: "last" };
    });
    const said = (items: Awaited<ReturnType<typeof streaming>>) =>
      items.flatMap((item) => (item.type === "TOOL_CALL_PROGRESS" ? [item.payload] : []));
    expect(said(yielding)).toMatchObject([{ output: "working" }]);
    expect(yielding.at(-1)).toMatchObject({ type: "result" });
    expect(JSON.stringify(yielding.at(-1))).toContain('"last"');
    const returning = await streaming(async function* () {
      yield { success: true, data: "yielded" };
      return "returned";
    });
    expect(JSON.stringify(returning.at(-1))).toContain('"returned"');
  });

  it("that reports after its answer, or whose tool emits then, is not heard", async () => {
    const late = gate<() => void>();
    const tenon = open({
      tools: [tool("chatty", { execute: (_, ctx) => (late.open(() => ctx.emit("late")), "done") })],
    });
    const events = watch(tenon);
    await tenon.call({ name: "chatty" });
    (await late.passed)();
    expect(events.map(({ type }) => type)).not.toContain("TOOL_CALL_PROGRESS");
  });

  it("can report anything; what is no report is told in words", async () => {
    const tenon = open({
      tools: [
        tool("odd", {
          async *execute() {
            for (const value of [5, null, undefined, true, Symbol("s"), { progress: "x" }, []])
              yield value as never;
            return "ok";
          },
        }),
      ],
    });
    expect(await tenon.call({ name: "odd" })).toSucceedWith("ok");
  });
});

describe("a stream", () => {
  it("gives each call's events in order and each result once, as they come", async () => {
    const slow = gate();
    const tenon = open({ tools: [echo, tool("slow", { execute: () => slow.passed })] });
    const items: StreamItem[] = [];
    for await (const item of tenon.stream([
      { id: "s", name: "slow" },
      { id: "e", name: "echo", arguments: { text: "a" } },
      { id: "x", name: "nope" },
    ])) {
      items.push(item);
      if (items.filter(({ type }) => type === "result").length === 2) slow.open();
    }
    const results = items.flatMap((item) =>
      item.type === "result" ? [item.envelope.metadata.requestId] : [],
    );
    expect(results).toHaveLength(3);
    expect(results.at(-1)).toBe("s");
    const of = (id: string) =>
      items.flatMap((item) => {
        const own =
          item.type === "result"
            ? item.envelope.metadata.requestId
            : (item.payload as { requestId?: string }).requestId;
        return own === id ? [item.type] : [];
      });
    expect(of("s")).toEqual(["TOOL_CALL_REQUESTED", "TOOL_CALL_STARTED", "TOOL_CALL_COMPLETED", "result"]);
    expect(of("x")).toEqual(["TOOL_CALL_REQUESTED", "TOOL_CALL_FAILED", "result"]);
  });

  it("starts nothing before somebody looks", async () => {
    let ran = false;
    const tenon = open({ tools: [tool("run", { execute: () => (ran = true) })] });
    const stream = tenon.stream({ name: "run" });
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(ran).toBe(false);
    await collect(stream);
    expect(ran).toBe(true);
  });

  it("that is left cancels what still runs", async () => {
    const signals: AbortSignal[] = [];
    const tenon = open({
      cancelGraceMs: 5,
      tools: [
        echo,
        tool("hang", {
          execute: (_, { signal }) => {
            signals.push(signal);
            return new Promise(() => {});
          },
        }),
      ],
    });
    for await (const item of tenon.stream([
      { name: "hang" },
      { name: "hang" },
      { name: "echo", arguments: { text: "a" } },
    ])) {
      if (item.type === "result") break;
    }
    await until(() => tenon.stats().running === 0);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
  });

  it("heeds the signal of the request as well", async () => {
    const cancel = new AbortController();
    const tenon = open({ cancelGraceMs: 5, tools: [tool("hang", { execute: () => new Promise(() => {}) })] });
    setTimeout(() => cancel.abort(), 10);
    const items = await collect(tenon.stream({ name: "hang", signal: cancel.signal }));
    expect(items.at(-1)).toMatchObject({ envelope: { error: { code: "CANCELLED" } } });
  });

  it("misses nothing while its reader is slow", async () => {
    const tenon = open({
      tools: [
        tool("many", {
          async *execute() {
            for (let index = 0; index < 500; index++) yield { progress: index };
            return "end";
          },
        }),
      ],
    });
    const seen: number[] = [];
    for await (const item of tenon.stream({ name: "many" })) {
      if (item.type === "TOOL_CALL_PROGRESS") seen.push(item.payload.progress ?? -1);
      if (seen.length % 100 === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    }
    expect(seen).toEqual(Array.from({ length: 500 }, (_, index) => index));
  });
});

describe("callMany", () => {
  it("answers in the order of the requests, good and bad", async () => {
    const tenon = open({
      tools: [
        echo,
        tool("after", {
          execute: (input: never) =>
            new Promise((resolve) =>
              setTimeout(() => resolve((input as { n: number }).n), 10 - (input as { n: number }).n),
            ),
        }),
      ],
    });
    const answers = await tenon.callMany([
      ...Array.from({ length: 8 }, (_, n) => ({ name: "after", arguments: { n } })),
      { name: "nope" },
      { name: "echo", arguments: { text: "last" } },
    ]);
    expect(answers.map(({ result, error }) => result ?? error?.code)).toEqual([
      0,
      1,
      2,
      3,
      4,
      5,
      6,
      7,
      "TOOL_NOT_FOUND",
      { text: "last" },
    ]);
  });
});
