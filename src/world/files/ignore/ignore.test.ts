import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import * as fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createGuard } from "../guard.js";
import { createPathRules } from "../path-rules.js";
import { compileIgnoreFile } from "./ignore-file.js";
import { compileWildmatch } from "./wildmatch.js";
import { randomCases } from "../../../../test/setup/random-cases.js";

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "tenon-ignore-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** Git with none of the person's own settings. */
function git(directory: string, ...args: string[]): Buffer {
  const env = {
    PATH: process.env["PATH"],
    HOME: root,
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
  };
  return execFileSync("git", ["-c", "core.quotePath=false", ...args], { cwd: directory, env });
}

async function walkedFiles(directory: string): Promise<string[]> {
  const guard = createGuard({ rules: createPathRules({ workspace: directory }), maxFileSize: 1e9 });
  const found: string[] = [];
  for await (const { entries } of guard.walk(".")) {
    for (const { path, type } of entries) if (type !== "directory") found.push(path);
  }
  return found.sort();
}

function gitFiles(directory: string): string[] {
  const listed = git(directory, "ls-files", "-o", "--exclude-standard", "-z").toString();
  return listed
    .split("\0")
    .filter((path) => path !== "")
    .sort();
}

const name = fc.constantFrom(
  "a",
  "b",
  "ab",
  "a.ts",
  "b.log",
  "x y",
  "#a",
  "!b",
  "[a]",
  "é",
  ".hid",
  "a\\b",
  "abc",
);
const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((names) => names.join("/"));
const piece = fc.constantFrom(
  ..."a b c ab * ** ? / . [ab] [!a] [^b] [a-c] [[:alpha:]] [] [ \\ \\* \\a # ! é ts log *. .hid".split(" "),
  "\\ ",
  " ",
  "a.ts",
  "x y",
);
const rule = fc
  .tuple(
    fc.constantFrom("", "", "", "!", "/", "!/", "**/"),
    fc.array(piece, { minLength: 1, maxLength: 4 }),
    fc.constantFrom("", "", "/", "/**", "/*", " ", "\r"),
  )
  .map(([head, parts, tail]) => head + parts.join("") + tail);
const ignoreFile = fc.array(rule, { maxLength: 5 }).map((rules) => `${rules.join("\n")}\n`);

describe("ignore files", () => {
  it("leave out what git leaves out, in random trees with random rules", async () => {
    let round = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(path, { minLength: 1, maxLength: 12 }),
        ignoreFile,
        fc.option(ignoreFile),
        fc.option(fc.tuple(path, ignoreFile)),
        async (paths, rules, exclude, nested) => {
          const directory = join(root, String(round++));
          mkdirSync(directory);
          git(directory, "init", "-q");
          const put = (at: string, text: string): void => {
            try {
              mkdirSync(dirname(join(directory, at)), { recursive: true });
              writeFileSync(join(directory, at), text);
            } catch {
              // A file stands where a directory was wanted, or the other way round.
            }
          };
          for (const each of paths) put(each, "x");
          put(".gitignore", rules);
          if (exclude !== null) put(".git/info/exclude", exclude);
          if (nested !== null) put(`${dirname(nested[0])}/.gitignore`, nested[1]);
          expect(await walkedFiles(directory)).toEqual(gitFiles(directory));
        },
      ),
      { numRuns: randomCases(150) },
    );
  });

  it("match single patterns as git does", () => {
    git(root, "init", "-q");
    const patterns = fc.sample(fc.tuple(rule, path), 400);
    for (const [line, tried] of patterns) {
      const [pattern] = line.split("\n");
      writeFileSync(join(root, ".gitignore"), `${pattern ?? ""}\n`);
      const out = checkIgnore(tried);
      const names = tried.split("/");
      const judged = names.map((_, at) =>
        verdictOn(pattern ?? "", names.slice(0, at + 1), at < names.length - 1),
      );
      expect({ pattern, tried, ignored: judged.includes(true) }).toEqual({ pattern, tried, ignored: out });
    }
  });

  it.each([
    ["# comment\n*.log\n", "a.log", true],
    ["\\#a\n", "#a", true],
    ["\\!b\n", "!b", true],
    ["a \n", "a", true],
    ["a\\ \n", "a ", true],
    ["*.log\n!keep.log\n", "keep.log", false],
    ["\uFEFFa\n", "a", true],
    ["a\r\n", "a", true],
    ["foo**/bar\n", "x", undefined],
    ["[\n", "[", undefined],
    ["a\\\n", "a\\", undefined],
    ["caf?\n", "café", undefined],
    ["/\n", "a", undefined],
  ])("take %j for %j: %s", (text, tried, expected) => {
    const bytes = (given: string): string => Buffer.from(given).toString("latin1");
    const file = compileIgnoreFile(bytes(text));
    expect(file.judge({ name: bytes(tried), within: "", directory: false })).toBe(expected);
  });

  it("answer patterns that make other matchers hang", () => {
    expect(compileWildmatch(`${"*a".repeat(300)}*b`, "name").test("a".repeat(255))).toBe(false);
    const deep = compileWildmatch(`${"**/a*".repeat(100)}b`, "path");
    expect(deep.test(`${"aaaaaaaa/".repeat(400)}c`)).toBe(false);
  });

  it("hold below directories of any name", async () => {
    git(root, "init", "-q");
    mkdirSync(join(root, "new\nline/é"), { recursive: true });
    for (const each of ["a", "b"]) writeFileSync(join(root, "new\nline/é", each), "x");
    writeFileSync(join(root, ".gitignore"), "new*/é/a\n");
    expect(await walkedFiles(root)).toEqual([".gitignore", "new\\x0aline/é/b"]);
  });

  it("of a repository above the workspace hold in it, those of others do not", async () => {
    git(root, "init", "-q");
    writeFileSync(join(root, ".gitignore"), "dist\n/packages/a/only-here\n");
    const workspace = join(root, "packages/a");
    mkdirSync(join(workspace, "dist"), { recursive: true });
    mkdirSync(join(workspace, "inner/dist"), { recursive: true });
    mkdirSync(join(workspace, "inner/.git/info"), { recursive: true });
    for (const each of ["dist/x", "only-here", "kept", "inner/dist/y", "inner/z"]) {
      writeFileSync(join(workspace, each), "x");
    }
    writeFileSync(join(workspace, "inner/.git/info/exclude"), "z\n");
    expect(await walkedFiles(workspace)).toEqual(["inner/dist/y", "kept"]);
  });
});

function checkIgnore(tried: string): boolean {
  try {
    // --no-index: rules alone; a missing path counts as a file.
    git(root, "check-ignore", "-q", "--no-index", "--", tried);
    return true;
  } catch (error) {
    if ((error as { status?: number }).status === 1) return false;
    throw error;
  }
}

function verdictOn(pattern: string, names: readonly string[], directory: boolean): boolean | undefined {
  const bytes = names.map((each) => Buffer.from(each).toString("latin1"));
  const file = compileIgnoreFile(Buffer.from(`${pattern}\n`).toString("latin1"));
  const within = bytes
    .slice(0, -1)
    .map((each) => `${each}/`)
    .join("");
  return file.judge({ name: bytes.at(-1) ?? "", within, directory });
}
