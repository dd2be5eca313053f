import { describe, expect, it } from "vitest";
import { expandBraces } from "./expand-braces.js";
import { PatternError } from "./wildcard.js";

describe("expandBraces", () => {
  it.each([
    ["a", ["a"]],
    ["{a,b}", ["a", "b"]],
    ["x{a,b}y{c,d}", ["xayc", "xayd", "xbyc", "xbyd"]],
    ["{a,{b,c}}", ["a", "b", "c"]],
    ["{{a,b}}", ["{a}", "{b}"]],
    ["{,a}", ["", "a"]],
    ["{a}", ["{a}"]],
    ["{a", ["{a"]],
    ["a}", ["a}"]],
    ["{a{b,c}", ["{ab", "{ac"]],
    [String.raw`\{a,b\}`, [String.raw`\{a,b\}`]],
    [String.raw`{a\,b,c}`, [String.raw`a\,b`, "c"]],
  ])("writes out %j", (pattern, expected) => {
    expect(expandBraces(pattern)).toEqual(expected);
  });

  it.each(["{a..z}", "x{1..100000}", "{a,b}".repeat(20), `{${"a,".repeat(1000)}b}`])(
    "refuses %j",
    (pattern) => {
      expect(() => expandBraces(pattern)).toThrow(PatternError);
    },
  );
});
