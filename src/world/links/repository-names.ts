import { dirname, join, resolve } from "node:path";
import { realPathOf } from "../files/real-path.js";
import {
  namedGitFolder,
  placesInSettings,
  readSettings,
  type GitDeps,
} from "../sandbox/quarantine/git-paths.js";
import { entryAt } from "../sandbox/layer/entry-state.js";
import { attempt } from "../../contract/errno.js";
import type { Folder, NamedTarget } from "./walk-links.js";

/**
 * What git obeys in git folders under another name, and what the settings of a repository name: the folder of its hooks
 * and included settings. Each gets the name that it would have in a folder `.git`, so that the rules about those cover it.
 */
export function namesInRepository(
  path: string,
  { git, isBare }: Folder,
  isInside: GitDeps["isInside"],
): NamedTarget[] {
  if (git === undefined)
    return isBare ? namesIn({ gitDir: path, tree: path, name: `${path}/.git` }, isInside) : [];
  const isFolder = attempt(() => entryAt(git))?.state.kind === "folder";
  const gitDir = isFolder ? git : (namedGitFolder(git) ?? realPathOf(git));
  return namesIn({ gitDir, tree: path, name: git }, isInside);
}

interface Repository {
  readonly gitDir: string;
  /** Its work tree. */
  readonly tree: string;
  /** What the git folder is called in the work tree. */
  readonly name: string;
}

function namesIn({ gitDir, tree, name }: Repository, isInside: GitDeps["isInside"]): NamedTarget[] {
  const deps: GitDeps = { isInside, settingsOf: (file) => attempt(() => readSettings(file)) };
  const common = attempt(() => readSettings(join(gitDir, "commondir")))?.trim();
  const main = common === undefined ? gitDir : realPathOf(resolve(gitDir, common));
  const files = [...new Set([join(main, "config"), join(gitDir, "config"), join(gitDir, "config.worktree")])];
  const places = files.flatMap((file) => placesInSettings({ gitDir: dirname(file), file, tree }, deps));
  const named = places.map(({ path, what }): NamedTarget => {
    if (what === "settings") return { target: path, name: `${name}/config` };
    return {
      target: path,
      name: what === "hooks" ? `${name}/hooks` : `${name}/hooks${path.slice(dirname(path).length)}`,
    };
  });
  const parts = [...new Set([gitDir, main])].flatMap((folder) =>
    obeyedParts.map((part): NamedTarget => ({ target: join(folder, part), name: `${name}/${part}` })),
  );
  return [...parts, ...named];
}

/** What git runs or obeys in a git folder. The rest is data, which needs no protection and which commands change. */
const obeyedParts = [
  "branches",
  "commondir",
  "config",
  "config.worktree",
  "hooks",
  "info/attributes",
  "objects/info/alternates",
  "rebase-merge",
  "remotes",
  "sequencer",
];
