import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compileNames, matchesName } from "./name-glob.js";
import { randomCases } from "../../test/setup/random-cases.js";

describe("matchesName", () => {
  it("agrees with the regular expression that the glob stands for", () => {
    const letters = fc.string({ unit: fc.constantFrom("a", "b", "."), maxLength: 8 });
    const pattern = fc.string({ unit: fc.constantFrom("a", "b", ".", "*", "?"), maxLength: 8 });
    fc.assert(
      fc.property(pattern, letters, (glob, name) => {
        const source = glob.replaceAll(".", "\\.").replaceAll("*", ".*").replaceAll("?", ".");
        expect(matchesName(glob, name)).toBe(new RegExp(`^${source}$`).test(name));
      }),
      { numRuns: randomCases(2000) },
    );
  });

  it("ends soon on a pattern that would hang a backtracking matcher", () => {
    const name = "a".repeat(20_000);
    expect(matchesName(`${"*a".repeat(100)}*b`, name)).toBe(false);
  });

  it("matches separators and nothing but the whole name", () => {
    expect(matchesName("github:*", "github:issues/list")).toBe(true);
    expect(matchesName("read", "read_file")).toBe(false);
    expect(matchesName("", "")).toBe(true);
  });

  it.each([
    ["{read,write}_file", "write_file", true],
    ["{read,write}_file", "edit_file", false],
    ["git_[a-c]*", "git_commit", true],
    ["git_[!a-c]*", "git_commit", false],
    [String.raw`a\*`, "a*", true],
    [String.raw`a\*`, "ab", false],
  ])("reads %j as every other pattern of a person: %j is %j", (pattern, name, expected) => {
    expect(matchesName(pattern, name)).toBe(expected);
  });

  it("takes exceptions out of a list", () => {
    const isMeant = compileNames(["read_*", "!read_secret"]);
    expect(["read_file", "read_secret", "write_file"].map(isMeant)).toEqual([true, false, false]);
    expect(compileNames(["!shell_*"])("read_file")).toBe(true);
  });
});

const foldToolName = (name: string): string => name.normalize("NFKC").toLowerCase();

describe("compileNames", () => {
  it.each([
    [["a"], "a", true],
    [["a"], "b", false],
    [["a", "b"], "b", true],
    [["a*"], "a:b/c.d", true],
    [["{a,b}_x"], "b_x", true],
    [["*", "!secret"], "open", true],
    [["*", "!secret"], "secret", false],
    [["a*", "!ab"], "ac", true],
    [["a*", "!ab"], "ab", false],
    [["a*", "!ab"], "b", false],
    // With nothing but exceptions, all the others are meant.
    [["!a"], "b", true],
    [["!a"], "a", false],
    [["!a", "!b"], "b", false],
    [["!{a,b}"], "b", false],
    [["A"], "a", true],
  ])("%j has %j: %j", (patterns, name, expected) => {
    expect(compileNames(patterns, foldToolName)(name)).toBe(expected);
  });

  it("folds names as the registry does, in the pattern and in the name", () => {
    expect(compileNames(["Ｒead_*"], foldToolName)("READ_FILE")).toBe(true);
    expect(compileNames(["A"], (text) => text)("a")).toBe(false);
  });
});
