import { describe, expect, it } from "vitest";
import type { ToolEnvelope } from "../contract/call.js";
import { ToolExecutionError, ToolUnavailableError } from "../contract/errors.js";
import { createFixture, open, tool } from "../../test/spine-fixture.js";

function start(members: object = {}) {
  const ran: unknown[] = [];
  const work = tool("work", {
    execute: (input) => {
      ran.push(input);
      return { run: ran.length };
    },
    ...members,
  });
  const outer = tool("outer", {
    execute: async (_input, ctx) => {
      const call = () => ctx.call({ name: "work", arguments: { a: 1 }, idempotencyKey: "k" } as never);
      return [(await call()).result, (await call()).result];
    },
  });
  const tenon = open({ tools: [work, outer] }, createFixture());
  const call = (input: unknown, more: object = {}) =>
    tenon.call({ name: "work", arguments: input, idempotencyKey: "k", ...more });
  return { tenon, call, ran };
}

const isRepeated = ({ metadata }: ToolEnvelope): boolean => metadata["repeated"] === true;

describe("the same call, by its key", () => {
  it.each<[unknown, unknown]>([
    [
      { a: 1, b: 2 },
      { b: 2, a: 1 },
    ],
    [{ deep: { x: [{ p: 1, q: null }], y: "t" } }, { deep: { y: "t", x: [{ q: null, p: 1 }] } }],
    [{}, {}],
  ])("is one with the same data: %j and %j", async (one, other) => {
    const { call, ran } = start();
    const answers = [await call(one), await call(other)];
    expect(answers.map(isRepeated)).toEqual([false, true]);
    expect(answers.map(({ result }) => result)).toEqual([{ run: 1 }, { run: 1 }]);
    expect(answers[1]?.callId).toBe(answers[0]?.callId);
    expect(ran).toHaveLength(1);
  });

  it.each<[unknown, unknown]>([
    [{ list: [1, 2] }, { list: [2, 1] }],
    [{ a: null }, { a: {} }],
    [{ a: null }, {}],
    [{ a: 1 }, { a: "1" }],
    [{ a: ["b", 1] }, { a: { b: 1 } }],
    [
      { a: 1, b: 2 },
      { a: 2, b: 1 },
    ],
    [{ deep: { x: 1 } }, { deep: { x: 2 } }],
  ])("is not one with other data: %j and %j", async (one, other) => {
    const { call, ran } = start();
    expect(await call(one)).toSucceed();
    expect((await call(other)).success).toBe(false);
    expect(ran).toHaveLength(1);
  });

  it("counts only where the caller sent a key, and not for calls that a tool makes", async () => {
    const { tenon, call } = start();
    const free = { idempotencyKey: undefined };
    expect([(await call({}, free)).result, (await call({}, free)).result]).toEqual([{ run: 1 }, { run: 2 }]);
    expect((await tenon.call({ name: "outer" })).result).toEqual([{ run: 3 }, { run: 4 }]);
  });

  it("is told to listeners each time", async () => {
    const { tenon, call } = start();
    const ended: string[] = [];
    tenon.on("TOOL_CALL_COMPLETED", ({ callId }) => void ended.push(callId));
    const first = await call({});
    await call({});
    expect(ended).toHaveLength(2);
    expect(ended[0]).toBe(first.callId);
  });
});

describe("the failure of a call with a key", () => {
  const failing = (error: () => Error, members: object) => {
    let runs = 0;
    const made = start({
      retry: { attempts: 0 },
      execute: () => {
        if (++runs === 1) throw error();
        return "done";
      },
      ...members,
    });
    return { ...made, runs: () => runs };
  };
  const passing = () => new ToolUnavailableError("busy", { retryable: true });
  const final = () => new ToolExecutionError("broken", { retryable: false });

  it.each<[string, () => Error, object, boolean]>([
    ["that may pass, of a tool that only reads", passing, { annotations: { readOnly: true } }, false],
    ["that may pass, of one that can be called twice", passing, { annotations: { idempotent: true } }, false],
    ["that may pass, of any other", passing, { annotations: { dangerous: false } }, true],
    ["that is final, of a tool that only reads", final, { annotations: { readOnly: true } }, true],
    ["that is final, of any other", final, { annotations: { dangerous: false } }, true],
  ])("%s is the answer again: %#", async (_what, error, members, isKept) => {
    const { tenon, call, runs } = failing(error, members);
    await tenon.remember({ decision: "allow", tool: "work" });
    const first = await call({});
    const again = await call({});
    expect(first.success).toBe(false);
    expect([isRepeated(again), runs()]).toEqual([isKept, isKept ? 1 : 2]);
    if (isKept) expect(again.error?.message).toBe(first.error?.message);
    else expect(again).toSucceed();
  });
});
