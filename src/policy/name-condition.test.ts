import { describe, expect, it } from "vitest";
import { compileNames, foldToolName } from "./name-condition.js";

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
    expect(foldToolName("Ｒead_File")).toBe("read_file");
    expect(compileNames(["Ｒead_*"], foldToolName)("READ_FILE")).toBe(true);
    expect(compileNames(["A"], (text) => text)("a")).toBe(false);
  });
});
