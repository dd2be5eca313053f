import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import {
  errorCodes,
  ToolCancelledError,
  ToolError,
  ToolExecutionError,
  ToolInternalError,
  ToolPermissionError,
  ToolResourceNotFoundError,
  ToolSecurityError,
  ToolTimeoutError,
  ToolUnavailableError,
  ToolValidationError,
} from "../index.js";
import { collect, echo, open, tool, watch } from "../../test/spine-fixture.js";
import { randomCases } from "../../test/setup/random-cases.js";
import { anyCharacter } from "../../test/setup/any-character.js";

describe("the envelope", () => {
  it("has the shape of the contract for a success", async () => {
    const tenon = open({ tools: [echo] });
    const before = Date.now();
    const answer = await tenon.call({ id: "c1", name: "echo", arguments: { text: "hi" }, taskId: "t1" });
    expect(answer).toSucceed({ toolName: "echo", result: { text: "hi" } });
    expect(answer.callId).toMatch(/^call_/);
    expect(answer.metadata).toMatchObject({
      requestId: "c1",
      version: "1.0.0",
      taskId: "t1",
      decision: { behavior: "allow" },
    });
    expect(answer.content).toEqual([{ type: "text", text: '{"text":"hi"}' }]);
    expect(answer).not.toHaveProperty("error");
    expect(answer.startedAt).toBeGreaterThanOrEqual(before);
    expect(answer.completedAt).toBeGreaterThanOrEqual(answer.startedAt);
    expect(answer.durationMs).toBeGreaterThanOrEqual(0);
    expect((await tenon.task("t1"))?.actionsDone).toEqual([answer]);
  });

  it("survives JSON with its content, and has no result when it failed", async () => {
    const tenon = open({ tools: [echo] });
    const good = JSON.parse(JSON.stringify(await tenon.call({ name: "echo", arguments: { text: "x" } })));
    expect(good).toMatchObject({ success: true, result: { text: "x" }, content: [{ type: "text" }] });
    const bad = JSON.parse(JSON.stringify(await tenon.call({ name: "echo", arguments: {} })));
    expect(bad).toMatchObject({ success: false, error: { type: "ToolValidationError", retryable: false } });
    expect(bad).not.toHaveProperty("result");
    expect(bad.content[0].text).toContain("ARGUMENTS_INVALID");
  });

  it("says of whom and below what the call was, and nothing that there is none of", async () => {
    let metadata: object | undefined;
    const outer = tool("outer", {
      execute: async (_input, ctx) => void ({ metadata } = await ctx.call({ name: "inner" })),
    });
    const inner = tool("inner", { execute: () => 1 });
    const tenon = open({ tools: [outer, inner] });
    const answer = await tenon
      .createSession({ agent: "ada", clientInfo: { name: "zed" } })
      .call({ name: "outer", taskId: "t" });
    expect(answer.metadata).toMatchObject({ agent: "ada", client: { name: "zed" }, taskId: "t" });
    for (const none of ["parentCallId", "requestId", "attempts", "untrusted", "waitedForPersonMs"])
      expect(answer.metadata).not.toHaveProperty(none);
    expect(metadata).toMatchObject({ parentCallId: answer.callId, client: { name: "zed" }, taskId: "t" });
    const plain = await tenon.call({ name: "inner" });
    for (const none of ["client", "taskId", "parentCallId"]) expect(plain.metadata).not.toHaveProperty(none);
  });

  it("gives every call an id of its own, and an answer the canonical name", async () => {
    const tenon = open({ tools: [{ ...echo, name: "parrot", aliases: ["polly"] }] });
    const answers = await tenon.callMany(
      Array.from({ length: 50 }, () => ({ name: "polly", arguments: { text: "a" } })),
    );
    expect(new Set(answers.map(({ callId }) => callId)).size).toBe(50);
    expect(answers.every(({ toolName }) => toolName === "parrot")).toBe(true);
  });

  it("says of a tool that is not there which one may have been meant", async () => {
    const answer = await open({ tools: [echo] }).call({ name: "ecko", arguments: {} });
    expect(answer).toFailWith("TOOL_NOT_FOUND", { type: "ToolNotFoundError" });
    expect(answer.error?.hint).toContain('"echo"');
  });
});

