import { lstat, mkdir, readdir, readFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { isWithin } from "../files/path-text.js";
import { realPathOf } from "../files/real-path.js";
import { inFolder } from "./in-folder.js";
import type { Mount } from "./mount-plan.js";

/**
 * Git's own folder, which git must be able to write: what a command changes of its settings is judged when it
 * ends. The folder itself is a mount, for a folder that is none could be renamed with all mounts in it and
 * another be put in its place. Hooks that exist are read-only, and all that git obeys is for a background job.
 */
export async function gitMounts(
  gitDir: string,
  options: { readonly isOpened: (path: string) => boolean; readonly background: boolean },
): Promise<Mount[]> {
  const all = options.background ? await keptFiles(gitDir) : await existingHooks(gitDir);
  const kept = all.filter((path) => !options.isOpened(path));
  return [
    { path: gitDir, kind: "bind", isDirectory: true },
    ...kept.map((path): Mount => ({ path, kind: "fix", isDirectory: false })),
  ];
}

/** Names in git's folder that a command could make and that git would then obey. */
const obeyedNames = ["config", "config.worktree", "commondir", "hooks"] as const;

async function existingHooks(gitDir: string): Promise<string[]> {
  const folder = join(gitDir, "hooks");
  const isFolder = (await lstat(folder).catch(() => undefined))?.isDirectory() === true;
  const entries = isFolder ? await readdir(folder, { withFileTypes: true }) : [];
  const own = entries.filter((entry) => entry.isFile() && !entry.name.endsWith(".sample"));
  const named = await existingPlain(await hooksPath(gitDir));
  return [...own.slice(0, maxFolders).map(({ name }) => join(folder, name)), ...named];
}

/**
 * The git folders outside the workspace of a linked work tree or a submodule: git writes a file `.git`
 * that names them. The workspace's content could name any folder, so it must name the workspace in return.
 */
export async function linkedGitDirs(workspace: string): Promise<string[]> {
  const dotGit = join(workspace, ".git");
  const text = await readText(dotGit);
  const named = /^gitdir: (.+?)\n*$/.exec(text ?? "")?.[1];
  if (named === undefined) return [];
  const gitDir = realPathOf(resolve(workspace, named));
  if (isWithin(gitDir, workspace)) return [];
  const back = (await readText(join(gitDir, "gitdir")))?.trim();
  if (back !== undefined && realPathOf(resolve(gitDir, back)) === dotGit) {
    const common = (await readText(join(gitDir, "commondir")))?.trim();
    return [common === undefined ? gitDir : realPathOf(resolve(gitDir, common))];
  }
  const settings = (await readText(join(gitDir, "config"))) ?? "";
  const tree = /^\s*worktree\s*=\s*(.+?)\s*$/m.exec(settings)?.[1];
  const isOurs = tree !== undefined && realPathOf(resolve(gitDir, tree)) === workspace;
  return isOurs ? [gitDir] : [];
}

async function keptFiles(gitDir: string): Promise<string[]> {
  // An empty folder does nothing, and git makes one too: better than to leave the place free.
  await inFolder(gitDir, (folder) => mkdir(join(folder, "hooks")));
  const inner = await Promise.all([
    moduleDirs(join(gitDir, "modules"), 4),
    foldersIn(join(gitDir, "worktrees")),
    hooksPath(gitDir),
  ]);
  const [modules, worktrees, hooks] = inner;
  const names = obeyedNames.map((name) => join(gitDir, name));
  const more = [...modules, ...worktrees].flatMap((folder) =>
    [...obeyedNames, "gitdir"].map((name) => join(folder, name)),
  );
  return existingPlain([...names, ...more, ...hooks]);
}

async function foldersIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isDirectory())
    .slice(0, maxFolders)
    .map((entry) => join(folder, entry.name));
}

/** The git folders of submodules; one named `libs/x` lies a level deeper. */
async function moduleDirs(folder: string, depth: number): Promise<string[]> {
  const folders = await foldersIn(folder);
  const found = await Promise.all(
    folders.map(async (each) => {
      const isGitDir = (await readText(join(each, "HEAD"))) !== undefined;
      if (!isGitDir) return depth > 1 ? moduleDirs(each, depth - 1) : [];
      return [each, ...(depth > 1 ? await moduleDirs(join(each, "modules"), depth - 1) : [])];
    }),
  );
  return found.flat().slice(0, maxFolders);
}

/** No repository has more; where these make too many mounts, the folder is made read-only as a whole. */
const maxFolders = 5000;

/** Hooks may lie in the work tree, where the settings say so. */
async function hooksPath(gitDir: string): Promise<string[]> {
  const settings = (await readText(join(gitDir, "config"))) ?? "";
  const named = /^\s*hookspath\s*=\s*"?(.+?)"?\s*$/im.exec(settings)?.[1];
  const tree = dirname(gitDir);
  const path = named === undefined ? undefined : realPathOf(resolve(tree, named));
  return path !== undefined && path !== tree && isWithin(path, tree) ? [path] : [];
}

async function existingPlain(paths: readonly string[]): Promise<string[]> {
  const found = await Promise.all(
    paths.map((path) =>
      lstat(path).then(
        (stats) => (stats.isSymbolicLink() ? [] : [path]),
        () => [],
      ),
    ),
  );
  return found.flat();
}

async function readText(file: string): Promise<string | undefined> {
  const found = await lstat(file).catch(() => undefined);
  if (found === undefined || !found.isFile() || found.size > maxBytes) return undefined;
  return readFile(file, "utf8").catch(() => undefined);
}

const maxBytes = 256 * 1024;
