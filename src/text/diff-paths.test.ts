import { describe, expect, it } from "vitest";
import { namesAgree } from "./diff-paths.js";

describe("namesAgree", () => {
  it.each([
    ["src/x", "src/x", true],
    ["a/src/x", "src/x", true],
    ["src/x", "b/src/x", true],
    ["README.md", ".md", false],
    [".md", "README.md", false],
    ["ab/x", "x", false],
    ["a/x", "b/x", false],
    ["A/x", "x", false],
  ])("%s and %s: %s", (one, other, agree) => {
    expect(namesAgree(one, other)).toBe(agree);
  });
});
