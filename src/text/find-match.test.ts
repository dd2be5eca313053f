import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findOccurrences, searchString } from "./find-match.js";

describe("findOccurrences", () => {
  const naive = (text: string, needle: string): number[] =>
    Array.from({ length: text.length }, (_, at) => at).filter((at) => text.startsWith(needle, at));

  it("finds every place, overlapping ones too", () => {
    const few = fc.string({ unit: fc.constantFrom("a", "b"), minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(few, few, fc.integer({ min: 1, max: 12 }), (part, other, times) => {
        for (const text of [
          part.repeat(times) + other,
          other + part.repeat(times),
          `${part}${other}`.repeat(times),
        ])
          for (const needle of [part, other, part + part, part + other, part.repeat(3)])
            expect(findOccurrences(searchString(text), needle)).toEqual(naive(text, needle));
      }),
    );
  });

  it("is quick in a text that repeats itself, with a needle that does", () => {
    const text = "ab".repeat(60_000);
    const found = findOccurrences(searchString(text), "ab".repeat(20_000));
    expect(found).toHaveLength(40_001);
    expect([found[0], found[1], found.at(-1)]).toEqual([0, 2, 80_000]);
  });

  it("stops at a number that nobody needs to know exactly", () => {
    expect(findOccurrences(searchString("a".repeat(100_050)), "a")).toHaveLength(100_000);
  });
});

describe("searchString", () => {
  it("finds from a place on, and gives pieces", () => {
    const { finder, slice } = searchString("abcabc");
    const find = finder("bc");
    expect([find(0), find(1), find(2), find(5), find(6), find(7)]).toEqual([1, 1, 4, -1, -1, -1]);
    const nothing = finder("");
    expect([nothing(6), nothing(7)]).toEqual([6, -1]);
    expect(slice(1, 3)).toBe("bc");
  });
});
