import { closeSync, constants, fsync, fsyncSync, write, writeSync, writev } from "node:fs";
import { promisify } from "node:util";
import type { Handle } from "./opener.js";

/** Flush a file's bytes to the disk without blocking the loop. */
export const syncFile = promisify(fsync);

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
    closeSync(fd);
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

const writeAsync = promisify(write);

/** Up to this size a synchronous write is faster than a trip through the thread pool. */
const SYNC_WRITE_BYTES = 256 * 1024;
/** Data in memory is written in few large steps, because each waits for a thread. */
const MAX_WRITE_BYTES = 16 * 1024 * 1024;

/** Write all bytes at the descriptor's position. */
export async function writeBytes(fd: number, data: Uint8Array): Promise<void> {
  let done = 0;
  while (done < data.length) {
    const length = Math.min(data.length - done, MAX_WRITE_BYTES);
    done +=
      data.length <= SYNC_WRITE_BYTES
        ? writeSync(fd, data, done, length)
        : (await writeAsync(fd, data, done, length)).bytesWritten;
  }
}

const writevAsync = promisify(writev);
const maxPieces = 256;

/** Write all pieces at the descriptor's position, many in one trip to another thread. */
export async function writePieces(fd: number, pieces: readonly Uint8Array[]): Promise<void> {
  let left = pieces;
  while (left.length > 0) {
    const some = left.slice(0, maxPieces);
    const { bytesWritten } = await writevAsync(fd, some);
    left = [...withoutStart(some, bytesWritten), ...left.slice(maxPieces)];
  }
}

/** What is left of pieces after so many bytes. */
function withoutStart(pieces: readonly Uint8Array[], bytes: number): Uint8Array[] {
  let done = bytes;
  return pieces.flatMap((piece) => {
    const from = Math.min(done, piece.length);
    done -= from;
    return from === piece.length ? [] : [piece.subarray(from)];
  });
}
