import { getEventListeners } from "node:events";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ToolCancelledError, ToolExecutionError, ToolTimeoutError } from "../contract/errors.js";
import { DeadlineWheel } from "../scheduler/deadline-wheel.js";
import { CallState, startClock, waitAhead } from "./call-state.js";

beforeEach(() => void vi.useFakeTimers({ now: 1000 }));
afterEach(() => void vi.useRealTimers());

/** Calls with limits on a wheel of their own, whose time only passes with `pass`. */
function open() {
  const monotonic = (): number => Date.now();
  const parts = {
    clock: { now: () => Date.now() * 10, monotonic },
    deadlines: new DeadlineWheel({ monotonic }),
  };
  const session = { id: "s" };
  return { make: (origin: object = {}) => new CallState({ session, ...origin } as never, parts as never) };
}

const pass = (ms: number) => vi.advanceTimersByTime(ms);

const [first, second] = [new ToolExecutionError("first"), new ToolExecutionError("second")];

describe("the state of a call", () => {
  it("knows when it began, by both clocks, and how deep it is", () => {
    const { make } = open();
    const outer = make();
    expect([outer.startedAt, outer.startedMonotonic, outer.depth]).toEqual([10_000, 1000, 0]);
    const inner = make({ parent: { state: outer } });
    expect(inner.depth).toBe(1);
    expect(make({ parent: { state: inner } }).depth).toBe(2);
    // A fallback is below the call that it answers for.
    expect(make({ parent: { state: outer }, fallbackFor: { state: inner } }).depth).toBe(2);
  });

  it("is untrusted where its tool reaches outside, or where a call that it made did", () => {
    const call = open().make();
    expect(call.untrusted).toBe(false);
    call.resolved = { settings: { annotations: { openWorld: false } } } as never;
    expect(call.untrusted).toBe(false);
    call.tainted = true;
    expect(call.untrusted).toBe(true);
    call.tainted = false;
    call.resolved = { settings: { annotations: { openWorld: true } } } as never;
    expect(call.untrusted).toBe(true);
  });

  it("collects notes, the last of each name", () => {
    const call = open().make();
    call.note({ cached: true });
    call.note({ retries: 1 });
    call.note({ cached: false });
    expect(call.notes).toEqual({ cached: false, retries: 1 });
  });
});

describe("a call that must stop", () => {
  it("tells all who listen once, with the first reason, and those who come later at once", () => {
    const call = open().make();
    const heard: unknown[] = [];
    call.onAbort((reason) => heard.push(["a", reason]));
    call.onAbort((reason) => heard.push(["b", reason]));
    call.onAbort((reason) => heard.push(["c", reason]));
    expect(call.aborted).toBeUndefined();
    call.abort(first);
    call.abort(second);
    expect(call.aborted).toBe(first);
    expect(heard).toEqual([
      ["a", first],
      ["b", first],
      ["c", first],
    ]);
    call.onAbort((reason) => heard.push(["late", reason]))();
    expect(heard.at(-1)).toEqual(["late", first]);
    expect(heard).toHaveLength(4);
  });

  it.each([
    [0, ["b", "c"]],
    [1, ["a", "c"]],
    [2, ["a", "b"]],
  ])("does not tell listener %i once that has gone", (gone, expected) => {
    const call = open().make();
    const heard: string[] = [];
    const stops = ["a", "b", "c"].map((name) => call.onAbort(() => void heard.push(name)));
    stops[gone]?.();
    // One that has gone cannot send another away.
    stops[gone]?.();
    call.abort(first);
    expect(heard).toEqual(expected);
  });

  it("lets a new first listener in where the first has gone, whom the old one cannot remove", () => {
    const call = open().make();
    const heard: string[] = [];
    const stop = call.onAbort(() => void heard.push("old"));
    stop();
    call.onAbort(() => void heard.push("new"));
    stop();
    call.abort(first);
    expect(heard).toEqual(["new"]);
  });

  it("fires its signal, whenever that is asked for, for any number of listeners", () => {
    const [early, late] = [open().make(), open().make()];
    const { abortSignal } = early;
    expect(early.abortSignal).toBe(abortSignal);
    expect(abortSignal.aborted).toBe(false);
    early.abort(first);
    late.abort(first);
    expect([abortSignal.reason, late.abortSignal.reason]).toEqual([first, first]);
  });

  it("rejects what is raced against it, and forgets what is settled", async () => {
    const call = open().make();
    expect(await call.race(Promise.resolve(7))).toBe(7);
    await expect(call.race(Promise.reject(second))).rejects.toBe(second);
    const racing = call.race(new Promise(() => {}));
    call.abort(first);
    await expect(racing).rejects.toBe(first);
    await expect(call.race(Promise.resolve(7))).rejects.toBe(first);
  });

  it("stops the fallback that answers for it only where the caller stopped it", () => {
    const cancelled = new ToolCancelledError("stop");
    for (const [reason, expected] of [
      [cancelled, cancelled],
      [first, undefined],
    ] as const) {
      const { make } = open();
      const [call, fallback] = [make(), make()];
      call.abort(second);
      call.fallbackCall = fallback;
      call.abort(reason);
      expect(fallback.aborted).toBe(expected);
      expect(call.aborted).toBe(second);
    }
  });
});

