import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeText } from "./decode-text.js";
import { findMatch, findOccurrences, searchString } from "./find-match.js";
import { createSearchSpace } from "./search-space.js";

describe("findMatch", () => {
  /** How it was found, and the text with the new one in its place. */
  function edited(
    text: string,
    oldText: string,
    { newText = "N", replaceAll = false } = {},
  ): readonly [string, string] | undefined {
    const bytes = Buffer.from(text);
    const space = createSearchSpace(bytes, decodeText(bytes, "utf8"));
    const match = findMatch(space, { oldText: space.pack(oldText), newText, replaceAll });
    let result = space.packed;
    for (const { start, end } of match?.spans.toReversed() ?? [])
      result = result.slice(0, start) + (match?.newText ?? "") + result.slice(end);
    return match && [match.how, Buffer.from(result, "latin1").toString()];
  }

  it.each<[string, string, ReturnType<typeof edited>]>([
    ["a é b", "é", ["exact", "a N b"]],
    ["a b a", "a", ["exact", "N b N"]],
    ["abc", "q", undefined],
    ["a\nb\nc", "a\nb", ["exact", "N\nc"]],
    ["a\nb\nc", "a\r\nb", ["line-ends", "N\nc"]],
    ["a\r\nb\r\nc", "a\nb\n", ["line-ends", "Nc"]],
    ["a\r\nb\r\nc", "a\r\nb", ["exact", "N\r\nc"]],
    ["a\rb\rc", "a\nb", ["line-ends", "N\rc"]],
    // Lines of both kinds are meant alike.
    ["a\nb a\r\nb", "a\nb", ["line-ends", "N N"]],
    // Half of a line end is not taken.
    ["a\r\nb", "a\r", ["line-ends", "Nb"]],
    ["a\r\nb", "\nb", ["line-ends", "aN"]],
    // A last line without its end.
    ["a\nb", "b\n", ["line-ends", "a\nN"]],
    ["a\r\nb\r\nc", "b\nc\n", ["line-ends", "a\r\nN"]],
    ["a\nb", "b\n\n", undefined],
    ["ab", "\n", undefined],
  ])("in %j for %j gives %j", (text, oldText, result) => {
    expect(edited(text, oldText)).toEqual(result);
  });

  it("keeps a last line that had no end without one", () => {
    expect(edited("a\nb", "b\n", { newText: "x\r\n" })).toEqual(["line-ends", "a\nx"]);
    expect(edited("a\nb", "b\n", { newText: "x\n\n" })).toEqual(["line-ends", "a\nx\n"]);
  });

  it("takes places that do not overlap where all are meant", () => {
    expect(edited("aaaaa", "aa", { replaceAll: true })).toEqual(["exact", "NNa"]);
    expect(edited("x\r\nx\r\nx\r\n", "x\nx\n", { replaceAll: true })).toEqual(["line-ends", "Nx\r\n"]);
  });

  const nested = "{\n    if (a) {\n        go();\n    }\n}\n";

  it.each<[string, string, string, string, string | undefined]>([
    [
      "deeper",
      nested,
      "if (a) {\n    go();\n}\n",
      "if (b) {\n    run();\n}\n",
      "{\n    if (b) {\n        run();\n    }\n}\n",
    ],
    ["less deep", "if (a)\n  go();\n", "  if (a)\n    go();\n", "    go();\n", "  go();\n"],
    ["by tabs", "\t\ta\n\t\t\tbc\n", "\ta\n\t\tbc\n", "\td\n", "\t\td\n"],
    ["with an empty line between", "  a\n\n  bc\n", "a\n\nbc", "x\n\ny", "  x\n\n  y\n"],
    ["of one letter, behind an empty line", "z\n\n\tx\nz\n", "\n    x\n", "y", undefined],
    ["of an empty line and a letter", "z\n\n  x\nz\n", "\nx\n", "y\n", "z\n  y\nz\n"],
    ["of a single letter", "a\n    x\n", "  x\n", "  y\n", "a\n    y\n"],
    ["in the first lines", "  a\n  bc\nd\n", "a\nbc\n", "x\n", "  x\nd\n"],
    ["in the last lines", "d\n  a\n  bc", "a\nbc", "x", "d\n  x"],
    ["not with a line too many before it", "  bc\n", "a\nbc\n", "x\n", undefined],
    ["not with a line too many behind it", "  bc\n", "bc\na\n", "x\n", undefined],
    ["not of a part of a line", "    bc d\n", "  bc\n", "x\n", undefined],
    ["not behind other text", "q  bc\n", "    bc\n", "x\n", undefined],
    ["not by blanks for tabs", "\ta\n\tbc\n", "    a\n    bc\n", "x\n", undefined],
    ["not by different amounts", "  a\n    bc\n", "a\nbc\n", "x\n", undefined],
    ["not where it fits twice", "  bc\n    bc\n", "bc\nq\n", "x\n", undefined],
    ["not where new lines have less than is removed", "bc\n", "  bc\n", " x\n", undefined],
    ["of blank lines only", "    \n", "  \n\n", "x", undefined],
  ])("finds lines that are indented otherwise, %s", (_, text, oldText, newText, result) => {
    expect(edited(text, oldText, { newText })?.[1]).toBe(result);
  });

  it("counts a single place of lines indented otherwise only", () => {
    expect(edited("  go();\n  x();\n    go();\n    x();\n", "\tgo();\n\tx();\n")).toBeUndefined();
    expect(edited("  go();\n  x();\n", "    go();\n    x();\n", { newText: "    y();\n" })).toEqual([
      "indentation",
      "  y();\n",
    ]);
    expect(
      edited("  go();\n  x();\n  go();\n  x();\n", "    go();\n    x();\n", { newText: "    y();\n" }),
    ).toBeUndefined();
  });
});

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
