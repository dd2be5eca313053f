import { close, closeSync, constants, fsync, fsyncSync } from "node:fs";
import { promisify } from "node:util";
import type { Handle } from "./opener.js";

/** Flush a file's bytes to the disk without blocking the loop. */
export const syncFile = promisify(fsync);

const closeFile = promisify(close);

/** Flush a directory's names to the disk, so that a rename survives a power cut. */
export async function syncDirectory(directory: Handle): Promise<void> {
  let fd: number;
  try {
    fd = directory.reopen(constants.O_RDONLY);
  } catch {
    // A directory that can be written but not read cannot be flushed, nor can any on Windows.
    return;
  }
  try {
    await syncFile(fd);
  } catch {
    // Some file systems cannot flush directories; the change itself has been made.
  } finally {
    await closeFile(fd);
  }
}

/** The same, synchronously, for the rare directory that is created as a parent. */
export function syncDirectoryNow(directory: Handle): void {
  try {
    const fd = directory.reopen(constants.O_RDONLY);
    try {
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
  } catch {
    // As above.
  }
}
