import { lstatSync, type Stats, statfsSync } from "node:fs";
import path from "node:path";
import type { GuardDeps } from "./locate.js";
import type { Handle } from "./opener.js";
import { isWithin, joinName } from "./path-text.js";
import { entryAt, type ScannedEntry } from "./walk-directory.js";

/**
 * Reads the stats of directory entries. Going through a descriptor costs the kernel twice as much as the plain
 * path, so the path is used where it can be proved afterwards that it led to the same directory: replacing a
 * directory on the way changes the ctime of its parent, which no program can set back.
 */
export interface EntryStats {
  /** Whether the next change of a directory that was just opened will change its ctime. */
  isSettled(handle: Handle): boolean;
  /** Size and time of some entries of the last level: `null` where one was deleted, `undefined` where it cannot be read. */
  statEntries(
    directory: StampedDirectory & { readonly real: string },
    at: { readonly entries: readonly ScannedEntry[]; readonly levels: readonly StampedDirectory[] },
  ): readonly (Stats | null | undefined)[];
  /** Whether the first directory is still where it was. */
  holds(): boolean;
  close(): void;
}

/** An open directory of a walk. */
export interface StampedDirectory {
  readonly handle: Handle | undefined;
  /** Its next change will change its ctime. */
  readonly settled: boolean;
}

/** Longer than the clock resolution of file systems: after that, every later change has another ctime. */
const settledAfterNs = 100_000_000n;
/** Fewer entries are read through the descriptor, which needs no proof. */
const minEntriesByPath = 6;

/** Read stats below `top`, which is inside `root`. */
export function createEntryStats(deps: GuardDeps, top: Handle, root: string): EntryStats {
  const above =
    deps.opener.kind === "descriptor" && isOnLocalFileSystem(top.self)
      ? openAncestors(deps, top, root)
      : undefined;
  const isSettled = ({ stat }: Handle): boolean => {
    if (above === undefined || stat.dev !== top.stat.dev) return false;
    return BigInt(Date.now()) * 1_000_000n - stat.ctimeNs > settledAfterNs;
  };
  const ancestors = above?.map((handle): StampedDirectory => ({ handle, settled: isSettled(handle) })) ?? [];
  // Checked after the times were read: what moved before that does not count as unchanged.
  const trusted = above !== undefined && ancestors.every(hasProof) && top.isInPlace();
  const first = above?.[0] ?? top;
  return {
    isSettled,
    statEntries(directory, { entries, levels }) {
      // A change of the directory itself only changes its own entries, which are read there anyway.
      const before = levels.slice(0, -1);
      if (trusted && entries.length >= minEntriesByPath && before.every(hasProof)) {
        const stats = entries.map(({ name }) => lstatOrNull(entryPath(directory.real, name)));
        if (before.every(isUnchanged) && ancestors.every(isUnchanged)) return stats;
      }
      const { handle } = directory;
      return entries.map(({ name }) =>
        handle === undefined ? undefined : lstatOrNull(entryAt(handle, name)),
      );
    },
    holds: () => !trusted || first.isInPlace(),
    close: () => above?.forEach((handle) => handle.close()),
  };
}

/** Local file systems that maintain directory times themselves: ext, xfs, btrfs, tmpfs, overlay, f2fs, zfs, bcachefs. */
const localFileSystems = new Set([
  0xef53, 0x58465342, 0x9123683e, 0x01021994, 0x794c7630, 0xf2f52010, 0x2fc12fc1, 0xca451a4e,
]);

/** Whether a path is on a local file system, all of whose changes go through this kernel. */
export function isOnLocalFileSystem(path: string): boolean {
  try {
    return localFileSystems.has(statfsSync(path).type);
  } catch {
    return false;
  }
}

/** The directories from the root down to the parent of `top`; `undefined` where a path does not lead to itself. */
function openAncestors({ opener }: GuardDeps, top: Handle, root: string): Handle[] | undefined {
  const handles: Handle[] = [];
  try {
    for (let real = path.dirname(top.real); isWithin(real, root); real = path.dirname(real)) {
      const handle = opener.open(real);
      handles.unshift(handle);
      if (handle.real !== real || !handle.stat.isDirectory()) throw new Error("not where it was");
      if (real === path.dirname(real)) break;
    }
    return handles;
  } catch {
    for (const handle of handles) handle.close();
    return undefined;
  }
}

function hasProof({ settled, handle }: StampedDirectory): boolean {
  return settled && handle !== undefined;
}

function isUnchanged({ handle }: StampedDirectory): boolean {
  return handle?.changedNs() === handle?.stat.ctimeNs;
}

function entryPath(directory: string, name: string | Buffer): string | Buffer {
  if (typeof name === "string") return joinName(directory, name);
  return Buffer.concat([Buffer.from(joinName(directory, "")), name]);
}

const LSTAT_OPTIONS = { throwIfNoEntry: false } as const;

function lstatOrNull(at: string | Buffer): Stats | null | undefined {
  try {
    return lstatSync(at, LSTAT_OPTIONS) ?? null;
  } catch {
    return undefined;
  }
}