describe("a caller's signal", () => {
  it.each([
    ["nothing", undefined, "The caller cancelled the call."],
    ["an error of another kind", first, "The caller cancelled the call."],
    ["a cancellation", new ToolCancelledError("by hand"), "by hand"],
    ["a time limit", new ToolTimeoutError("too long"), "too long"],
  ])("that says %s stops the call with what it says", (_what, reason, message) => {
    const call = open().make();
    const cancel = new AbortController();
    call.listenTo(cancel.signal);
    expect(call.isStoppedByCaller).toBe(false);
    cancel.abort(reason);
    expect(call.aborted?.message).toBe(message);
    expect(call.isStoppedByCaller).toBe(true);
  });

  it("stops the fallback too, whatever it says", () => {
    const { make } = open();
    const [call, fallback] = [make(), make()];
    const cancel = new AbortController();
    call.listenTo(cancel.signal);
    call.fallbackCall = fallback;
    cancel.abort(new ToolTimeoutError("too long"));
    expect(fallback.aborted?.message).toBe("too long");
  });

  it("is let go of when the call ends, also where there are two", () => {
    const call = open().make();
    const signals = [new AbortController(), new AbortController()].map(({ signal }) => signal);
    for (const signal of signals) call.listenTo(signal);
    const listening = () => signals.map((signal) => getEventListeners(signal, "abort").length);
    expect(listening()).toEqual([1, 1]);
    call.end();
    expect(listening()).toEqual([0, 0]);
    expect(call.ended).toBe(true);
  });

  it("is not a failure by itself", () => {
    const call = open().make();
    call.abort(first);
    expect(call.isStoppedByCaller).toBe(false);
    const cancelled = open().make();
    cancelled.abort(new ToolCancelledError("stop"));
    expect(cancelled.isStoppedByCaller).toBe(true);
  });
});

describe("a call that another one made", () => {
  it("stops with it: by its cancellation, or for a reason that is not the fault of its tool", () => {
    const { make } = open();
    const cancelled = new ToolCancelledError("stop");
    for (const [reason, message] of [
      [cancelled, "stop"],
      [new ToolTimeoutError("late"), "The call that made this one was stopped."],
    ] as const) {
      const parent = make();
      const child = make({ parent: { state: parent } });
      child.follow(parent);
      parent.abort(reason);
      expect(child.aborted).toBeInstanceOf(ToolCancelledError);
      expect(child.aborted?.message).toBe(message);
    }
  });

  it("no longer stops with it after its own end", () => {
    const { make } = open();
    const parent = make();
    const child = make({ parent: { state: parent } });
    child.follow(parent);
    child.end();
    parent.abort(first);
    expect(child.aborted).toBeUndefined();
  });
});

