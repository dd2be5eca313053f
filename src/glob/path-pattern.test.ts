import * as fc from "fast-check";
import picomatch from "picomatch";
import { describe, expect, it } from "vitest";
import { compilePathPattern } from "./path-pattern.js";
import { PatternError } from "./wildcard.js";
import { randomCases } from "../../test/setup/random-cases.js";

const nameOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1);
const matches = (pattern: string, path: string): boolean =>
  compilePathPattern(pattern).matches(path, nameOf(path));

describe("compilePathPattern", () => {
  it.each([
    ["*.ts", "a.ts", true],
    ["*.ts", "src/deep/a.ts", true],
    ["*.ts", "a.tsx", false],
    ["src/*.ts", "src/a.ts", true],
    ["src/*.ts", "src/deep/a.ts", false],
    ["src/**/*.ts", "src/deep/er/a.ts", true],
    ["src/**/*.ts", "src/a.ts", true],
    ["./src/*.ts", "src/a.ts", true],
    ["/src/*.ts", "src/a.ts", true],
    ["**", "any/thing", true],
    ["{a,b}/*.{js,ts}", "b/x.ts", true],
    ["{*.md,docs/*.txt}", "deep/a.md", true],
    ["{*.md,docs/*.txt}", "docs/a.txt", true],
    ["{*.md,docs/*.txt}", "deep/a.txt", false],
    [".*", ".env", true],
  ])("takes %j for %j: %s", (pattern, path, expected) => {
    expect(matches(pattern, path)).toBe(expected);
  });

  it.each(["@(a|b)", "../x", "[z-a]", "a/\0", "x".repeat(9000)])("refuses %j", (pattern) => {
    expect(() => compilePathPattern(pattern)).toThrow(PatternError);
  });

  it("answers patterns that make a regular expression hang", () => {
    expect(matches(`${"*a".repeat(200)}*b/**/x`, `${"a".repeat(250)}/x`)).toBe(false);
  });

  it("agrees with picomatch, and never says that it cannot reach what it matches", () => {
    const part = fc.constantFrom("a", "b", "*", "a*", "?", "**", "[ab]", "c.ts", "*.ts");
    const pattern = fc.array(part, { minLength: 2, maxLength: 5 }).map((parts) => parts.join("/"));
    const name = fc.constantFrom("a", "b", "ab", "c.ts", ".x");
    const path = fc.array(name, { minLength: 1, maxLength: 5 }).map((names) => names.join("/"));
    fc.assert(
      fc.property(pattern, path, (glob, tried) => {
        // Whether "x/**" means x itself depends, for picomatch, on how x is written.
        fc.pre(!glob.endsWith("/**"));
        const compiled = compilePathPattern(glob);
        const expected = picomatch(glob, { dot: true, posix: true })(tried);
        expect(compiled.matches(tried, nameOf(tried))).toBe(expected);
        if (!expected) return;
        const names = tried.split("/");
        for (let depth = 1; depth < names.length; depth += 1) {
          expect(compiled.reaches(names.slice(0, depth).join("/"))).toBe(true);
        }
      }),
      { numRuns: randomCases(3000) },
    );
  });
});
