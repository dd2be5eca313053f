import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { gitNames, headerPath, isNoFile, namesAgree, sameRoot } from "./diff-paths.js";
import { quoteGitPath, unquoteGitPath } from "./git-path.js";
import { randomCases } from "../../test/setup/random-cases.js";

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

describe("headerPath", () => {
  it.each([
    ["a/x", "a/x"],
    ["a/x\r", "a/x"],
    ["a/x y", "a/x y"],
    ["a/x  ", "a/x"],
    ["a/x y\t2024-05-01 10:00:00", "a/x y"],
    ["a/x 2024-05-01 10:00:00.000000000 +0200", "a/x"],
    ["a/x 2024-05-01T10:00Z", "a/x"],
    ["a/x 2024-05-01", "a/x 2024-05-01"],
    ['"a/\\303\\251\\t.txt"\tmore', "a/é\t.txt"],
    ['"a/x" more', "a/x"],
    ['"unclosed', '"unclosed'],
    ['a"b"', 'a"b"'],
  ])("%j is %j", (value, path) => {
    expect(headerPath(value)).toBe(path);
  });
});

describe("isNoFile", () => {
  it.each([
    ["/dev/null", true],
    ["dev/null", true],
    ["NUL", true],
    ["nul", true],
    ["a/dev/null", false],
    ["null", false],
    ["", false],
  ])("%s: %s", (name, expected) => {
    expect(isNoFile(name)).toBe(expected);
  });
});

describe("gitNames", () => {
  it.each([
    ["a/x b/x", ["a/x", "b/x"]],
    ["a/x b/x\r", ["a/x", "b/x"]],
    ["a/x y b/x y", ["a/x y", "b/x y"]],
    ["x y x y", ["x y", "x y"]],
    ["a/x b/y", ["a/x", "b/y"]],
    ["a/x b/x z", ["a/x", "b/x z"]],
    ["aa/x bb/y", ["aa/x", "bb/y"]],
    ["name", ["name", "name"]],
    ['"a/\\303\\251" "b/\\303\\251"', ["a/é", "b/é"]],
    ['"a/\\"q" b/x y', ['a/"q', "b/x y"]],
    ['a/x y "b/\\303\\251"', ["a/x y", "b/é"]],
  ])("%s", (rest, names) => {
    expect(gitNames(rest)).toEqual(names);
  });
});

describe("sameRoot", () => {
  it.each([
    ["a/x", "b/x", "x", "x"],
    ["a/x", "b/y", "x", "y"],
    ["i/x", "w/x", "x", "x"],
    ["c/x", "i/x", "x", "x"],
    ["c/x", "w/x", "x", "x"],
    ["o/x", "w/x", "x", "x"],
    ["b/x", "a/x", "x", "x"],
    ["w/x", "i/x", "x", "x"],
    ["w/x", "c/x", "x", "x"],
    ["i/x", "c/x", "x", "x"],
    ["a/x", "a/y", "a/x", "a/y"],
    ["z/x", "b/y", "z/x", "b/y"],
    ["a/x", "x", "x", "x"],
    ["x", "b/x", "x", "x"],
    ["a/x", "y", "a/x", "y"],
    ["lib/x", "src/x", "lib/x", "src/x"],
    ["/dev/null", "b/x", "/dev/null", "x"],
    ["/dev/null", "w/x", "/dev/null", "x"],
    ["/dev/null", "a/x", "/dev/null", "a/x"],
    ["a/x", "/dev/null", "x", "/dev/null"],
    ["o/x", "/dev/null", "x", "/dev/null"],
    ["b/x", "/dev/null", "b/x", "/dev/null"],
    ["x", "/dev/null", "x", "/dev/null"],
  ])("%s and %s", (oldName, newName, one, other) => {
    expect(sameRoot(oldName, newName)).toEqual([one, other]);
  });
});

describe("names in quotes", () => {
  it("are read back as they were written", () => {
    const name = fc.string({
      unit: fc.constantFrom("a", "é", "😀", '"', "\\", "\n", "\t", "\u0007", "\u0001", "\u007f", " ", "7"),
    });
    fc.assert(
      fc.property(name, (path) => {
        const quoted = quoteGitPath(path);
        // oxlint-disable-next-line no-control-regex -- these are what is quoted
        const plain = !/[\u0000-\u001F\u007F"\\]/u.test(path);
        expect(quoted === path).toBe(plain);
        if (!plain) expect(unquoteGitPath(quoted)).toBe(path);
      }),
      { numRuns: randomCases(200) },
    );
  });

  it.each([
    ['a\tb"c\\d', String.raw`"a\tb\"c\\d"`],
    ["\u0007\b\n\v\f\r", String.raw`"\a\b\n\v\f\r"`],
    ["\u0001\u001f\u007f", String.raw`"\001\037\177"`],
  ])("are written as git does: %j", (path, quoted) => {
    expect(quoteGitPath(path)).toBe(quoted);
  });

  it.each([
    [String.raw`"\303\251"`, "é"],
    [String.raw`"\q\7x"`, "q\u0007x"],
    [String.raw`"\501"`, "A"],
    [String.raw`"a" tail`, "a"],
    [`"a`, undefined],
    ["a", undefined],
    ["", undefined],
  ])("%s is %j", (quoted, path) => {
    expect(unquoteGitPath(quoted)).toBe(path);
  });
});
