import { dirname } from "node:path";
import { ToolExecutionError } from "../../contract/errors.js";
import { toShownPath } from "../files/raw-path.js";
import type { Mount } from "./mount-plan.js";

export interface MergeOptions {
  /** The visible folder that contains a path. */
  readonly rootOf: (path: string) => string | undefined;
  /** How many pins these mounts need. */
  readonly countPins: (mounts: readonly Mount[]) => number;
}

export interface MergedMounts {
  readonly kept: readonly Mount[];
  readonly notes: readonly string[];
}

/** More mounts would make every command slow. */
export const maxMounts = 400;
/** For a deeper path, a folder above it is mounted instead. */
const maxDepth = 32;

/**
 * If there are too many mounts, no path is left out: the folders that contain most of them are hidden or made read-only
 * as a whole, with a message.
 */
export function mergeMounts(mounts: readonly Mount[], options: MergeOptions): MergedMounts {
  const mergedFolders = new Map<string, Mount>();
  let kept = mergeDeepPaths(mounts, options, mergedFolders);
  while (kept.length + options.countPins(kept) > maxMounts) kept = mergeOnce(kept, options, mergedFolders);
  const notes = kept
    .filter((mount) => mergedFolders.get(mount.path) === mount)
    .map(({ path, kind }) => {
      const how = kind === "mask" ? "hidden" : "made read-only";
      return `The folder ${toShownPath(path)} was ${how} as a whole because it contains too many paths with rules.`;
    });
  return { kept, notes };
}

function mergeDeepPaths(
  mounts: readonly Mount[],
  { rootOf }: MergeOptions,
  mergedFolders: Map<string, Mount>,
): readonly Mount[] {
  const depthOf = (path: string): number => path.split("/").length;
  const isDeep = ({ path }: Mount): boolean => depthOf(path) - depthOf(rootOf(path) ?? path) > maxDepth;
  const deep = mounts.filter(isDeep);
  if (deep.length === 0) return mounts;
  const names = (path: string): string =>
    path
      .split("/")
      .slice(0, depthOf(rootOf(path) ?? path) + maxDepth)
      .join("/");
  return replaceMerged(
    mounts,
    groupBy(deep, ({ path }) => names(path)),
    mergedFolders,
  );
}

/** Merge the folders with the most mounts; if no folder has two, everything moves one level up. */
function mergeOnce(
  mounts: readonly Mount[],
  options: MergeOptions,
  mergedFolders: Map<string, Mount>,
): readonly Mount[] {
  const inFolders = mounts.filter(({ path }) => dirname(path).length > (options.rootOf(path) ?? path).length);
  const folders = [...groupBy(inFolders, ({ path }) => dirname(path))].toSorted(
    ([, one], [, other]) => other.length - one.length,
  );
  if (folders.length === 0) throw tooManyPaths(mounts.length);
  let excess = mounts.length + options.countPins(mounts) - maxMounts;
  const merged = new Map<string, Mount[]>();
  const hasPair = (folders[0]?.[1].length ?? 0) > 1;
  for (const [folder, inside] of folders) {
    if (excess <= 0 || (hasPair && inside.length < 2)) break;
    merged.set(folder, inside);
    excess -= inside.length;
  }
  return replaceMerged(mounts, merged, mergedFolders);
}

function replaceMerged(
  mounts: readonly Mount[],
  merged: ReadonlyMap<string, readonly Mount[]>,
  mergedFolders: Map<string, Mount>,
): readonly Mount[] {
  const folders = [...merged].map(([path, inside]): Mount => {
    const kind = inside.some((mount) => mount.kind === "mask") ? "mask" : "fix";
    const mount = { path, kind, isDirectory: true } as const;
    mergedFolders.set(path, mount);
    return mount;
  });
  const replaced = new Set([...merged.values()].flat());
  const isInside = (path: string): boolean => {
    for (let at = path; at.length > 1; at = dirname(at)) if (merged.has(at)) return true;
    return false;
  };
  const others = mounts.filter((mount) => !replaced.has(mount) && !isInside(mount.path));
  return [...others, ...folders.filter(({ path }) => !isInside(dirname(path)))];
}

function groupBy(mounts: readonly Mount[], folderOf: (mount: Mount) => string): Map<string, Mount[]> {
  const groups = new Map<string, Mount[]>();
  for (const mount of mounts) {
    const folder = folderOf(mount);
    const group = groups.get(folder) ?? [];
    group.push(mount);
    groups.set(folder, group);
  }
  return groups;
}

function tooManyPaths(count: number): ToolExecutionError {
  return new ToolExecutionError(
    `Rules apply to ${count} paths directly in the workspace, which are too many to hide or protect one by one.`,
    { code: "SANDBOX_UNAVAILABLE", hint: "Move them into a folder and use that folder in the rule." },
  );
}