describe("the time limit of a call", () => {
  it("is set once, says what was exceeded, and goes with the call", () => {
    const { make } = open();
    const call = make();
    call.startClock("slow", 50);
    call.startClock("slow", 10);
    pass(49);
    expect(call.aborted).toBeUndefined();
    pass(1);
    expect(call.aborted).toMatchObject({
      message: '"slow" exceeded its time limit of 50 ms and was stopped.',
      hint: "Do less in one call, or pass a larger timeoutMs.",
      toolName: "slow",
      details: { timeoutMs: 50 },
    });
    const ended = make();
    ended.startClock("slow", 50);
    ended.end();
    pass(50);
    expect(ended.aborted).toBeUndefined();
    ended.stopClock();
    // After it was stopped, it can be set again.
    ended.startClock("slow", 5);
    pass(5);
    expect(ended.aborted).toBeInstanceOf(ToolTimeoutError);
  });

  it("does not run while a person is waited for, by the call itself or by one below it", () => {
    const { make } = open();
    const outer = make();
    const inner = make({ parent: { state: outer } });
    outer.startClock("outer", 50);
    pass(20);
    const resume = inner.pauseClock();
    // A limit that is set meanwhile waits as well.
    inner.startClock("inner", 10);
    const again = outer.pauseClock();
    pass(100);
    expect([inner.waitedForPersonMs, outer.waitedForPersonMs]).toEqual([100, 100]);
    resume();
    resume();
    expect([inner.waitedForPersonMs, outer.waitedForPersonMs]).toEqual([100, 100]);
    pass(9);
    expect([inner.waitedForPersonMs, outer.waitedForPersonMs]).toEqual([100, 109]);
    expect([inner.aborted, outer.aborted]).toEqual([undefined, undefined]);
    again();
    pass(1);
    expect(inner.aborted?.toolName).toBe("inner");
    pass(28);
    expect(outer.aborted).toBeUndefined();
    pass(1);
    expect(outer.aborted?.toolName).toBe("outer");
    expect([inner.waitedForPersonMs, outer.waitedForPersonMs]).toEqual([100, 109]);
    outer.pauseClock();
    pass(6);
    expect(outer.waitedForPersonMs).toBe(115);
  });

  it.each([
    [undefined, 50, 50],
    [20, 50, 20],
    [60, 50, 60],
    [undefined, null, undefined],
    [20, null, 20],
  ])("is the caller's (%s) before the tool's (%s)", (timeoutMs, own, expected) => {
    const state = open().make();
    const call = { state, entry: { name: "t" }, received: { timeoutMs }, settings: { timeoutMs: own } };
    startClock(call as never);
    pass((expected ?? 90_000) - 1);
    expect(state.aborted).toBeUndefined();
    pass(1);
    expect(state.aborted?.details).toEqual(expected && { timeoutMs: expected });
  });

  it.each([
    [undefined, 50, 50],
    [20, 50, 20],
    [undefined, null, 30_000],
  ])("bounds the tool's code ahead of its work: caller %s, tool %s", async (timeoutMs, own, expected) => {
    const state = open().make();
    const call = { state, entry: { name: "t" }, received: { timeoutMs }, settings: { timeoutMs: own } };
    expect(await waitAhead(call as never, "ready")).toBe("ready");
    pass(90_000);
    expect(state.aborted).toBeUndefined();
    const waiting = waitAhead(call as never, new Promise(() => {}));
    pass(expected - 1);
    expect(state.aborted).toBeUndefined();
    // A long limit is a little later than asked for.
    pass(1 + expected / 30);
    await expect(waiting).rejects.toThrow(`time limit of ${expected} ms`);
  });
});

describe("a call whose caller has left", () => {
  it("works on, but waits for no person any more", () => {
    const { make } = open();
    const call = make();
    call.callerLeft(first);
    call.callerLeft(second);
    expect(call.aborted).toBeUndefined();
    call.pauseClock();
    expect(call.aborted).toBe(first);
  });

  it("stops at once where a person is being waited for", () => {
    const { make } = open();
    const [call, later] = [make(), make()];
    call.pauseClock();
    call.callerLeft(first);
    expect(call.aborted).toBe(first);
    // Who was waited for before does not count.
    later.pauseClock()();
    later.callerLeft(first);
    expect(later.aborted).toBeUndefined();
  });
});
