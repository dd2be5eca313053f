import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { riskyAttribute } from "./git-attributes.js";
import { gitFolderPaths, linkedDependencies, namedGitFolder } from "./git-paths.js";

let root: string;
let git: string;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "tenon-git-paths-")));
  git = join(root, ".git");
  mkdirSync(join(git, "hooks/folder"), { recursive: true });
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const judged = (): Record<string, string> =>
  Object.fromEntries(
    gitFolderPaths(git, { isInside: () => true, settingsOf: () => undefined }).map(({ path, role, rule }) => [
      path.slice(git.length + 1),
      `${role} (${rule})`,
    ]),
  );

describe("the paths of a git folder that git obeys", () => {
  it("are those that it reads, whether they exist or not", () => {
    expect(judged()).toEqual({
      config: "settings (git settings)",
      "config.worktree": "settings (git settings)",
      commondir: "commondir (git commondir)",
      "info/attributes": "attributes (git attributes)",
      "objects/info/alternates": "alternates (git alternates)",
      "rebase-merge/git-rebase-todo": "todo (git todo)",
      "rebase-merge/strategy": "strategy (git strategy)",
      "sequencer/opts": "sequencer (git sequencer)",
    });
  });

  it("are its hooks, but neither samples nor folders, and links in place of folders", () => {
    for (const name of ["pre-commit", "post-merge.sample"]) writeFileSync(join(git, "hooks", name), "");
    symlinkSync(root, join(git, "info"));
    mkdirSync(join(git, "modules"));
    symlinkSync(root, join(git, "modules/sub"));
    const found = judged();
    expect(Object.keys(found).filter((path) => path.startsWith("hooks"))).toEqual(["hooks/pre-commit"]);
    expect(found).toMatchObject({
      "hooks/pre-commit": "hook (git hook)",
      info: "named (git folder)",
      "modules/sub": "named (git folder)",
    });
    rmSync(join(git, "hooks"), { recursive: true });
    symlinkSync(root, join(git, "hooks"));
    expect(judged()).toMatchObject({ hooks: "hook (git hook)" });
  });

  it("are the files that hooks are links to", () => {
    writeFileSync(join(git, "real"), "");
    symlinkSync("../real", join(git, "hooks/pre-push"));
    expect(judged()).toMatchObject({ "hooks/pre-push": "hook (git hook)", real: "hook (git hook)" });
  });
});

