import type { SimpleCommand } from "./command-analysis.js";
import { absolutePath } from "./words/paths.js";

/**
 * The paths that `git mv` moves: absolute, without `..`. It renames folders, where `mv` copies them if the file system
 * cannot rename them.
 */
export function movedByGit(commands: readonly SimpleCommand[]): string[] {
  return [...new Set(commands.flatMap(movedPaths))];
}

function movedPaths({ words, cwds }: SimpleCommand): string[] {
  if (words[0] !== "git" || !words.includes("mv")) return [];
  let folders = cwds ?? [];
  let at = 1;
  for (let word = words[at]; word?.startsWith("-"); word = words[at]) {
    const value = words[at + 1] ?? "";
    if (word === "-C") folders = folders.map((folder) => absolutePath(value, folder));
    at += valued.has(word) ? 2 : 1;
  }
  if (words[at] !== "mv") return [];
  const operands = words.slice(at + 1).filter((word) => !word.startsWith("-"));
  // The last one is where they go.
  return operands.slice(0, -1).flatMap((path) => folders.map((folder) => absolutePath(path, folder)));
}

/** Options of git that take the next word as their value. */
const valued = new Set(["-C", "-c", "--git-dir", "--work-tree", "--namespace", "--config-env"]);
