import { expect, it } from "vitest";
import { countOf, lineEndingOf, toLineFeeds } from "./line-ends.js";
import { lastAtOrBefore } from "./last-at-or-before.js";
import { normalizeLineEnds } from "./normal-text.js";

it.each([
  ["", "none"],
  ["a", "none"],
  ["a\n", "lf"],
  ["\n\n", "lf"],
  ["a\r", "cr"],
  ["\r\r", "cr"],
  ["a\r\nb\r\n", "crlf"],
  ["a\r\nb\n", "mixed"],
  ["a\r\nb\r", "mixed"],
  ["\n\r", "mixed"],
  ["\r\n\n\r", "mixed"],
] as const)("says that the lines of %j end with %s", (text, ending) => {
  expect(lineEndingOf(text)).toBe(ending);
});

it("writes every line end as a line feed", () => {
  expect(toLineFeeds("a\r\nb\rc\n\r\r\n")).toBe("a\nb\nc\n\n\n");
  expect(toLineFeeds("a\nb")).toBe("a\nb");
});

it("counts from one place up to another, none overlapping", () => {
  expect([
    countOf("aaaa", "a"),
    countOf("aaaa", "aa"),
    countOf("aaaa", "a", 1),
    countOf("aaaa", "a", 1, 3),
  ]).toEqual([4, 2, 3, 2]);
  expect([countOf("abab", "b", 0, 3), countOf("abab", "b", 0, 4), countOf("", "b")]).toEqual([1, 2, 0]);
});

it("finds the last position at or before another one", () => {
  const all = [0, 3, 4, 9, 20];
  for (let count = 1; count <= all.length; count += 1)
    for (let position = -1; position < 25; position += 1) {
      const wanted = Math.max(
        0,
        all.slice(0, count).findLastIndex((one) => one <= position),
      );
      expect(lastAtOrBefore(count, (at) => all[at] as number, position)).toBe(wanted);
    }
  expect(lastAtOrBefore(0, () => 0, 5)).toBe(0);
});

it("tells where each character stood before line ends were written as line feeds, in any order", () => {
  for (const packed of ["", "a\nb", "\r\n", "a\r\nb\r\n\r\nc", "\r\n\r\nx", "a\rb\r\n", "x\r\r\ny\n"])
    for (const lone of [true, false]) {
      const { text, original } = normalizeLineEnds(packed, lone);
      expect(text).toBe(packed.replaceAll(lone ? /\r\n?/g : /\r\n/g, "\n"));
      const starts = [...packed.matchAll(/\r\n|[^]/g)].map(({ index }) => index).concat(packed.length);
      const forward = starts.map((_, at) => original(at));
      const backward = starts.map((_, at) => original(starts.length - 1 - at)).toReversed();
      expect([packed, forward, backward]).toEqual([packed, starts, starts]);
    }
});