describe("the paths that git obeys below and beside a git folder", () => {
  it("are the same in the folders of submodules, at any depth, and fewer in those of work trees", () => {
    for (const folder of ["modules/a", "modules/libs/b", "modules/a/modules/inner"]) {
      mkdirSync(join(git, folder, "hooks"), { recursive: true });
      writeFileSync(join(git, folder, "HEAD"), "");
      writeFileSync(join(git, folder, "hooks/pre-push"), "");
    }
    mkdirSync(join(git, "modules/empty"));
    mkdirSync(join(git, "worktrees/tree"), { recursive: true });
    const found = judged();
    for (const folder of ["modules/a", "modules/libs/b", "modules/a/modules/inner"])
      expect(found).toMatchObject({
        [`${folder}/config`]: "settings (git settings)",
        [`${folder}/objects/info/alternates`]: "alternates (git alternates)",
        [`${folder}/hooks/pre-push`]: "hook (git hook)",
      });
    expect(found).not.toHaveProperty(["modules/empty/config"]);
    expect(Object.keys(found).filter((path) => path.startsWith("worktrees/"))).toEqual(
      [
        "config",
        "config.worktree",
        "commondir",
        "rebase-merge/git-rebase-todo",
        "rebase-merge/strategy",
        "sequencer/opts",
      ].map((name) => `worktrees/tree/${name}`),
    );
  });

  it("are those of submodules six levels deep, of which the folders of a name with a slash are two", () => {
    const nested = (...names: readonly string[]): string[] =>
      names.map((_, at) =>
        names
          .slice(0, at + 1)
          .map((name) => `modules/${name}`)
          .join("/"),
      );
    const plain = nested("a", "b", "c", "d", "e", "f", "g");
    const slashed = nested("x/a", "x/b", "x/c", "x/d");
    for (const folder of [...plain, ...slashed]) {
      mkdirSync(join(git, folder), { recursive: true });
      writeFileSync(join(git, folder, "HEAD"), "");
    }
    const found = judged();
    const isFound = (folder: string): boolean => `${folder}/config` in found;
    expect(plain.filter(isFound)).toEqual(plain.slice(0, 6));
    expect(slashed.filter(isFound)).toEqual(slashed.slice(0, 3));
  });

  it.each(["info", "objects", "objects/info", "rebase-merge", "sequencer", "modules", "worktrees"])(
    "are a link in the place of %s",
    (name) => {
      mkdirSync(join(git, name, ".."), { recursive: true });
      symlinkSync(root, join(git, name));
      expect(judged()[name]).toBe("named (git folder)");
    },
  );

  it("are what its settings include, and the hooks in the folder that they name", () => {
    const settings: Record<string, string> = {
      [join(git, "config")]:
        `[include]\n\tpath = ../shared.inc\n\tpath = ~/own\n\tpath = inner\n[core]\n\thooksPath = my-hooks\n`,
      [join(root, "shared.inc")]:
        `[includeIf "onbranch:x"]\n\tpath = deeper.inc\n[core]\n\thooksPath = ~/hooks\n`,
    };
    for (const name of ["shared.inc", "deeper.inc"]) writeFileSync(join(root, name), "");
    mkdirSync(join(root, "my-hooks/folder"), { recursive: true });
    for (const name of ["pre-commit", "x.sample"]) writeFileSync(join(root, "my-hooks", name), "");
    const pathsOf = (isInside: (path: string) => boolean): string[] =>
      gitFolderPaths(git, { isInside, settingsOf: (file) => settings[file] })
        .map(({ path, role, rule }) => `${path.slice(root.length + 1)}: ${role} (${rule})`)
        .filter((line) => !line.startsWith(".git/"));
    expect(pathsOf(() => true)).toEqual([
      "shared.inc: settings (git include)",
      "deeper.inc: settings (git include)",
      "my-hooks/pre-commit: hook (git hook)",
    ]);
    expect(pathsOf(() => false)).toEqual([]);
    settings[join(git, "config")] = "[core]\n\tworktree = ../elsewhere\n\thooksPath = hooks\n";
    mkdirSync(join(root, "elsewhere/hooks"), { recursive: true });
    writeFileSync(join(root, "elsewhere/hooks/post-merge"), "");
    expect(pathsOf(() => true)).toEqual(["elsewhere/hooks/post-merge: hook (git hook)"]);
    // Of the files in a work tree that is the folder of hooks, only those with names of hooks are.
    writeFileSync(join(root, "a file"), "");
    settings[join(git, "config")] = "[core]\n\thooksPath = .\n";
    expect(pathsOf(() => true)).toContain("pre-commit: hook (git hook)");
    expect(pathsOf(() => true)).not.toContain("a file: hook (git hook)");
  });
});

it("follows a file that names the git folder, by its own place", () => {
  writeFileSync(join(root, "sub"), "gitdir: .git/hooks\n");
  expect(namedGitFolder(join(root, "sub"))).toBe(join(git, "hooks"));
  writeFileSync(join(root, "sub"), "something else\n");
  expect(namedGitFolder(join(root, "sub"))).toBeUndefined();
});

it.each(["2", "4"])("finds repositories among the dependencies in an index of version %s", (version) => {
  rmSync(git, { recursive: true });
  const run = (...args: readonly string[]): unknown => execFileSync("git", ["-C", root, ...args]);
  run("init", "-q");
  const paths = ["node_modules/a", "node_modules/abc", "node_modules/abd/e", "src/own"];
  const commit = "1".repeat(40);
  run(
    "update-index",
    "--index-version",
    version,
    "--add",
    ...paths.flatMap((path) => ["--cacheinfo", `160000,${commit},${path}`]),
  );
  expect(linkedDependencies(git)).toEqual(paths.slice(0, 3).map((path) => join(root, path, ".git")));
});

it.each([
  ["*.txt text eol=lf", undefined],
  ["# *.txt filter=x", undefined],
  ["*.py diff=python merge=union", undefined],
  ["a b\n*.bin -text\n*.x filter=lfs", "filter=lfs"],
  ["*.x MERGE=ours", "MERGE=ours"],
  ["*.x diff=Python", "diff=Python"],
])("names the attribute that can make git run a program: %j", (text, risky) => {
  expect(riskyAttribute(text)).toBe(risky);
});
