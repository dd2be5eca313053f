import { type BigIntStats, closeSync, fstatSync, lstatSync, openSync, renameSync, unlinkSync } from "node:fs";
import { isSameFile } from "./file-stat.js";

/**
 * Rename a file to a name that must be free, where the file system has no hard links: the name is
 * taken by an empty file that only we can have made, and that one is replaced. Who deletes it and
 * takes the name within those microseconds is overwritten; renameat2(RENAME_NOREPLACE), which
 * would not, is out of Node's reach.
 */
export function renameIfFree(from: string, to: string): void {
  const fd = openSync(to, "wx", 0o600);
  try {
    const ours = fstatSync(fd, { bigint: true });
    try {
      const there = lstatSync(to, { bigint: true });
      if (!isSameFile(there, ours)) throw Object.assign(new Error("taken"), { code: "EEXIST" });
      renameSync(from, to);
    } catch (error) {
      removeOurs(to, ours);
      throw error;
    }
  } finally {
    closeSync(fd);
  }
}

function removeOurs(to: string, ours: BigIntStats): void {
  const there = lstatSync(to, { bigint: true, throwIfNoEntry: false });
  if (there !== undefined && isSameFile(there, ours)) unlinkSync(to);
}
