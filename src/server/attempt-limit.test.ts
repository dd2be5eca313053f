import { describe, expect, it } from "vitest";
import { AttemptLimit } from "./attempt-limit.js";

/** A limit with a clock, and how often in a row somebody may be wrong from now on. */
function start(maxWrong = 3) {
  const time = { now: 0 };
  const limit = new AttemptLimit({ now: () => time.now, maxWrong, windowMs: 60_000 });
  const attempt = (address: string, name?: string): number | undefined => {
    try {
      limit.wrong(address, name);
      return undefined;
    } catch (error) {
      return (error as { retryAfter: number }).retryAfter;
    }
  };
  return { time, attempt };
}

describe("wrong attempts", () => {
  it("are refused after the limit, until the time is over, and longer for those who come back at once", () => {
    const { time, attempt } = start();
    expect([1, 2, 3, 4].map(() => attempt("1.2.3.4"))).toEqual([undefined, undefined, undefined, 60]);
    time.now = 30_500;
    expect([attempt("1.2.3.4"), attempt("5.6.7.8")]).toEqual([30, undefined]);
    time.now = 60_001;
    expect([1, 2, 3, 4].map(() => attempt("1.2.3.4"))).toEqual([undefined, undefined, undefined, 120]);
    time.now = 1_000_000;
    expect([1, 2, 3, 4].map(() => attempt("1.2.3.4"))).toEqual([undefined, undefined, undefined, 60]);
  });

  it("are counted for a name as well, and for the whole network of an IPv6 address", () => {
    const { attempt } = start(1);
    expect([attempt("1.1.1.1", "ann"), attempt("2.2.2.2", "ann")]).toEqual([undefined, 60]);
    expect([attempt("2001:db8::1"), attempt("2001:db8::2"), attempt("2001:db8:0:1::1")]).toEqual([
      undefined,
      60,
      undefined,
    ]);
  });

  it("are remembered of ten thousand addresses", () => {
    const { attempt } = start(1);
    attempt("first");
    for (let at = 1; at < 10_000; at++) attempt(`other ${at}`);
    expect(attempt("first")).toBe(60);
    for (let at = 1; at <= 10_000; at++) attempt(`another ${at}`);
    expect(attempt("first")).toBeUndefined();
  });
});
