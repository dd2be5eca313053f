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
  ])("sees %j in %j: %s", (pattern, line, expected) => {
    expect(deny(pattern)(words(line)) === match.yes).toBe(expected);
  });

  it("is in doubt about words that are not known", () => {
    expect(deny("rm")(words("echo x", false))).toBe(match.maybe);
    expect(deny("rm")(words("rm x", false))).toBe(match.yes);
  });
});

it.each(["", "a && b", "a; b", "'x", "   "])("refuses %j as one command", (line) => {
  expect(() => allow(line)).toThrow(PatternError);
});
