import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ToolDefinitionError, ToolUnavailableError } from "../contract/errors.js";
import { type QuotaRule, createQuotas } from "./quotas.js";
import { randomCases } from "../../test/setup/random-cases.js";

const call = (
  over: Partial<{ toolName: string; agent: string; sessionId: string; taskId: string }> = {},
) => ({
  toolName: "web_fetch",
  agent: "main",
  sessionId: "s1",
  ...over,
});

function errorOf(run: () => void): ToolUnavailableError | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    if (error instanceof ToolUnavailableError) return error;
    throw error;
  }
}

describe("quotas of an hour or a day", () => {
  it("for an endpoint or a user do not count calls without one", () => {
    for (const rule of [{ endpoint: "*" }, { user: "*" }]) {
      const quotas = createQuotas([{ ...rule, perHour: 1 }], { now: () => 0 });
      for (let at = 0; at < 3; at++) expect(errorOf(() => quotas.take(call()))).toBeUndefined();
      expect(quotas.uses()).toEqual([]);
    }
  });

  it("are listed by how much of them is used", () => {
    const rules = ["a", "b", "c"].map((tool, at) => ({ tool, perHour: [10, 2, 4][at]! }));
    const quotas = createQuotas(rules, { now: () => 0 });
    for (const toolName of ["a", "a", "b", "c", "c", "c"]) quotas.take(call({ toolName }));
    expect(quotas.uses().map(({ used, limit }) => [used, limit])).toEqual([
      [3, 4],
      [1, 2],
      [2, 10],
    ]);
  });

  it("count each user and endpoint alone, let go what is a whole time old, and never sooner", () => {
    let now = 1_800_000_000_000;
    const quotas = createQuotas([{ user: "a*", endpoint: "*", perHour: 2 }], { now: () => now });
    const of = (userId?: string, endpoint: string | undefined = "x") =>
      errorOf(() => quotas.take({ ...call(), userId, endpoint }));
    expect([of("ann"), of("ann")]).toEqual([undefined, undefined]);
    expect(of("ann")?.message).toContain("2 calls an hour");
    expect([of("abe"), of("ann", "y"), of("bob"), of(undefined), of("bob")]).toEqual(
      Array(5).fill(undefined),
    );
    expect(quotas.tightest({ userId: "ann", endpoint: "x" })).toMatchObject({
      used: 2,
      limit: 2,
      user: "ann",
    });
    expect(quotas.tightest({ userId: "bob", endpoint: "x" })).toBeUndefined();
    now += 3_600_000 - 1;
    expect(of("ann")?.code).toBe("QUOTA_SPENT");
    now += 60_001;
    expect(of("ann")).toBeUndefined();
    // A clock that is set back locks nobody out.
    now -= 10 * 3_600_000;
    expect(of("ann")).toBeUndefined();
    expect(quotas.uses().every(({ used, limit }) => used <= limit)).toBe(true);
  });
});

