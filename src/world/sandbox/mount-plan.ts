import { dirname } from "node:path";
import { isWithin } from "../files/path-text.js";
import type { FolderPath } from "./folder-cache.js";
import { mergeMounts } from "./merge-mounts.js";
import type { Guarded, GuardedPath } from "./walk-guarded.js";

/**
 * What is done to a path. `mask`: nothing of it can be seen. `fix`: read-only. `bind`: writable. `pin`: writable as
 * before, but a mount of its own, which no rename can move away.
 */
export interface Mount extends FolderPath {
  readonly kind: "mask" | "fix" | "bind" | "pin";
  readonly isDirectory: boolean;
  /** A masked folder in which something is open again: it must be made read-only after that. */
  readonly isOpenedInside?: boolean;
}

export interface PlanOptions {
  readonly guarded: Guarded;
  /** What must be mounted of git's folders. */
  readonly git: readonly Mount[];
  /** The folders that the command sees; the innermost that holds a path decides. */
  readonly roots: readonly { readonly path: string; readonly writable: boolean }[];
  /** Whether a running job could swap the path while it is being mounted. */
  readonly isSteady: (path: string) => boolean;
}

export interface MountPlan {
  /** In the order in which they must be made. */
  readonly mounts: readonly Mount[];
  /** What must be said about it. */
  readonly notes: readonly string[];
}

/** Lay out the mounts that hold a command to the rules, with a pin on every folder on the way to each of them. */
export function planMounts({ guarded, git, roots, isSteady }: PlanOptions): MountPlan {
  const isWritable = (path: string): boolean => rootOf(path, roots)?.writable === true;
  const isKept = (path: string): boolean => isWritable(path) && isSteady(path);
  const items = new Map<string, Mount>();
  const add = (mount: Mount): void => {
    const known = items.get(mount.path);
    if (known === undefined || strength[mount.kind] > strength[known.kind]) items.set(mount.path, mount);
  };
  for (const { writable, ...path } of guarded.opened) {
    add(toMount(path, writable && isWritable(path.path) ? "bind" : "fix"));
  }
  for (const path of [...guarded.hidden, ...guarded.consent, ...guarded.unsearched])
    add(toMount(path, "mask"));
  for (const path of guarded.fixed) if (isKept(path.path)) add(toMount(path, "fix"));
  for (const mount of git) add(mount);
  const opened = new Set(guarded.opened.map(({ path }) => path));
  const needed = [...items.values()].toSorted(byPath).filter((mount) => !isCovered(mount, items, opened));
  const { kept, notes } = mergeMounts(needed, {
    rootOf: (path) => rootOf(path, roots)?.path,
    countPins: (mounts) => pinsOf(mounts, { roots, isKept }).length,
  });
  const pins = pinsOf(kept, { roots, isKept });
  const mounts = markOpened([...kept, ...pins].toSorted(byPath));
  const free = guarded.fixed.filter(({ path }) => isWritable(path) && !isSteady(path));
  return { mounts, notes: [...notes, ...unsteadyNote(free)] };
}

const strength = { pin: 0, bind: 1, fix: 2, mask: 3 } as const;

function toMount({ path, bytes, kind }: GuardedPath, how: Mount["kind"]): Mount {
  return { path, bytes, kind: how, isDirectory: kind === "directory" };
}

/** Outer folders first. */
function byPath(one: FolderPath, other: FolderPath): number {
  return one.path < other.path ? -1 : Number(one.path > other.path);
}

function rootOf(path: string, roots: PlanOptions["roots"]): PlanOptions["roots"][number] | undefined {
  return roots
    .filter((root) => isWithin(path, root.path))
    .toSorted((one, other) => other.path.length - one.path.length)[0];
}

/** Whether it lies in something masked, with nothing opened in between: there is nothing to mount it on. */
function isCovered(mount: Mount, items: ReadonlyMap<string, Mount>, opened: ReadonlySet<string>): boolean {
  if (opened.has(mount.path) && mount.kind !== "mask") return false;
  for (let at = dirname(mount.path); at.length > 1; at = dirname(at)) {
    if (opened.has(at)) return false;
    if (items.get(at)?.kind === "mask") return true;
  }
  return false;
}

function pinsOf(
  kept: readonly Mount[],
  { roots, isKept }: { readonly roots: PlanOptions["roots"]; readonly isKept: (path: string) => boolean },
): Mount[] {
  const known = new Map(kept.map((mount) => [mount.path, mount]));
  const pins = new Map<string, Mount>();
  for (const { path, bytes } of kept) {
    const root = rootOf(path, roots);
    if (root === undefined || !root.writable) continue;
    let raw = bytes;
    let found: Mount[] = [];
    const keep = (): void => {
      for (const pin of found) pins.set(pin.path, pin);
      found = [];
    };
    for (let at = dirname(path); at.length > root.path.length; at = dirname(at)) {
      raw = raw?.subarray(0, raw.lastIndexOf(slashByte));
      const outer = known.get(at);
      // Nothing can be renamed in what is read-only, and a pin would open there what is closed.
      if (outer?.kind === "fix" || outer?.kind === "mask") found = [];
      if (outer !== undefined || pins.has(at)) keep();
      if (outer?.kind === "fix" || outer?.kind === "mask" || pins.has(at)) break;
      if (outer !== undefined || !isKept(at)) continue;
      found.push({
        path: at,
        bytes: raw?.toString() === at ? undefined : raw,
        kind: "pin",
        isDirectory: true,
      });
    }
    keep();
  }
  return [...pins.values()];
}

const slashByte = "/".charCodeAt(0);

function markOpened(mounts: readonly Mount[]): Mount[] {
  return mounts.map((mount) => {
    if (mount.kind !== "mask" || !mount.isDirectory) return mount;
    const isOpenedInside = mounts.some(
      (other) => other.path !== mount.path && isWithin(other.path, mount.path),
    );
    return isOpenedInside ? { ...mount, isOpenedInside } : mount;
  });
}

function unsteadyNote(paths: readonly GuardedPath[]): string[] {
  if (paths.length === 0) return [];
  const shown = paths.slice(0, 5).map(({ path }) => path);
  return [
    `Protected paths that appeared while a background job runs can be written until it ends: ${shown.join(", ")}`,
  ];
}
