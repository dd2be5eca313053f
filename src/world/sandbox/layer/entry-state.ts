import { type BigIntStats, lstatSync } from "node:fs";
import { errnoOf } from "../../../contract/errno.js";
import type { EntryKind, EntryState } from "./layer-types.js";

/** A file, or a link that leads in a circle, is where a folder should be. */
const notThere = new Set(["ENOTDIR", "ELOOP"]);

/** What lies at a path; `undefined` if nothing is there, or if something else is where one of its folders should be. */
export function entryAt(path: string | Buffer): LstatEntry | undefined {
  try {
    const stats = lstatSync(path, { bigint: true, throwIfNoEntry: false });
    return stats && { state: toState(stats), stats };
  } catch (error) {
    if (notThere.has(errnoOf(error) ?? "")) return undefined;
    throw error;
  }
}

export interface LstatEntry {
  readonly state: EntryState;
  readonly stats: BigIntStats;
}

/** Whether the kernel marks a removed entry with it: a character device with the number 0. */
export function isWhiteout(stats: BigIntStats): boolean {
  return stats.isCharacterDevice() && stats.rdev === 0n;
}

function toState(stats: BigIntStats): EntryState {
  return {
    kind: kindOf(stats),
    mode: Number(stats.mode & 0o7777n),
    uid: Number(stats.uid),
    gid: Number(stats.gid),
    size: Number(stats.size),
    dev: stats.dev,
    ino: stats.ino,
    links: Number(stats.nlink),
    mtimeNs: stats.mtimeNs,
    ctimeNs: stats.ctimeNs,
  };
}

function kindOf(stats: BigIntStats): EntryKind {
  if (stats.isFile()) return "file";
  if (stats.isDirectory()) return "folder";
  return stats.isSymbolicLink() ? "link" : "special";
}
