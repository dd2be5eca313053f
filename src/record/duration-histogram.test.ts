import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DurationHistogram } from "./duration-histogram.js";

const duration = fc.double({ min: 1e-6, max: 1e9, noNaN: true });

function nearestRank(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(1, Math.ceil(share * sorted.length)) - 1]!;
}

describe("DurationHistogram", () => {
  it("gives every percentile to within 1 %", () => {
    fc.assert(
      fc.property(
        fc.array(duration, { minLength: 1, maxLength: 300 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (values, share) => {
          const histogram = new DurationHistogram();
          for (const value of values) histogram.record(value);
          const exact = nearestRank(values, share);
          expect(Math.abs(histogram.percentile(share) - exact)).toBeLessThanOrEqual(exact * 0.01);
        },
      ),
    );
  });

  it("knows what came in since an earlier copy", () => {
    fc.assert(
      fc.property(fc.array(duration), fc.array(duration), (before, after) => {
        const histogram = new DurationHistogram();
        for (const value of before) histogram.record(value);
        const earlier = histogram.copy();
        for (const value of after) histogram.record(value);
        const expected = new DurationHistogram();
        for (const value of after) expected.record(value);
        const since = histogram.since(earlier);
        expect(since.count).toBe(after.length);
        const shares = [0, 0.25, 0.5, 0.95, 1];
        expect(since.percentiles(shares)).toEqual(expected.percentiles(shares));
      }),
    );
  });

  it("adds another one up as if all had been recorded in one", () => {
    const left = new DurationHistogram();
    const right = new DurationHistogram();
    const both = new DurationHistogram();
    for (let ms = 1; ms <= 1000; ms++) {
      (ms % 3 === 0 ? left : right).record(ms);
      both.record(ms);
    }
    left.add(right);
    expect(left.count).toBe(1000);
    expect(left.percentiles([0.5, 0.95, 0.99])).toEqual(both.percentiles([0.5, 0.95, 0.99]));
  });

  it("answers 0 when nothing was recorded or all was forgotten", () => {
    const histogram = new DurationHistogram();
    expect(histogram.percentiles([0.5, 0.99])).toEqual([0, 0]);
    histogram.record(5);
    histogram.clear();
    expect(histogram.count).toBe(0);
    expect(histogram.percentile(0.5)).toBe(0);
  });

  it("takes the shortest and the longest durations there are", () => {
    const histogram = new DurationHistogram();
    for (const ms of [0, Number.MIN_VALUE, Number.MAX_VALUE]) histogram.record(ms);
    expect(histogram.percentile(0.5)).toBeLessThan(0.00001);
    expect(histogram.percentile(1)).toBeGreaterThan(1e10);
    expect(Number.isFinite(histogram.percentile(1))).toBe(true);
  });
});
