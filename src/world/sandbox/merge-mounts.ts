import { dirname } from "node:path";
import { ToolExecutionError } from "../../contract/errors.js";
import type { Mount } from "./mount-plan.js";

export interface MergeOptions {
  /** The visible folder that a path lies in. */
  readonly rootOf: (path: string) => string | undefined;
  /** How many folders must be pinned for these mounts. */
  readonly countPins: (mounts: readonly Mount[]) => number;
}

export interface MergedMounts {
  readonly kept: readonly Mount[];
  readonly notes: readonly string[];
}

/** More mounts than these would make every command slow. */
export const maxMounts = 400;
/** A path further down is guarded by a folder on the way to it. */
const maxDepth = 32;

/**
 * No path is left out where there are too many: the folders that hold most of them are masked or made read-only as
 * a whole, with what else lies in them, and that is said.
 */
export function mergeMounts(mounts: readonly Mount[], options: MergeOptions): MergedMounts {
  const whole = new Map<string, Mount>();
  let kept = liftDeep(mounts, options, whole);
  while (kept.length + options.countPins(kept) > maxMounts) kept = mergeOnce(kept, options, whole);
  const notes = kept
    .filter((mount) => whole.get(mount.path) === mount)
    .map(({ path, kind }) => {
      const how = kind === "mask" ? "hidden" : "made read-only";
      return `The folder ${path} was ${how} as a whole: it holds too many paths that rules are about.`;
    });
  return { kept, notes };
}

function liftDeep(
  mounts: readonly Mount[],
  { rootOf }: MergeOptions,
  whole: Map<string, Mount>,
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
  return replace(
    mounts,
    groupBy(deep, ({ path }) => names(path)),
    whole,
  );
}

/** Merge the fullest folders, as many as are needed; where no folder holds two, everything goes one level up. */
function mergeOnce(
  mounts: readonly Mount[],
  options: MergeOptions,
  whole: Map<string, Mount>,
): readonly Mount[] {
  const inFolders = mounts.filter(({ path }) => dirname(path).length > (options.rootOf(path) ?? path).length);
  const folders = [...groupBy(inFolders, ({ path }) => dirname(path))].toSorted(
    ([, one], [, other]) => other.length - one.length,
  );
  if (folders.length === 0) throw tooMany(mounts.length);
  let excess = mounts.length + options.countPins(mounts) - maxMounts;
  const merged = new Map<string, Mount[]>();
  const hasPair = (folders[0]?.[1].length ?? 0) > 1;
  for (const [folder, inside] of folders) {
    if (excess <= 0 || (hasPair && inside.length < 2)) break;
    merged.set(folder, inside);
    excess -= inside.length;
  }
  return replace(mounts, merged, whole);
}

function replace(
  mounts: readonly Mount[],
  merged: ReadonlyMap<string, readonly Mount[]>,
  whole: Map<string, Mount>,
): readonly Mount[] {
  const folders = [...merged].map(([path, inside]): Mount => {
    const kind = inside.some((mount) => mount.kind === "mask") ? "mask" : "fix";
    const mount = { path, kind, isDirectory: true } as const;
    whole.set(path, mount);
    return mount;
  });
  const gone = new Set([...merged.values()].flat());
  const isInside = (path: string): boolean => {
    for (let at = path; at.length > 1; at = dirname(at)) if (merged.has(at)) return true;
    return false;
  };
  const others = mounts.filter((mount) => !gone.has(mount) && !isInside(mount.path));
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

function tooMany(count: number): ToolExecutionError {
  return new ToolExecutionError(
    `Rules are about ${count} paths directly in the workspace, too many to hide or protect one by one.`,
    { code: "SANDBOX_UNAVAILABLE", hint: "Move them into a folder, and name that folder in the rule." },
  );
}