describe("createQuotas", () => {
  it("refuses the call beyond the minute's limit and says when it frees", () => {
    let now = 1_000_000;
    const quotas = createQuotas([{ tool: "web_*", perMinute: 2 }], { now: () => now });
    quotas.take(call());
    now += 10_000;
    quotas.take(call());
    const error = errorOf(() => quotas.take(call()));
    expect(error).toMatchObject({
      code: "QUOTA_SPENT",
      retryable: true,
      details: { availableAt: 1_060_000 },
    });
    expect(error?.message).toContain(new Date(1_060_000).toISOString());
    now = 1_059_999;
    expect(errorOf(() => quotas.take(call()))).toBeDefined();
    now = 1_060_000;
    quotas.take(call());
    expect(errorOf(() => quotas.take(call()))?.details?.["availableAt"]).toBe(1_070_000);
  });

  it("never frees a task's or a session's quota within it", () => {
    let now = 0;
    const quotas = createQuotas([{ perTask: 1 }, { perSession: 2 }], { now: () => now });
    quotas.take(call({ taskId: "t1" }));
    now = 10 ** 9;
    const error = errorOf(() => quotas.take(call({ taskId: "t1" })));
    expect(error).toMatchObject({
      code: "QUOTA_SPENT",
      retryable: false,
      details: { availableAt: null, per: "task" },
    });
    quotas.take(call({ taskId: "t2" }));
    expect(errorOf(() => quotas.take(call({ taskId: "t3" })))?.details).toMatchObject({ per: "session" });
    quotas.take(call({ taskId: "t4", sessionId: "s2" }));
  });

  it("counts a call without a task against its session's own task", () => {
    const quotas = createQuotas([{ perTask: 1 }], { now: () => 0 });
    quotas.take(call());
    expect(errorOf(() => quotas.take(call()))).toBeDefined();
    quotas.take(call({ sessionId: "s2" }));
  });

  it("counts each tool and agent alone where the rule names them, together where not", () => {
    const each = createQuotas([{ tool: "*", agent: "*", perSession: 1 }], { now: () => 0 });
    each.take(call());
    each.take(call({ toolName: "other" }));
    each.take(call({ agent: "helper" }));
    expect(errorOf(() => each.take(call()))).toBeDefined();
    const all = createQuotas([{ perSession: 1 }], { now: () => 0 });
    all.take(call());
    expect(errorOf(() => all.take(call({ toolName: "other", agent: "helper" })))).toBeDefined();
  });

  it("keeps apart what only looks alike", () => {
    const quotas = createQuotas([{ tool: "*", agent: "*", perSession: 1 }], { now: () => 0 });
    quotas.take(call({ toolName: 'a","b', agent: "c" }));
    quotas.take(call({ toolName: "a", agent: 'b","c' }));
    quotas.take(call({ toolName: "__proto__", agent: "constructor" }));
    expect(errorOf(() => quotas.take(call({ toolName: "__proto__", agent: "constructor" })))).toBeDefined();
  });

  it("does nothing without rules", () => {
    let asked = 0;
    const quotas = createQuotas([], { now: () => asked++ });
    for (let i = 0; i < 1000; i++) quotas.take(call());
    expect(asked).toBe(0);
  });

  it.each([
    [{}],
    [{ perMinute: -1 }],
    [{ perMinute: NaN }],
    [{ perTask: Infinity }],
    [{ perSession: 1.5 }],
    [{ perMinute: "3" }],
    [{ tool: "", perMinute: 1 }],
  ])("refuses the rule %j", (rule) => {
    expect(() => createQuotas([rule as QuotaRule], { now: () => 0 })).toThrow(ToolDefinitionError);
  });

  it("is not locked by a clock that is set back", () => {
    let now = 10 ** 9;
    const quotas = createQuotas([{ perMinute: 1 }], { now: () => now });
    quotas.take(call());
    now = 1000;
    expect(errorOf(() => quotas.take(call()))?.details?.["availableAt"]).toBe(61_000);
    now = 61_000;
    quotas.take(call());
  });

  it("forgets the oldest of very many sessions, not the recent ones", () => {
    const quotas = createQuotas([{ perSession: 1 }], { now: () => 0 });
    for (let i = 0; i < 30_000; i++) quotas.take(call({ sessionId: `s${i}` }));
    expect(errorOf(() => quotas.take(call({ sessionId: "s29999" })))).toBeDefined();
    quotas.take(call({ sessionId: "s0" }));
  });

  it("equals a plain count over the history, and a refused call spends nothing", () => {
    const step = fc.record({
      wait: fc.integer({ min: 0, max: 40_000 }),
      toolName: fc.constantFrom("a", "b"),
      agent: fc.constantFrom("x", "y"),
      sessionId: fc.constantFrom("s1", "s2"),
      taskId: fc.constantFrom("t1", "t2"),
    });
    const limit = fc.option(fc.integer({ min: 0, max: 5 }), { nil: undefined });
    const rule = fc
      .record({
        tool: fc.constantFrom(undefined, "*", "a"),
        agent: fc.constantFrom(undefined, "*", "y"),
        perMinute: limit,
        perTask: limit,
        perSession: limit,
      })
      .filter((r) => (r.perMinute ?? r.perTask ?? r.perSession) !== undefined);
    fc.assert(
      fc.property(fc.array(rule, { maxLength: 3 }), fc.array(step, { maxLength: 60 }), (rules, steps) => {
        let now = 100_000;
        const quotas = createQuotas(rules, { now: () => now });
        const taken: ((typeof steps)[number] & { at: number })[] = [];
        for (const one of steps) {
          now += one.wait;
          const allowed = rules.every((r) => {
            const hit = (pattern: string | undefined, value: string) =>
              pattern === undefined || pattern === "*" || pattern === value;
            if (!hit(r.tool, one.toolName) || !hit(r.agent, one.agent)) return true;
            const peers = taken.filter(
              (t) =>
                (r.tool === undefined || t.toolName === one.toolName) &&
                (r.agent === undefined || t.agent === one.agent),
            );
            return (
              peers.filter((t) => t.at > now - 60_000).length < (r.perMinute ?? Infinity) &&
              peers.filter((t) => t.taskId === one.taskId).length < (r.perTask ?? Infinity) &&
              peers.filter((t) => t.sessionId === one.sessionId).length < (r.perSession ?? Infinity)
            );
          });
          const error = errorOf(() => quotas.take(one));
          expect(error === undefined).toBe(allowed);
          if (allowed) taken.push({ ...one, at: now });
        }
      }),
      { numRuns: randomCases(300) },
    );
  });
});
