import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compilePathCondition, createGlobSet, lazyPathCondition } from "./path-condition.js";
import { aimsBelow, compilePathGlob, coversTree, matchesPath, mayMatchBelow } from "./path-glob.js";
import { createPathSpace, shapeOf, viewPath, type PathShape } from "./path-space.js";
import { match } from "./match.js";
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

describe("the paths of a rule", () => {
  type Touch = { tree?: boolean; write?: boolean; alone?: boolean };
  const names = new Map([
    [match.no, "no"],
    [match.maybe, "maybe"],
    [match.yes, "yes"],
  ]);
  const answer = (
    patterns: string[],
    path: string,
    {
      allows,
      ignoreCase = false,
      at = space,
      ...touch
    }: Touch & { allows: boolean; ignoreCase?: boolean; at?: typeof space },
  ) => {
    const { tree = false, write = false, alone } = touch;
    const options = { space: at, allows, ignoreCase };
    const touched = { view: viewPath(path, at), tree, write, alone };
    const found = compilePathCondition(patterns, options).test(touched);
    expect(lazyPathCondition(patterns, options).test(touched)).toBe(found);
    return names.get(found);
  };

  it.each<[string[], string, Touch, string]>([
    [["src/**"], "src/a", {}, "yes"],
    [["src/**"], "src", { tree: true }, "yes"],
    [["src/*"], "src/a", { tree: true }, "no"],
    [["src/*"], "src/a", {}, "yes"],
    [["src/**", "!src/secret/**"], "src/a", {}, "yes"],
    [["src/**", "!src/secret/**"], "src/secret/a", {}, "no"],
    [["src/**", "!src/secret/**"], "src", { tree: true }, "no"],
    [["src/**", "!src/secret/**"], "src/a", { tree: true }, "yes"],
    [["src/**", "!src/secret/**"], "src/secret", { tree: true }, "no"],
    [["src/**", "!**/*.pem"], "src/a", { tree: true }, "no"],
    [["!src/secret"], "lib/a", {}, "yes"],
    [["!src/secret"], "src/secret/a", {}, "no"],
    [["!src/secret"], "src/SECRET/a", {}, "yes"],
    [["src"], "src/a", {}, "no"],
    [["Src/a"], "src/a", {}, "no"],
    [["caf\u00e9"], "cafe\u0301", {}, "no"],
    [["/etc/**"], "/etc/passwd", {}, "yes"],
    [["**"], "/etc/passwd", {}, "no"],
  ])("allow: %j and %s %j: %s", (patterns, path, touch, expected) => {
    expect(answer(patterns, path, { allows: true, ...touch })).toBe(expected);
  });

  it.each<[string[], string, Touch, string]>([
    [["src/secret"], "src/secret/a", {}, "yes"],
    [["src/secret"], "src", {}, "no"],
    [["src/secret"], "src", { tree: true }, "no"],
    [["src/secret"], "src", { write: true }, "yes"],
    [["src/secret"], "src", { write: true, alone: true }, "no"],
    [["src/secret"], "src", { write: true, alone: false }, "yes"],
    [["src/secret"], "src", { write: true, tree: true }, "yes"],
    [["src/*/x"], "src/a", { write: true, tree: true }, "maybe"],
    [["src/*/x"], "src/a", { write: true }, "no"],
    [["src/*/x"], "src", { write: true, tree: true }, "yes"],
    [["src/*/x"], "lib", { write: true, tree: true }, "no"],
    [["**/*.pem"], "lib", { write: true, tree: true }, "maybe"],
    [["**/*.pem"], "lib", { tree: true }, "no"],
    [["src/**", "!src/public/**"], "src/public/a", {}, "no"],
    [["src/**", "!src/public/**"], "src/public", { tree: true, write: true }, "no"],
    [["src/**", "!src/public/*"], "src/public/a", { tree: true, write: true }, "yes"],
    [["src/**", "!src/public/*"], "src/public/a", { tree: true }, "no"],
    [["src/**", "!src/public/*"], "src/public/a", { write: true }, "no"],
    [["src/**", "!src/public"], "src/public/a", {}, "yes"],
    [["src/**", "!src/PUBLIC"], "src/public", {}, "yes"],
    [["!src"], "lib/a", {}, "yes"],
    [["!src"], "src", {}, "no"],
    [["Src"], "src", {}, "no"],
    [["caf\u00e9"], "cafe\u0301", {}, "yes"],
    [["**/a"], "/etc/a", {}, "yes"],
    [["*/a"], "/etc/a", {}, "no"],
  ])("tighten: %j and %s %j: %s", (patterns, path, touch, expected) => {
    expect(answer(patterns, path, { allows: false, ...touch })).toBe(expected);
  });

  it("are compared without regard to case where the file system or the rule does not regard it", () => {
    const blind = createPathSpace("/home/me/ws", true);
    expect(answer(["SRC/a"], "src/A", { allows: true, at: blind })).toBe("yes");
    expect(answer(["SRC/a"], "src/A", { allows: false, at: blind })).toBe("yes");
    expect(answer(["SRC/a"], "src/A", { allows: true, ignoreCase: true })).toBe("no");
    expect(answer(["SRC/a"], "src/A", { allows: false, ignoreCase: true })).toBe("yes");
    expect(answer(["src/**", "!src/A"], "src/a", { allows: false, ignoreCase: true })).toBe("yes");
  });

  it("cover all below where nothing is taken out of them", () => {
    const covers = (patterns: string[], path: string) => {
      const options = { space, allows: false, ignoreCase: false };
      const touched = { view: viewPath(path, space), tree: true, write: false };
      const found = compilePathCondition(patterns, options).covers(touched);
      expect(lazyPathCondition(patterns, options).covers(touched)).toBe(found);
      return found;
    };
    expect(covers(["src"], "src")).toBe(true);
    expect(covers(["src/*.ts"], "src/a.ts")).toBe(false);
    expect(covers(["src"], "lib")).toBe(false);
    expect(covers(["src", "!src/a"], "src")).toBe(false);
  });

  it.each<[string[], boolean, string[] | undefined]>([
    [["src/a"], false, ["src"]],
    [["src/a"], true, ["a"]],
    [["src/a", "lib/*"], true, ["a", "lib"]],
    [["**/*.ts"], false, [".ts"]],
    [["**/secret/**"], false, ["secret"]],
    [["*/x/*"], true, ["x"]],
    [["*"], true, undefined],
    [["a", "*"], true, undefined],
    [["/etc/a"], true, undefined],
    [["/etc/a"], false, undefined],
    [["!a"], true, undefined],
  ])("need names: %j, allow %s: %j", (patterns, allows, keys) => {
    expect(compilePathCondition(patterns, { space, allows, ignoreCase: false }).keys).toEqual(keys);
  });
});

describe("many globs", () => {
  it.each([1, 3, 4, 5, 12])("match as each of %i does", (count) => {
    const letters = Array.from({ length: count }, (_, at) => `d${at}`);
    const rooted = createGlobSet(letters.flatMap((name) => compile(`${name}/*`)));
    const floating = createGlobSet(letters.flatMap((name) => compile(`**/${name}/**`)));
    for (let at = 0; at < 13; at++) {
      expect(rooted.matches(shape(`d${at}/a`))).toBe(at < count);
      expect(rooted.matches(shape(`x/d${at}`))).toBe(false);
      expect(floating.matches(shape(`x/d${at}/a`))).toBe(at < count);
    }
    expect(rooted.matches(shape("."))).toBe(false);
  });
});