describe("errors that a tool throws", () => {
  const classes = [
    ToolResourceNotFoundError,
    ToolValidationError,
    ToolPermissionError,
    ToolSecurityError,
    ToolTimeoutError,
    ToolExecutionError,
    ToolUnavailableError,
    ToolInternalError,
  ];

  it.each(classes)("keep their class and code: %o", async (Thrown) => {
    const tenon = open({
      tools: [
        tool("fail", {
          annotations: {},
          execute() {
            throw new Thrown("it broke", { hint: "fix it", details: { n: 1 } });
          },
        }),
      ],
    });
    const { error, success } = await tenon.call({ name: "fail" });
    const expected = new Thrown("it broke");
    expect(success).toBe(false);
    expect(error).toMatchObject({
      type: expected.name,
      code: expected.code,
      hint: "fix it",
      details: { n: 1 },
    });
    expect(error?.message).toContain("it broke");
    expect(errorCodes).toHaveProperty(error?.code ?? "");
  });

  const hostile: [string, () => unknown][] = [
    ["undefined", () => undefined],
    ["null", () => null],
    ["a string", () => "words"],
    ["a symbol", () => Symbol("s")],
    ["a BigInt", () => 10n],
    ["an object without prototype", () => Object.create(null)],
    ["a plain object", () => ({ code: 7, message: 9, name: {} })],
    ["a function", () => () => 1],
    ["a revoked proxy", () => revoked()],
    ["a proxy whose every trap throws", () => throwingProxy()],
    ["an error with throwing getters", () => withThrowingGetters(new Error("x"))],
    ["a Tenon error with throwing getters", () => withThrowingGetters(new ToolExecutionError("x"))],
    ["a frozen Tenon error", () => Object.freeze(new ToolExecutionError("frozen"))],
    ["a Tenon error with circular details", () => new ToolExecutionError("x", { details: circular() })],
    [
      "a Tenon error with BigInt details",
      () => new ToolExecutionError("x", { details: { big: 10n, ok: 1 } }),
    ],
    ["a Tenon error whose message is huge", () => new ToolExecutionError("x".repeat(5_000_000))],
    [
      "a Tenon error whose fields are no strings",
      () => Object.assign(new ToolExecutionError("x"), { message: 5, hint: {} }),
    ],
    ["a rejected promise", () => Promise.reject(new Error("inner")).catch(() => new Error("inner"))],
    ["an error that toString breaks", () => ({ toString: () => ({}), [Symbol.toPrimitive]: () => ({}) })],
  ];

  it.each(hostile)("become a plain envelope: %s", async (_, make) => {
    for (const rejects of [false, true]) {
      const tenon = open({
        tools: [
          tool("fail", {
            // oxlint-disable-next-line typescript/only-throw-error
            execute: () => (rejects ? Promise.reject(make()) : throwIt(make())),
          }),
        ],
      });
      const events = watch(tenon);
      const answer = await tenon.call({ name: "fail" });
      expect(answer).not.toSucceed();
      expect(typeof answer.error?.message).toBe("string");
      expect(answer.error?.message.length).toBeLessThan(5000);
      expect(JSON.parse(JSON.stringify(answer)).error.type).toMatch(/^Tool\w+Error$/);
      expect(events.map(({ type }) => type)).toContain("TOOL_CALL_FAILED");
    }
  });

  it("keep the other details where one is no data", async () => {
    const tenon = open({
      tools: [
        tool("fail", {
          execute() {
            throw new ToolExecutionError("x", { details: { big: 10n, line: 3 } });
          },
        }),
      ],
    });
    const { error } = await tenon.call({ name: "fail" });
    expect(error?.details?.["line"]).toBe(3);
    expect(typeof error?.details?.["big"]).toBe("string");
  });

  it("of foreign kinds are told apart: aborted, timed out, failed", async () => {
    const named = (name: string) => Object.assign(new Error("x"), { name });
    const tenon = open({
      tools: ["AbortError", "TimeoutError", "OtherError"].map((name) =>
        tool(name, { annotations: {}, execute: () => Promise.reject(named(name)) }),
      ),
    });
    const answers = await tenon.callMany(
      ["AbortError", "TimeoutError", "OtherError"].map((name) => ({ name })),
    );
    expect(answers.map(({ error }) => error?.type)).toEqual([
      "ToolCancelledError",
      "ToolTimeoutError",
      "ToolExecutionError",
    ]);
    expect(new ToolCancelledError()).toBeInstanceOf(ToolError);
  });
});

