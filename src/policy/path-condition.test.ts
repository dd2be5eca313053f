import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createGlobSet } from "./path-condition.js";
import { aimsBelow, compilePathGlob, coversTree, matchesPath, mayMatchBelow } from "./path-glob.js";
import { createPathSpace, shapeOf, viewPath, type PathShape } from "./path-space.js";
import { randomCases } from "../../test/setup/random-cases.js";

const space = createPathSpace("/home/me/ws");
const compile = (pattern: string) => compilePathGlob(pattern, { space, wide: false, folding: "exact" });
const shape = (path: string): PathShape => shapeOf(viewPath(path, space), "exact");

describe("a set of globs", () => {
  it("matches what one of its globs matches, whatever the globs have in common", () => {
    const name = fc.constantFrom("a", "b", "c", "d", "e", "*", "**", "*.ts", "x.ts");
    const path = fc.array(fc.constantFrom("a", "b", "c", "d", "e", "x.ts"), { minLength: 1, maxLength: 4 });
    const pattern = fc.tuple(fc.boolean(), fc.array(name, { minLength: 1, maxLength: 4 }));
    fc.assert(
      fc.property(fc.array(pattern, { maxLength: 8 }), path, fc.boolean(), (patterns, names, outside) => {
        const globs = patterns.flatMap(([absolute, parts]) =>
          compile(`${absolute ? "/home/me/" : ""}${parts.join("/")}`),
        );
        const at = shape(`${outside ? "/home/me/" : ""}${names.join("/")}`);
        expect(createGlobSet(globs).matches(at)).toBe(globs.some((glob) => matchesPath(glob, at)));
      }),
      { numRuns: randomCases(500) },
    );
  });

  it("knows whether one of them aims at something strictly below a directory", () => {
    const set = createGlobSet(["a/b", "x/y/z", "p/*"].flatMap(compile));
    const answers = ["a", "a/b", "a/c", "x", "x/y", "x/y/z", "p", ".", "q"].map((path) => [
      path,
      set.aimsStrictlyBelow(shape(path)),
    ]);
    expect(Object.fromEntries(answers)).toEqual({
      a: true,
      "a/b": false,
      "a/c": false,
      x: true,
      "x/y": true,
      "x/y/z": false,
      p: false,
      ".": true,
      q: false,
    });
    expect(createGlobSet([]).aimsStrictlyBelow(shape("."))).toBe(false);
  });
});

describe("a glob and a directory", () => {
  it.each([
    ["src/**", "src", true],
    ["src/**", "src/a", true],
    ["src/**", "lib", false],
    ["src/**", ".", false],
    ["src", "src", false],
    ["src/*", "src/a", false],
    ["**", ".", true],
    ["**/a", "a", false],
  ])("%s covers all that lies in %s: %s", (pattern, path, expected) => {
    expect(compile(pattern).some((glob) => coversTree(glob, shape(path)))).toBe(expected);
  });

  it.each([
    ["src/a/b", "src", true],
    ["src/a/b", "src/a/b", true],
    ["src/a/b", "src/a/b/c", false],
    ["src/a/b", "lib", false],
    ["src/*/b", "src", true],
  ])("%s aims at or below %s: %s", (pattern, path, expected) => {
    expect(compile(pattern).some((glob) => aimsBelow(glob, shape(path)))).toBe(expected);
  });

  it.each([
    ["src/*/b", "src/a", true],
    ["src/*/b", "lib/a", false],
    ["**/b", "any/where", true],
    ["src/*", "src/a", false],
    ["src/**", "src/a/b", true],
  ])("%s may match below %s: %s", (pattern, path, expected) => {
    expect(compile(pattern).some((glob) => mayMatchBelow(glob, shape(path)))).toBe(expected);
  });
});
