import { describe, expect, it } from "vitest";
import { compileCommands, viewCommand } from "./command-condition.js";
import { match } from "./match.js";
import { PatternError } from "../glob/wildcard.js";

const words = (line: string, known = true) => viewCommand({ words: line.split(" "), known, readOnly: false });
const allow = (pattern: string, exact = false) =>
  compileCommands([pattern], { allows: true, exact, ignoreCase: false }).test;
const deny = (pattern: string) =>
  compileCommands([pattern], { allows: false, exact: false, ignoreCase: false }).test;

describe("commands of an allow rule", () => {
  it.each([
    ["npm run test", "npm run test", true],
    ["npm run test", "npm run test --watch", true],
    ["npm run test *", "npm run test", true],
    ["npm run test *", "npm run test --watch", true],
    ["npm run test", "npm run test2", false],
    ["npm run test*", "npm run test:unit", true],
    ["npm run", "npm --prefix x run", false],
    ["npm", "./npm", false],
    ["npm", "/tmp/npm", false],
    ["git * status", "git x status", true],
    ["*", "anything at all", true],
    ["rm -rf build", "rm -rf build", true],
    ["rm -rf build", "rm -rf", false],
    ["Npm", "npm", false],
    ["npm", "Npm", false],
  ])("lets %j cover %j: %s", (pattern, line, expected) => {
    expect(allow(pattern)(words(line)) === match.yes).toBe(expected);
  });

  it("takes exact words for the whole command", () => {
    expect(allow("rm a", true)(words("rm a"))).toBe(match.yes);
    expect(allow("rm a", true)(words("rm a b"))).toBe(match.no);
    expect(allow("npm run test *", true)(words("npm run test x"))).toBe(match.yes);
  });

  it("never covers words that are not known", () => {
    expect(allow("npm")(words("npm run test", false))).toBe(match.no);
    expect(allow("*")(viewCommand({ words: [], known: false, readOnly: false }))).toBe(match.no);
  });
});

describe("commands of a rule that tightens", () => {
  it.each([
    ["rm", "/bin/rm x", true],
    ["rm", "rmdir x", false],
    ["git push", "git push origin", true],
    ["git push", "git -C dir push", true],
    ["git push", "git --no-pager -c a=b push", true],
    ["git push", "git commit -m push", false],
    ["git push", "git commit push", false],
    ["npm publish", "npm run publish", false],
    ["git push --force", "git push origin main --force", true],
    ["git push --force", "git push --force=x", true],
    ["git push --force", "git push origin", false],
    ["rm -rf", "rm -r -f x", true],
    ["rm -rf", "rm -fr x", true],
    ["rm -rf", "rm -r x", false],
    ["curl", "C:\\tools\\curl.exe x", true],
    ["*", "anything", true],
    ["rm", "Rm x", false],
    ["git push origin", "git push -q origin", true],
    ["git push origin", "git push -u up origin", true],
    ["git push origin", "git push", false],
    ["git push origin", "git push -q", false],
    ["git push origin", "git - push origin", false],
    ["a b c d", "a b c", false],
    ["a b c", "a -x b -y c", true],
    ["a b c", "a -x y b c", true],
    ["a b c", "a x b c", false],
    ["a b", "b a", false],
    ["a b", "a - b", false],
    ["a -x", "b -x", false],
    ["rm -rf", "rm --rf x", false],
    ["rm -rf", "rm --recursive -f x", false],
    ["rm -rf", "rm -r name-f", false],
    ["tar -x*", "tar -xzf a", true],
    ["tar -x*", "tar -c -x", true],
    ["tar -x*", "tar -cx", false],
    ["tar -x*", "tar x", false],
    ["tar --keep", "tar -k -e -p", false],
    ["curl", "./curl.exe", true],
    ["curl", "C:/tools/curl x", true],
    ["curl", "/usr/bin\\curl x", true],
    ["/usr/bin/curl", "curl x", false],
  ])("sees %j in %j: %s", (pattern, line, expected) => {
    expect(deny(pattern)(words(line)) === match.yes).toBe(expected);
  });

  it("is in doubt about words that are not known", () => {
    expect(deny("rm")(words("echo x", false))).toBe(match.maybe);
    expect(deny("rm")(words("rm x", false))).toBe(match.yes);
  });
});

describe("commands that are compared without regard to case", () => {
  const test = (pattern: string, allows: boolean) =>
    compileCommands([pattern, "other"], { allows, exact: false, ignoreCase: true }).test;

  it("are met by a rule that tightens in any case, and by an allow rule only as they stand", () => {
    expect(test("Git PUSH -F", false)(words("GIT push -f"))).toBe(match.yes);
    expect(test("curl", false)(words("/BIN/CURL.EXE x"))).toBe(match.yes);
    expect(test("Git push", true)(words("git push"))).toBe(match.no);
    expect(test("Git push", true)(words("Git push"))).toBe(match.yes);
  });
});

describe("the programs that a condition names", () => {
  const keys = (lines: string[], ignoreCase = false) =>
    compileCommands(lines, { allows: false, exact: false, ignoreCase }).keys;

  it("are known where all of them are plain and case counts", () => {
    expect(keys(["git push", "rm"])).toEqual(["git", "rm"]);
    expect(keys(["git push", "r*"])).toBeUndefined();
    expect(keys(["*"])).toBeUndefined();
    expect(keys(["git"], true)).toBeUndefined();
  });
});

it("takes one of several lines", () => {
  const several = (allows: boolean) =>
    compileCommands(["git pull", "rm"], { allows, exact: false, ignoreCase: false }).test;
  for (const allows of [true, false]) {
    expect(several(allows)(words("rm x"))).toBe(match.yes);
    expect(several(allows)(words("git pull"))).toBe(match.yes);
    expect(several(allows)(words("git push"))).toBe(match.no);
  }
});

it("compares what the command gets besides its words only where they are exact", () => {
  const test = (exact: boolean, given: string | undefined, got: string | null | undefined) =>
    compileCommands(["a"], {
      allows: true,
      exact,
      ignoreCase: false,
      ...(given !== undefined && { given }),
    }).test(viewCommand({ words: ["a"], known: true, readOnly: false, given: got }));
  expect(test(true, "x", "x")).toBe(match.yes);
  expect(test(true, "x", "y")).toBe(match.no);
  expect(test(true, "x", undefined)).toBe(match.no);
  expect(test(true, undefined, undefined)).toBe(match.yes);
  expect(test(true, undefined, null)).toBe(match.no);
  expect(test(false, undefined, null)).toBe(match.yes);
});

it("covers no command without words", () => {
  const empty = viewCommand({ words: [], known: true, readOnly: false });
  expect(allow("*")(empty)).toBe(match.no);
  expect(deny("rm")(empty)).toBe(match.no);
  expect(deny("*")(empty)).toBe(match.yes);
  expect(empty.program).toBe("");
});

it("refuses a line of more than 16,384 characters", () => {
  expect(() => allow("x".repeat(16_385))).toThrow("it is longer than 16384 characters");
  expect(allow("x".repeat(16_384))(words("x".repeat(16_384)))).toBe(match.yes);
});

it.each(["", "a && b", "a; b", "'x", "   "])("refuses %j as one command", (line) => {
  expect(() => allow(line)).toThrow(PatternError);
});
