import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { Extension, HookCall } from "../contract/extension.js";
import { echo, open, tool, watch } from "../../test/spine-fixture.js";

const named = { name: "ext", version: "1.0.0", description: "For tests." };
const say = { name: "echo", arguments: { text: "hi" } };

function start(extension: Partial<Extension>) {
  const outer = tool("outer", { execute: async (_input, ctx) => (await ctx.call(say)).callId });
  const tenon = open({ tools: [echo, outer], extensions: [{ ...named, ...extension }], builtIns: false });
  return { tenon, events: watch(tenon) };
}

describe("the call as a hook sees it", () => {
  it("says whose call it is, of which task and below which", async () => {
    const seen: object[] = [];
    const note = ({ callId, sessionId, taskId, agent, userId, parentCallId }: HookCall): void =>
      void seen.push({ callId, sessionId, taskId, agent, userId, parentCallId });
    const { tenon } = start({
      filter: { names: ["echo"] },
      onToolExecute: (_tool, _input, call) => note(call),
      onToolComplete: (_tool, _answer, call) => note(call),
    });
    const session = tenon.createSession({ id: "s1", agent: "ada", userId: "u1" });
    const outer = await session.call({ name: "outer", taskId: "t1" });
    const expected = {
      callId: outer.result,
      sessionId: "s1",
      taskId: "t1",
      agent: "ada",
      userId: "u1",
      parentCallId: outer.callId,
    };
    expect(seen).toEqual([expected, expected]);
    await tenon.call(say);
    expect(seen[2]).toMatchObject({ taskId: undefined, userId: undefined, parentCallId: undefined });
  });

  it("has one signal, which fires with the call's own end before its time", async () => {
    const signals: AbortSignal[] = [];
    const { tenon } = start({
      onToolExecute: (_tool, _input, call) => {
        signals.push(call.signal, call.signal);
        return new Promise(() => {});
      },
    });
    const leaving = new AbortController();
    const answer = tenon.call({ ...say, signal: leaving.signal });
    await expect.poll(() => signals.length).toBe(2);
    expect(signals[0]).toBe(signals[1]);
    expect(signals[0]?.aborted).toBe(false);
    leaving.abort();
    expect(await answer).toFailWith("CANCELLED");
    expect(signals[0]?.reason).toMatchObject({ code: "CANCELLED" });
  });
});

describe("a hook that takes its time", () => {
  it("is waited for, and what it says counts", async () => {
    const { tenon, events } = start({
      timeoutMs: 5000,
      onToolExecute: async () => (await sleep(5), { input: { text: "later" } }),
      onToolComplete: async () => (await sleep(5), { notes: { seen: true } }),
    });
    const answer = await tenon.call(say);
    expect(answer).toSucceedWith({ text: "later" });
    expect(answer.metadata).toMatchObject({ changedBy: ["ext"], notes: { ext: { seen: true } } });
    expect(events.filter(({ type }) => type === "LISTENER_FAILED")).toEqual([]);
  });

  it("is left behind after its time, and its signal says so", async () => {
    const signals: AbortSignal[] = [];
    const never = (call: HookCall) => (signals.push(call.signal), new Promise<never>(() => {}));
    const { tenon, events } = start({
      timeoutMs: 20,
      onToolExecute: (_tool, _input, call) => never(call),
      onToolComplete: (_tool, _answer, call) => never(call),
    });
    expect(await tenon.call(say)).toSucceedWith({ text: "hi" });
    const message = '"ext" did not answer within 20 ms';
    expect(signals.map(({ reason }) => (reason as Error).message)).toEqual([message, message]);
    const faults = events.flatMap(({ type, payload }) => (type === "LISTENER_FAILED" ? [payload] : []));
    expect(faults).toEqual([
      { event: "extension:ext:onToolExecute", message },
      { event: "extension:ext:onToolComplete", message },
    ]);
  });

  it("is not stopped once it has answered, however short its time is", async () => {
    let signal: AbortSignal | undefined;
    const { tenon } = start({
      timeoutMs: 30,
      onToolExecute: async (_tool, _input, call) => void ({ signal } = call),
      onToolComplete: async () => Promise.reject(new Error("no")),
    });
    expect(await tenon.call(say)).toSucceed();
    await sleep(120);
    expect(signal?.aborted).toBe(false);
  });
});
