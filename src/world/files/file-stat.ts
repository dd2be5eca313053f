import type { BigIntStats } from "node:fs";
import type { EntryType, FileStat } from "../../contract/ports/files.js";

/** Convert a stat of node:fs to that of the port. */
export function toFileStat(stat: BigIntStats): FileStat {
  return {
    type: entryTypeOf(stat),
    size: Number(stat.size),
    modified: Number(stat.mtimeNs / 1_000n) / 1_000,
    created: Number(stat.birthtimeNs / 1_000n) / 1_000,
    changed: Number(stat.ctimeNs / 1_000n) / 1_000,
    mode: Number(stat.mode) & 0o7777,
    identity: identityOf(stat),
  };
}

/** Equal identities mean an unchanged file: dev, inode, mtime and ctime in ns, size. */
export function identityOf(stat: BigIntStats): string {
  return `${stat.dev}:${stat.ino}:${stat.mtimeNs}:${stat.ctimeNs}:${stat.size}`;
}

/** Whether two stats are of the same inode. */
export function isSameFile(one: BigIntStats, other: BigIntStats): boolean {
  return one.dev === other.dev && one.ino === other.ino;
}

/** The type of an entry; "other" for devices, FIFOs and sockets. */
export function entryTypeOf(entry: {
  isFile(): boolean;
  isDirectory(): boolean;
  isSymbolicLink(): boolean;
}): EntryType {
  if (entry.isFile()) return "file";
  if (entry.isDirectory()) return "directory";
  return entry.isSymbolicLink() ? "symlink" : "other";
}
