import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createSensitivePathFinder, type SensitivePath } from "./sensitive-paths.js";

let base: string;
let workspace: string;

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "tenon-sensitive-")));
  workspace = join(base, "work");
  mkdirSync(workspace);
  mkdirSync(join(base, "other"));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const named = ["**/.envrc", "**/.vscode/{tasks,settings}.json", "**/.git/**", "Makefile"];

function plant(...paths: string[]): void {
  for (const path of paths) {
    const place = join(base, path);
    mkdirSync(join(place, ".."), { recursive: true });
    if (path.endsWith("/")) mkdirSync(place, { recursive: true });
    else writeFileSync(place, "");
  }
}

function look(folder: string, opened: readonly string[] = []): Omit<SensitivePath, "path">[] {
  const finder = createSensitivePathFinder({
    roots: [workspace, join(base, "other"), join(base, "node_modules/own")],
    named,
    opened,
  });
  const at = join(base, folder);
  return finder
    .look(at, readdirSync(at, { withFileTypes: true }))
    .map(({ path, ...rest }) => ({ at: path.slice(base.length + 1), ...rest }))
    .toSorted((one, other) => (one.at < other.at ? -1 : 1));
}

it("finds what the patterns name, in the workspace and in other folders, and nothing else", () => {
  plant("work/.envrc", "work/Makefile", "work/readme", "work/.vscode/tasks.json", "work/.vscode/other.json");
  plant("other/deep/.envrc");
  expect(look("work")).toEqual([
    { at: "work/.envrc", kind: "file", what: "named", rule: "**/.envrc" },
    { at: "work/Makefile", kind: "file", what: "named", rule: "Makefile" },
  ]);
  expect(look("work/.vscode")).toEqual([
    { at: "work/.vscode/tasks.json", kind: "file", what: "named", rule: "**/.vscode/{tasks,settings}.json" },
  ]);
  expect(look("other/deep")).toMatchObject([{ at: "other/deep/.envrc", rule: "**/.envrc" }]);
});

it("finds git's folders and files, and folders that git would take for one", () => {
  plant("work/.git/HEAD", "work/sub/.git", "work/bare/HEAD", "work/bare/objects/", "work/bare/refs/");
  plant("work/linked/HEAD", "work/linked/commondir", "work/half/HEAD", "work/half/objects/");
  plant("work/headless/objects/", "work/headless/refs/");
  const git = { rule: "git" };
  expect(look("work")).toEqual([{ at: "work/.git", kind: "directory", what: "git-folder", ...git }]);
  expect(look("work/sub")).toEqual([{ at: "work/sub/.git", kind: "file", what: "git-file", ...git }]);
  expect(look("work/bare")).toEqual([{ at: "work/bare", kind: "directory", what: "git-folder", ...git }]);
  expect(look("work/linked")).toMatchObject([{ at: "work/linked", what: "git-folder" }]);
  expect(look("work/half")).toEqual([]);
  expect(look("work/headless")).toEqual([]);
});

it("finds links in the place of a folder on the way to a named file, and links that are named", () => {
  symlinkSync("elsewhere", join(workspace, ".vscode"));
  symlinkSync("elsewhere", join(workspace, ".envrc"));
  symlinkSync("elsewhere", join(workspace, ".git"));
  symlinkSync("elsewhere", join(workspace, "harmless"));
  expect(look("work")).toEqual([
    { at: "work/.envrc", kind: "link", what: "named", rule: "**/.envrc" },
    { at: "work/.git", kind: "link", what: "git-file", rule: "git" },
    { at: "work/.vscode", kind: "link", what: "named", rule: "**/.vscode/{tasks,settings}.json" },
  ]);
});

it("leaves out what a person unprotected, and what a package of dependencies brings", () => {
  plant("work/.envrc", "work/sub/.envrc", "work/.git/HEAD", "work/node_modules/left-pad/.envrc");
  expect(look("work", ["sub/**", "**/.git/**", "**/.git"])).toMatchObject([{ at: "work/.envrc" }]);
  expect(look("work/sub", ["sub/**"])).toEqual([]);
  expect(look("work/node_modules/left-pad")).toEqual([]);
  // Unless the package is what is worked on.
  plant("node_modules/own/.envrc");
  expect(look("node_modules/own")).toMatchObject([{ at: "node_modules/own/.envrc" }]);
});

it("compares names as file systems do that ignore case", () => {
  plant("work/.ENVRC", "work/up/.GIT/");
  expect(look("work")).toMatchObject([{ at: "work/.ENVRC", rule: "**/.envrc" }]);
  expect(look("work/up")).toMatchObject([{ at: "work/up/.GIT", what: "git-folder" }]);
});
