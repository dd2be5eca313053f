import { mkdirSync } from "node:fs";
import { lstat, readdir, readFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { isWithin } from "../files/path-text.js";
import { realPathOf } from "../files/real-path.js";
import { withFolder } from "./quarantine/with-folder.js";
import type { Mount } from "./mount-plan.js";

/**
 * Mounts for a git folder, which git must be able to write: changes of its settings are judged when the command ends.
 * The folder itself is a mount, because otherwise it could be renamed with all mounts in it and replaced. Existing hooks
 * are read-only; for a background job, so is everything that git obeys.
 */
export async function gitMounts(
  gitDir: string,
  options: { readonly isOpened: (path: string) => boolean; readonly background: boolean },
): Promise<Mount[]> {
  const all = options.background ? await obeyedFiles(gitDir) : await existingHooks(gitDir);
  const readOnlyPaths = all.filter((path) => !options.isOpened(path));
  return [
    { path: gitDir, kind: "bind", isDirectory: true },
    ...readOnlyPaths.map((path): Mount => ({ path, kind: "fix", isDirectory: false })),
  ];
}

/** Names in a git folder that git obeys. */
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
 * The git folders outside the workspace of a linked work tree or submodule, named by a file `.git`. The content of the
 * workspace could name any folder, so that folder must refer back to the workspace.
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

async function obeyedFiles(gitDir: string): Promise<string[]> {
  // An empty hooks folder has no effect, and git creates one, too: a job cannot create its own then.
  withFolder(gitDir, (folder) => {
    try {
      mkdirSync(join(folder, "hooks"));
    } catch {
      // It exists already, or the command cannot create it either.
    }
  });
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

/** The git folders of submodules; one named `libs/x` is a level deeper. */
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

/** A safety limit; if there are too many mounts, the folder is made read-only as a whole. */
const maxFolders = 5000;

/** The hooks folder in the work tree, if core.hooksPath names one. */
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
