import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { TenonEvent } from "../contract/events.js";
import { boundValue } from "./bound-value.js";
import { LiveCalls } from "./live-calls.js";

const common = (callId: string) => ({ callId, toolName: "t", sessionId: "s", agent: "a" });
const requested = (callId: string, args: unknown = {}): TenonEvent => ({
  type: "TOOL_CALL_REQUESTED",
  time: 1,
  payload: { ...common(callId), arguments: args },
});
const started = (callId: string): TenonEvent => ({
  type: "TOOL_CALL_STARTED",
  time: 2,
  payload: { ...common(callId), waitedMs: 0 },
});
const said = (callId: string, output: string): TenonEvent => ({
  type: "TOOL_CALL_PROGRESS",
  time: 3,
  payload: { ...common(callId), output },
});
const completed = (callId: string): TenonEvent => ({
  type: "TOOL_CALL_COMPLETED",
  time: 4,
  payload: { ...common(callId), result: 1, durationMs: 2 },
});

describe("live calls", () => {
  it("go through their states, newest first", () => {
    const calls = new LiveCalls();
    for (const event of [requested("a"), requested("b"), started("a"), completed("b")]) calls.take(event);
    expect(calls.list(10).map(({ callId, state }) => [callId, state])).toEqual([
      ["b", "succeeded"],
      ["a", "running"],
    ]);
    expect(calls.unfinished).toBe(1);
  });

  it("say when a person was asked and answered, and go on from where they were", () => {
    const calls = new LiveCalls();
    const event = (type: string, time: number, payload: object): void =>
      calls.take({ type, time, payload: { callId: "a", ...payload } } as never);
    calls.take(requested("a"));
    event("APPROVAL_REQUESTED", 5, {});
    expect(calls.get("a")).toMatchObject({ state: "asking", askedAt: 5 });
    event("APPROVAL_RESOLVED", 6, { verdict: "once" });
    expect(calls.get("a")).toMatchObject({
      state: "waiting",
      askedAt: 5,
      answeredAt: 6,
      approval: { verdict: "once" },
    });
    calls.take(started("a"));
    event("QUESTION_ASKED", 7, {});
    expect(calls.get("a")).toMatchObject({ state: "asking", askedAt: 7 });
    expect(calls.get("a")).not.toHaveProperty("answeredAt");
    event("QUESTION_ANSWERED", 8, { outcome: "answered" });
    expect(calls.get("a")).toMatchObject({
      state: "running",
      startedAt: 2,
      answeredAt: 8,
      approval: { verdict: "once" },
    });
    event("APPROVAL_REQUESTED", 9, { callId: "unknown" });
    expect(calls.list(10)).toHaveLength(1);
  });

  it("that fail before anybody heard of them are there too, with their error", () => {
    const calls = new LiveCalls();
    const error = { code: "TOOL_NOT_FOUND", message: "not found" };
    calls.take({ type: "TOOL_CALL_FAILED", time: 3, payload: { ...common("a"), error } } as never);
    expect(calls.get("a")).toMatchObject({ callId: "a", state: "failed", requestedAt: 3, endedAt: 3 });
    expect(calls.unfinished).toBe(0);
    expect(calls.running()).toEqual([]);
  });

  it("are found by the id that their caller gave, the newest first, and only by those who may see them", () => {
    const calls = new LiveCalls();
    for (const [callId, sessionId] of [
      ["a", "mine"],
      ["b", "mine"],
      ["c", "theirs"],
    ] as const)
      calls.take({
        type: "TOOL_CALL_REQUESTED",
        time: 1,
        payload: { ...common(callId), sessionId, requestId: "given", arguments: {} },
      });
    const mine = (sessionId: string): boolean => sessionId === "mine";
    expect(calls.get("given")?.callId).toBe("c");
    expect(calls.get("given", mine)?.callId).toBe("b");
    expect(calls.get("c", mine)).toBeUndefined();
    expect(calls.list(10, mine).map(({ callId }) => callId)).toEqual(["b", "a"]);
    expect(calls.list(1, mine).map(({ callId }) => callId)).toEqual(["b"]);
    expect(calls.running()).toHaveLength(3);
  });

  it("stay bounded whatever comes, and never lose a running one before one that ended", () => {
    const names = fc.constantFrom("a", "b", "c", "d", "e", "f");
    const event = fc.oneof(
      names.map((name) => requested(name)),
      names.map(started),
      names.map(completed),
      fc
        .tuple(names, fc.integer({ min: 0, max: 200_000 }))
        .map(([name, size]) => said(name, "x".repeat(size))),
    );
    fc.assert(
      fc.property(fc.array(event, { maxLength: 60 }), (events) => {
        const calls = new LiveCalls({ maxCalls: 3, maxChars: 300_000 });
        for (const one of events) {
          calls.take(one);
          const kept = calls.list(100);
          expect(kept.length).toBeLessThanOrEqual(3);
          expect(calls.unfinished).toBe(kept.filter(({ endedAt }) => endedAt === undefined).length);
          for (const { callId } of kept)
            expect(calls.get(callId)?.output?.length ?? 0).toBeLessThanOrEqual(64 * 1024);
        }
      }),
      { numRuns: 50 },
    );
    const calls = new LiveCalls({ maxCalls: 2 });
    for (const one of [requested("long"), requested("short"), completed("short"), requested("new")])
      calls.take(one);
    expect(calls.list(10).map(({ callId }) => callId)).toEqual(["new", "long"]);
  });

  it("keep the end of long output", () => {
    const calls = new LiveCalls();
    calls.take(requested("a"));
    for (let count = 0; count < 5000; count++) calls.take(said("a", `line ${count} ${"x".repeat(50)}\n`));
    const { output = "" } = calls.get("a") ?? {};
    expect(output.length).toBe(64 * 1024);
    expect(output).toContain("line 4999 ");
  });
});

describe("a value that is shown", () => {
  it("is the same where it is small, and small JSON whatever it is", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
        const plain: unknown = JSON.parse(JSON.stringify(value));
        const shown = boundValue(plain);
        expect(shown.cut || JSON.stringify(shown.value) === JSON.stringify(plain)).toBe(true);
      }),
    );
    const circle: Record<string, unknown> = { n: 1n, when: new Date(0), bytes: new Uint8Array(5) };
    circle["self"] = circle;
    const wide = Array.from({ length: 100_000 }, () => ({ text: "x".repeat(1000) }));
    const trap = {
      get boom(): never {
        throw new Error("no");
      },
    };
    const hostile = [
      circle,
      wide,
      "y".repeat(10 ** 7),
      { ["k".repeat(10 ** 6)]: wide },
      trap,
      [undefined, () => 1],
    ];
    for (const value of hostile) expect(JSON.stringify(boundValue(value)).length).toBeLessThan(50_000);
    expect(boundValue(circle).value).toMatchObject({
      n: "1",
      when: "1970-01-01T00:00:00.000Z",
      bytes: "[5 bytes]",
    });
    const odd = '{"__proto__":{"a":1}}';
    expect(JSON.stringify(boundValue(JSON.parse(odd)).value)).toBe(odd);
  });
});