describe("a request of any kind", () => {
  const revokedSignal = () => Object.create(AbortSignal.prototype) as AbortSignal;
  const requests: [string, () => unknown][] = [
    ["undefined", () => undefined],
    ["null", () => null],
    ["a number", () => 7],
    ["NaN", () => Number.NaN],
    ["an empty string", () => ""],
    ["a symbol", () => Symbol("echo")],
    ["a BigInt", () => 1n],
    ["a function", () => () => echo],
    ["an array", () => []],
    ["nothing in it", () => ({})],
    ["a name that is no string", () => ({ name: 1 })],
    ["an empty name", () => ({ name: "" })],
    ["a name that is a revoked proxy", () => ({ name: revoked() })],
    ["a name that is an object with toString", () => ({ name: { toString: () => "echo" } })],
    ["a boxed name", () => ({ name: Object("echo") as unknown })],
    ["an id that is no string", () => ({ ...good(), id: 5 })],
    ["an id that is an object", () => ({ ...good(), id: {} })],
    ["an endless id", () => ({ ...good(), id: "i".repeat(1_000_000) })],
    ["a task that is no string", () => ({ ...good(), taskId: 5 })],
    ["a task that is null", () => ({ ...good(), taskId: null })],
    ["a priority that is NaN", () => ({ ...good(), priority: Number.NaN })],
    ["a priority that is infinite", () => ({ ...good(), priority: Infinity })],
    ["a priority that is a string", () => ({ ...good(), priority: "1" })],
    ["a time limit that is NaN", () => ({ ...good(), timeoutMs: Number.NaN })],
    ["a time limit that is infinite", () => ({ ...good(), timeoutMs: Infinity })],
    ["a time limit of 0", () => ({ ...good(), timeoutMs: 0 })],
    ["a negative time limit", () => ({ ...good(), timeoutMs: -1 })],
    ["a time limit that is null", () => ({ ...good(), timeoutMs: null })],
    ["a time limit that is a string", () => ({ ...good(), timeoutMs: "100" })],
    ["a signal that is none", () => ({ ...good(), signal: {} })],
    ["a signal that is null", () => ({ ...good(), signal: null })],
    ["a signal that only borrowed the prototype", () => ({ ...good(), signal: revokedSignal() })],
    ["a signal that is a revoked proxy", () => ({ ...good(), signal: revoked() })],
    ["a signal that is a proxy whose traps throw", () => ({ ...good(), signal: throwingProxy() })],
    ["a revoked proxy", () => revoked()],
    ["a proxy whose every trap throws", () => throwingProxy()],
    ["throwing getters", () => withThrowingGetters(good())],
    ["a thenable", () => ({ then: 1, name: 5 })],
  ];

  it.each(requests)("is refused in an envelope: %s", async (_, make) => {
    const tenon = open({ tools: [echo] });
    const events = watch(tenon);
    const answer = await tenon.call(make() as never);
    expect(answer).toFailWith("REQUEST_INVALID", { type: "ToolValidationError" });
    expect(answer.error?.hint).toBeTypeOf("string");
    expect(answer.callId).not.toBe("");
    expect(events.map(({ type }) => type)).toEqual(["TOOL_CALL_REQUESTED", "TOOL_CALL_FAILED"]);
    const [many] = await tenon.callMany([make()] as never);
    expect(many).toFailWith("REQUEST_INVALID");
    const items = await collect(tenon.stream([make()] as never));
    expect(items.at(-1)).toMatchObject({ type: "result", envelope: { error: { code: "REQUEST_INVALID" } } });
    JSON.stringify(answer);
  });

  it("is told which of its fields is wrong", async () => {
    const tenon = open({ tools: [echo] });
    const wrong = { id: {}, taskId: 7, priority: "x", timeoutMs: -1, idempotencyKey: 7, argument: {} };
    for (const [field, value] of Object.entries(wrong)) {
      const { error } = await tenon.call({ name: "echo", arguments: { text: "a" }, [field]: value } as never);
      expect(error).toMatchObject({ code: "REQUEST_INVALID", message: expect.stringContaining(field) });
    }
  });

  it("a list that is none is refused as one request", async () => {
    const tenon = open({ tools: [echo] });
    const hostileList = new Proxy([good()], {
      get: (list, key) => {
        if (key === "0") throw new Error("no");
        return Reflect.get(list, key) as unknown;
      },
    });
    for (const list of [
      null,
      undefined,
      5,
      "abc",
      {},
      revoked(),
      revoked([]),
      throwingProxy(),
      hostileList,
    ]) {
      const answers = await tenon.callMany(list as never);
      expect(answers).toHaveLength(1);
      expect(answers[0]).toFailWith("REQUEST_INVALID");
      const items = await collect(tenon.stream(list as never));
      expect(items.at(-1)).toMatchObject({
        type: "result",
        envelope: { error: { code: "REQUEST_INVALID" } },
      });
    }
    expect(await tenon.callMany([])).toEqual([]);
    expect(await collect(tenon.stream([]))).toEqual([]);
    // oxlint-disable-next-line no-sparse-arrays
    expect((await tenon.callMany([, good()] as never)).map(({ success }) => success)).toEqual([false, true]);
    const endless: unknown[] = [];
    endless.length = 2 ** 32 - 1;
    expect(await tenon.callMany(endless as never)).toHaveLength(1);
  });

  it("odd but legal fields are taken", async () => {
    const tenon = open({ tools: [echo] });
    const answers = await tenon.callMany([
      { ...good(), timeoutMs: 2 ** 31 },
      { ...good(), timeoutMs: 1e308 },
      { ...good(), timeoutMs: 0.5 },
      { ...good(), priority: -1e9 },
      { ...good(), priority: 1e308 },
      { ...good(), id: "" },
      Object.create(good()) as ReturnType<typeof good>,
      Object.assign(Object.create(null) as object, good()),
    ]);
    expect(answers.map(({ success }) => success)).toEqual(answers.map(() => true));
  });

  it("the request is read once", async () => {
    const tenon = open({ tools: [echo] });
    const reads: string[] = [];
    const request = new Proxy(good(), {
      get(target, key) {
        reads.push(String(key));
        return Reflect.get(target, key) as unknown;
      },
    });
    await tenon.call(request);
    expect(reads).toEqual([...new Set(reads)]);
  });

  it("names of what every object has lead nowhere", async () => {
    const tenon = open({ builtIns: false });
    for (const name of ["constructor", "__proto__", "toString", "hasOwnProperty", "valueOf", "prototype"]) {
      const answer = await tenon.call({ name, arguments: {} });
      expect(answer).toFailWith("TOOL_NOT_FOUND");
      expect(tenon.validate(name, {}).valid).toBe(false);
    }
  });

  it("validate answers whatever it is asked, and runs nothing", async () => {
    let runs = 0;
    const tenon = open({
      tools: [
        tool("count", {
          input: z.object({ n: z.number() }),
          init: () => void runs++,
          resources: () => {
            runs++;
            return {};
          },
          checkPermissions: () => {
            runs++;
            return { behavior: "allow" };
          },
          execute: () => runs++,
        }),
        tool("wild", {
          input: z.object({}).refine(() => {
            throw new Error("the schema itself broke");
          }),
          execute: () => 1,
        }),
      ],
    });
    expect(tenon.validate("count", { n: 1 })).toEqual({ valid: true, errors: [] });
    expect(tenon.validate("count", { n: "1" }).valid).toBe(false);
    expect(tenon.validate("wild", {})).toMatchObject({ valid: false });
    for (const name of [undefined, null, 5, {}, Symbol("x"), revoked(), ""]) {
      expect(tenon.validate(name as never, {})).toMatchObject({ valid: false });
    }
    for (const args of [revoked(), throwingProxy(), circular(), 5, "x", () => 1]) {
      expect(tenon.validate("count", args)).toMatchObject({ valid: false });
    }
    expect(runs).toBe(0);
  });
});

