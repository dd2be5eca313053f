import { describe, expect, it } from "vitest";
import { compileIgnoreFile } from "./ignore-file.js";
import { compileWildmatch } from "./wildmatch.js";

describe("a pattern of an ignore file", () => {
  // As git's wildmatch() reads them, with WM_PATHNAME.
  it.each([
    ["x/*", ["x/y"], ["x/y/z", "x", "xy"]],
    ["x/**", ["x/y", "x/y/z"], ["x", "y/x"]],
    ["x/**/b", ["x/b", "x/p/b", "x/p/q/b"], ["x/pb", "b", "x/p/q"]],
    ["**/b", ["b", "p/b", "p/q/b"], ["pb", "b/p"]],
    ["a**/b", ["axx/b", "a/b"], ["a/x/b", "axx/y/b"]],
    ["x/**b", ["x/b", "x/ab"], ["x/p/b"]],
    ["[ab:x:]", ["a", "b", ":", "x"], ["c", "ab"]],
    ["[[ab:]", ["[", "a", "b", ":"], ["c"]],
    ["[[:digit:]x]", ["7", "x"], ["d", ":", "["]],
    ["[[:nonsense:]x]", [], ["x", ":"]],
    ["[!a-c]", ["d", "-"], ["a", "b", "c"]],
    ["[a-]", ["a", "-"], ["b"]],
    ["[]a]", ["]", "a"], ["b"]],
    ["[a", [], ["a", "[a"]],
    [String.raw`\*a`, ["*a"], ["ba"]],
    ["a?c", ["abc"], ["ac", "a/c"]],
    ["**", ["x", "x/y", ""], []],
    ["**\\/b", ["p/b", "p/q/b"], ["b", "pb"]],
    ["a/**\\/b", ["a/p/b", "a/p/q/b"], ["a/b", "ab"]],
    ["[a-c", [], ["a", "[a-c"]],
    ["[a-\\", [], ["a", "[a-"]],
    ["[c-a]", ["c"], ["a", "b", "-"]],
    ["[a-\\c]", ["a", "b", "c"], ["d", "\\"]],
    ["[a-c-e]", ["a", "b", "c", "-", "e"], ["d"]],
    ["[!]a]", ["b"], ["]", "a"]],
    ["[^a]", ["b", "^"], ["a"]],
    ["[-b]", ["-", "b"], ["a"]],
    ["a[/]b", [], ["a/b", "ab"]],
    ["a[!x]b", ["ayb"], ["a/b", "axb"]],
    ["[[:alpha:]-z]", ["a", "-", "z"], ["1"]],
    ["a\\", [], ["a", "a\\"]],
    ["*/b", ["a/b"], ["b", "a/c/b"]],
    ["a*", ["a", "ab"], ["b", "a/b"]],
    ["a*c", ["ac", "abc"], ["ab", "a/c", "bac"]],
  ])("%s", (pattern, matching, others) => {
    const { test } = compileWildmatch(pattern, "path");
    expect([...matching, ...others].filter(test)).toEqual(matching);
  });
});

describe("an ignore file", () => {
  const judge = (text: string, name: string, directory = false) =>
    compileIgnoreFile(text).judge({ name, within: "", directory });

  it("ignores with a rule for folders only folders", () => {
    expect([judge("a/\n", "a"), judge("a/\n", "a", true)]).toEqual([undefined, true]);
    expect([judge("*.d/\n", "x.d"), judge("*.d/\n", "x.d", true)]).toEqual([undefined, true]);
  });

  it("follows the last rule that matches", () => {
    expect(judge("a\n!b\n", "a", true)).toBe(true);
    expect([judge("a/\n!a\n", "a", true), judge("!a\na/\n", "a", true)]).toEqual([false, true]);
    expect(judge("*.log\n!keep.log\n", "keep.log")).toBe(false);
    expect(judge("!keep.log\n*.log\n", "keep.log")).toBe(true);
  });
});
