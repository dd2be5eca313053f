import * as fc from "fast-check";
import picomatch from "picomatch";
import { describe, expect, it } from "vitest";
import { compileWildcard, escapeWildcard, PatternError, unescapeWildcard } from "./wildcard.js";
import { randomCases } from "../../test/setup/random-cases.js";

describe("compileWildcard", () => {
  it.each([
    ["a", "a", true],
    ["a", "b", false],
    ["*", "anything", true],
    ["*", "", true],
    ["a*", "a", true],
    ["*.ts", "x.ts", true],
    ["*.ts", ".ts", true],
    ["a*c*e", "abcde", true],
    ["a*c*e", "abcdf", false],
    ["a?c", "abc", true],
    ["a?c", "ac", false],
    ["?", "😀", true],
    ["*😀?", "x😀😀", true],
    ["*[!😀]y", "😀y", false],
    ["[a-c]x", "bx", true],
    ["[!a-c]x", "bx", false],
    ["[^a-c]x", "dx", true],
    ["[]a]", "]", true],
    ["[a-]", "-", true],
    [String.raw`[\]]`, "]", true],
    ["a[", "a[", true],
    [String.raw`\*`, "*", true],
    [String.raw`\*`, "x", false],
    ["a*", "a\nb", true],
    ["(a)", "(a)", true],
  ])("matches %j against %j: %s", (pattern, text, expected) => {
    expect(compileWildcard(pattern).test(text)).toBe(expected);
  });

  it.each(["@(a|b)", "!(a)", "x+(y)", "a\\", "[z-a]", "[[:alpha:]]"])("refuses %j", (pattern) => {
    expect(() => compileWildcard(pattern)).toThrow(PatternError);
  });

  it("answers patterns that make a regular expression hang", () => {
    const { test } = compileWildcard(`${"*a".repeat(500)}*b`);
    expect(test("a".repeat(4000))).toBe(false);
    expect(test(`${"a".repeat(4000)}b`)).toBe(true);
  });

  it("agrees with picomatch on single names", () => {
    const piece = fc.constantFrom("a", "b", ".", "*", "?", "[ab]", "[!a]", "[^b]");
    const pattern = fc.array(piece, { minLength: 1, maxLength: 6 }).map((parts) => parts.join(""));
    const text = fc.string({ unit: fc.constantFrom("a", "b", ".", "c"), minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(pattern, text, (glob, name) => {
        // Names that only a path could have mean something else to picomatch.
        fc.pre(!/^\.{1,2}$/.test(name) && !glob.includes("**"));
        // Its short cut for `*.*` wants a letter after the dot, which its own general way and shells do not.
        const isMatch = picomatch(glob, { dot: true, posix: true, fastpaths: false });
        expect(compileWildcard(glob).test(name)).toBe(isMatch(name));
      }),
      { numRuns: randomCases(2000) },
    );
  });

  it("matches only the text itself once that is escaped", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.string({ unit: "grapheme" }), (text, other) => {
        const escaped = escapeWildcard(text);
        expect(unescapeWildcard(escaped)).toBe(text);
        expect(compileWildcard(escaped).literal).toBe(text);
        expect(compileWildcard(escaped).test(other)).toBe(text === other);
      }),
    );
  });
});