describe("any value at all", () => {
  const anything = fc.anything({
    withBigInt: true,
    withDate: true,
    withMap: true,
    withSet: true,
    withNullPrototype: true,
    withObjectString: true,
    withSparseArray: true,
    withTypedArray: true,
    stringUnit: anyCharacter,
  });

  it("as request, arguments or single field gives an envelope that can be sent", async () => {
    const field = fc.record(
      { id: anything, name: fc.oneof(fc.constant("any"), anything), arguments: anything, taskId: anything },
      { requiredKeys: [] },
    );
    const tenon = open({
      tools: [
        tool("any", { execute: (input) => input }),
        tool("json", { input: { type: "object" }, execute: (input) => input }),
        tool("list", { input: [{ name: "a", type: "object" }], execute: (input) => input }),
      ],
    });
    watch(tenon);
    await fc.assert(
      fc.asyncProperty(fc.oneof(anything, field), anything, async (request, args) => {
        const answers = [
          await tenon.call(request as never),
          ...(await tenon.callMany(["any", "json", "list"].map((name) => ({ name, arguments: args })))),
        ];
        for (const answer of answers) {
          expect(JSON.parse(JSON.stringify(answer)).success).toBe(answer.success);
          // A random name is, at worst, that of no tool.
          const refusals = ["ToolValidationError", "ToolNotFoundError"];
          if (!answer.success) expect(refusals).toContain(answer.error?.type);
        }
      }),
      { numRuns: randomCases(300) },
    );
  });

  it("as result, progress or thrown thing gives an envelope that can be sent", async () => {
    let value: unknown;
    const tenon = open({
      health: { criticalErrors: 1e9 },
      tools: [
        tool("returns", { execute: () => value }),
        tool("resolves", { execute: async () => value }),
        tool("renders", { render: () => value as never, execute: () => value }),
        tool("yields", {
          async *execute() {
            yield value as never;
            return value;
          },
        }),
        tool("throws", { annotations: {}, execute: () => throwIt(value) }),
        tool("checks", { checkPermissions: () => value as never, execute: () => 1 }),
        tool("touches", { resources: () => value as never, execute: () => 1 }),
      ],
    });
    watch(tenon);
    const names = ["returns", "resolves", "renders", "yields", "throws", "checks", "touches"];
    await fc.assert(
      fc.asyncProperty(anything, async (any) => {
        value = any;
        const answers = await tenon.callMany(names.map((name) => ({ name })));
        expect(answers.slice(0, 4).every(({ success }) => success)).toBe(true);
        expect(answers[4]).not.toSucceed();
        expect(answers[5]?.error?.type).toBe("ToolPermissionError");
        for (const answer of answers) JSON.parse(JSON.stringify(answer));
      }),
      { numRuns: randomCases(300) },
    );
  });
});

function good() {
  return { name: "echo", arguments: { text: "a" } };
}

function throwIt(thing: unknown): never {
  throw thing;
}

function revoked(target: object = {}): object {
  const { proxy, revoke } = Proxy.revocable(target, {});
  revoke();
  return proxy;
}

function throwingProxy(): object {
  const trap = () => {
    throw new Error("trapped");
  };
  const traps = [
    "get",
    "has",
    "ownKeys",
    "getPrototypeOf",
    "getOwnPropertyDescriptor",
    "set",
    "defineProperty",
  ];
  return new Proxy({}, Object.fromEntries(traps.map((name) => [name, trap])));
}

function withThrowingGetters<T extends object>(target: T): T {
  const names = ["name", "message", "code", "retryable", "hint", "details", "arguments", "stack", "toolName"];
  for (const name of names) {
    Object.defineProperty(target, name, {
      get() {
        throw new Error(`no ${name}`);
      },
      configurable: true,
    });
  }
  return target;
}

function circular(): Record<string, unknown> {
  const one: Record<string, unknown> = {};
  one["self"] = one;
  one["twin"] = { one };
  return one;
}
