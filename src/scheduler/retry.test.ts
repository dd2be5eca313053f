import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { defaultRetry, retryDelay } from "./retry.js";
import { randomCases } from "../../test/setup/random-cases.js";

const middle = (): number => 0.5;

describe("retryDelay", () => {
  it("starts at one second and doubles up to the cap", () => {
    const delays = [1, 2, 3, 4, 5, 6, 7].map((attempt) => retryDelay(attempt, {}, middle));
    expect(delays).toEqual([1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]);
  });

  it("takes three retries, one second and thirty as the defaults", () => {
    expect(defaultRetry).toEqual({ attempts: 3, delayMs: 1000, maxDelayMs: 30_000 });
    expect(Object.isFrozen(defaultRetry)).toBe(true);
  });

  it("strays by a quarter either way, and only downwards at the cap", () => {
    expect(retryDelay(1, {}, () => 0)).toBe(750);
    expect(retryDelay(1, {}, () => 0.999_999)).toBe(1250);
    expect(retryDelay(9, {}, () => 0)).toBe(22_500);
    expect(retryDelay(9, {}, () => 1)).toBe(22_500);
    expect(retryDelay(9, {}, middle)).toBe(30_000);
  });

  it("waits longer each time until it reaches the cap", () => {
    expect(retryDelay(2, {}, () => 0)).toBeGreaterThan(retryDelay(1, {}, () => 1));
  });

  it("is a finite whole number between nothing and the cap, whatever it is given", () => {
    const odd = fc.oneof(fc.double(), fc.constantFrom(NaN, Infinity, -Infinity, -0, 1e308, 2 ** 31));
    fc.assert(
      fc.property(odd, odd, odd, odd, (attempt, delayMs, maxDelayMs, chance) => {
        const delay = retryDelay(attempt, { delayMs, maxDelayMs }, () => chance);
        const cap = Number.isNaN(maxDelayMs) ? 30_000 : Math.min(Math.max(maxDelayMs, 0), 2 ** 31 - 1);
        expect(Number.isInteger(delay)).toBe(true);
        expect(delay).toBeGreaterThanOrEqual(0);
        expect(delay).toBeLessThanOrEqual(Math.ceil(cap));
      }),
      { numRuns: randomCases(500) },
    );
  });
});
