import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { matchesGlob } from "./glob.js";

describe("matchesGlob", () => {
  it("agrees with the regular expression that the glob stands for", () => {
    const letters = fc.string({ unit: fc.constantFrom("a", "b", "."), maxLength: 8 });
    const pattern = fc.string({ unit: fc.constantFrom("a", "b", ".", "*", "?"), maxLength: 8 });
    fc.assert(
      fc.property(pattern, letters, (glob, name) => {
        const source = glob.replaceAll(".", "\\.").replaceAll("*", ".*").replaceAll("?", ".");
        expect(matchesGlob(glob, name)).toBe(new RegExp(`^${source}$`).test(name));
      }),
      { numRuns: 2000 },
    );
  });

  it("ends soon on a pattern that would hang a backtracking matcher", () => {
    const name = "a".repeat(20_000);
    expect(matchesGlob(`${"*a".repeat(100)}*b`, name)).toBe(false);
  });

  it("matches separators and nothing but the whole name", () => {
    expect(matchesGlob("github:*", "github:issues/list")).toBe(true);
    expect(matchesGlob("read", "read_file")).toBe(false);
    expect(matchesGlob("", "")).toBe(true);
  });
});
