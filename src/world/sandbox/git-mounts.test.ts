import { existsSync, mkdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { gitMounts, linkedGitDirs } from "./git-mounts.js";
import { usePlantedFolder } from "./planted-folder.fixture.js";

const folder = usePlantedFolder();
const { plant } = folder;
let root: string;

beforeEach(() => {
  ({ root } = folder);
  mkdirSync(join(root, ".git"));
});

/** The paths that are read-only for a command, below the root. */
async function fixed(background: boolean, opened = "nothing"): Promise<string[]> {
  const isOpened = (path: string): boolean => path.endsWith(opened);
  const [whole, ...rest] = await gitMounts(join(root, ".git"), { isOpened, background });
  expect(whole).toEqual({ path: join(root, ".git"), kind: "bind", isDirectory: true });
  for (const mount of rest) expect(mount).toMatchObject({ kind: "fix", isDirectory: false });
  return rest.map(({ path }) => path.slice(root.length + 1)).toSorted();
}

describe("a git folder in the sandbox", () => {
  beforeEach(() => {
    plant({
      ".git/config": "[core]\n\thooksPath = my-hooks\n",
      ".git/hooks/pre-commit": "",
      ".git/hooks/post-merge.sample": "",
      ".git/hooks/folder/inner": "",
      "my-hooks/pre-push": "",
    });
    symlinkSync("pre-commit", join(root, ".git/hooks/link"));
  });

  it("has its hooks fixed for a command, but neither samples, folders nor links", async () => {
    expect(await fixed(false)).toEqual([".git/hooks/pre-commit", "my-hooks"]);
    expect(await fixed(false, "pre-commit")).toEqual(["my-hooks"]);
  });

  it("has nothing fixed where hooks are a link or do not exist", async () => {
    rmSync(join(root, ".git/hooks"), { recursive: true });
    rmSync(join(root, "my-hooks"), { recursive: true });
    expect(await fixed(false)).toEqual([]);
    symlinkSync("/etc", join(root, ".git/hooks"));
    expect(await fixed(false)).toEqual([]);
  });

  it("has all that git obeys fixed for a background job, which finds a folder for hooks already", async () => {
    rmSync(join(root, ".git/hooks"), { recursive: true });
    plant({
      ".git/commondir": "",
      ".git/modules/libs/x/HEAD": "",
      ".git/modules/libs/x/config": "",
      ".git/worktrees/tree/gitdir": "",
      ".git/worktrees/tree/HEAD": "",
    });
    expect(await fixed(true)).toEqual([
      ".git/commondir",
      ".git/config",
      ".git/hooks",
      ".git/modules/libs/x/config",
      ".git/worktrees/tree/gitdir",
      "my-hooks",
    ]);
    expect(existsSync(join(root, ".git/hooks"))).toBe(true);
  });

  it.each(["/etc", "..", "."])("does not fix the hooks that %s names", async (hooks) => {
    plant({ ".git/config": `[core]\n\thooksPath = ${hooks}\n` });
    expect(await fixed(false)).toEqual([".git/hooks/pre-commit"]);
  });
});

describe("the git folder that a file names outside of the workspace", () => {
  beforeEach(() => {
    plant({ "work/.git": "gitdir: ../main/worktrees/one\n", "main/HEAD": "" });
  });
  const found = async (): Promise<string[]> =>
    (await linkedGitDirs(join(root, "work"))).map((path) => path.slice(root.length + 1));

  it("is used where it refers back: of a work tree the common one", async () => {
    expect(await found()).toEqual([]);
    plant({ "main/worktrees/one/gitdir": join(root, "work/.git") });
    expect(await found()).toEqual(["main/worktrees/one"]);
    plant({ "main/worktrees/one/commondir": "../..\n" });
    expect(await found()).toEqual(["main"]);
    plant({ "main/worktrees/one/gitdir": join(root, "elsewhere/.git") });
    expect(await found()).toEqual([]);
  });

  it("is used where its settings name the workspace as its tree, as those of submodules do", async () => {
    plant({ "main/worktrees/one/config": "[core]\n\tworktree = ../../../work\n" });
    expect(await found()).toEqual(["main/worktrees/one"]);
    plant({ "main/worktrees/one/config": "[core]\n\tworktree = ../../../other\n" });
    expect(await found()).toEqual([]);
  });

  it("is none where it is inside, or `.git` says something else", async () => {
    plant({ "work/.git": "gitdir: inner\n", "work/inner/gitdir": join(root, "work/.git") });
    expect(await found()).toEqual([]);
    plant({ "work/.git": "something else\n" });
    expect(await found()).toEqual([]);
  });
});
