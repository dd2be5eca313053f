import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { judgedPaths } from "./judged-paths.js";
import type { SensitivePath } from "./sensitive-paths.js";

let root: string;

beforeEach(() => void (root = realpathSync(mkdtempSync(join(tmpdir(), "tenon-judged-")))));
afterEach(() => rmSync(root, { recursive: true, force: true }));

function plant(...paths: string[]): void {
  for (const path of paths) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), "");
  }
}

const sensitive = (path: string, rest: Partial<SensitivePath> = {}): SensitivePath => ({
  path: join(root, path),
  kind: "file",
  what: "named",
  rule: "rule",
  ...rest,
});
const isInside = (path: string): boolean => path.startsWith(root);

/** The judged paths below the root, with their roles. */
function judge(found: readonly SensitivePath[], gitFolders: readonly string[] = []): Record<string, string> {
  const judged = judgedPaths(
    found,
    gitFolders.map((path) => join(root, path)),
    { isInside, settingsOf: () => undefined },
  );
  return Object.fromEntries(
    [...judged].map(([path, { role, rule }]) => [path.slice(root.length + 1), `${role} ${rule}`]),
  );
}

describe("named paths", () => {
  it("are judged by their names, some by what is in them, the first rule first", () => {
    expect(
      judge([
        sensitive(".envrc"),
        sensitive("sub/.gitattributes"),
        sensitive(".GITMODULES"),
        sensitive(".envrc", { rule: "later" }),
      ]),
    ).toEqual({
      ".envrc": "named rule",
      "sub/.gitattributes": "attributes rule",
      ".GITMODULES": "modules rule",
    });
  });

  it("that are folders are judged file by file, without packages", () => {
    plant(".vscode/tasks.json", ".vscode/deep/x", ".yarn/cache/a", ".yarn/unplugged/b", ".yarn/plugins/c");
    plant(".vscode/node_modules/d");
    symlinkSync("x", join(root, ".vscode/link"));
    const folders = [".vscode", ".yarn"].map((path) => sensitive(path, { kind: "directory" }));
    expect(Object.keys(judge(folders)).toSorted()).toEqual([
      ".vscode/deep/x",
      ".vscode/link",
      ".vscode/tasks.json",
      ".yarn/plugins/c",
    ]);
  });

  it("that are folders of very many files are judged as a whole", () => {
    mkdirSync(join(root, ".vscode"));
    for (let at = 0; at <= 2000; at++) writeFileSync(join(root, ".vscode", String(at)), "");
    expect(judge([sensitive(".vscode", { kind: "directory" })])).toEqual({ ".vscode": "named rule" });
    rmSync(join(root, ".vscode/0"));
    expect(Object.keys(judge([sensitive(".vscode", { kind: "directory" })]))).toHaveLength(2000);
  });

  it("that are links are judged with what they lead to, where that is inside", () => {
    plant("target", "folder/inner");
    symlinkSync("target", join(root, ".envrc"));
    symlinkSync("folder", join(root, ".vscode"));
    symlinkSync("/etc/hostname", join(root, "outside"));
    const links = [".envrc", ".vscode", "outside"].map((path) => sensitive(path, { kind: "link" }));
    expect(Object.keys(judge(links)).toSorted()).toEqual([
      ".envrc",
      ".vscode",
      "folder/inner",
      "outside",
      "target",
    ]);
  });
});

describe("git folders", () => {
  it("are judged by what git obeys in them, found by the walk or known before", () => {
    plant(".git/hooks/pre-commit", "sub/.git/HEAD");
    const found = judge([sensitive("sub/.git", { kind: "directory", what: "git-folder" })], [".git"]);
    expect(found).toMatchObject({
      ".git/config": "settings git settings",
      ".git/hooks/pre-commit": "hook git hook",
      "sub/.git/config": "settings git settings",
    });
  });

  it("that a file or a link names are judged with it, where they are inside", () => {
    mkdirSync(join(root, "main/worktrees/one"), { recursive: true });
    mkdirSync(join(root, "other"));
    plant("one/.git", "far/.git");
    writeFileSync(join(root, "one/.git"), "gitdir: ../main/worktrees/one\n");
    writeFileSync(join(root, "far/.git"), "gitdir: /etc\n");
    mkdirSync(join(root, "two"));
    symlinkSync("../other", join(root, "two/.git"));
    const files = ["one/.git", "far/.git", "two/.git"].map((path) => sensitive(path, { what: "git-file" }));
    const found = judge(files);
    for (const path of ["one/.git", "far/.git", "two/.git"]) expect(found[path]).toBe("git-file git file");
    expect(found).toHaveProperty(["main/worktrees/one/config"]);
    expect(found).toHaveProperty(["other/config"]);
    expect(Object.keys(found).some((path) => path.startsWith("/") || path.includes("etc"))).toBe(false);
  });
});
