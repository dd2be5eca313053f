import { read, write, writeSync } from "node:fs";
import { promisify } from "node:util";
import { throwIfAborted, fileTooLarge } from "./file-errors.js";

const readAsync = promisify(read);
const writeAsync = promisify(write);

/** Up to this size a synchronous write is quicker than a trip through the thread pool. */
const SYNC_WRITE_BYTES = 256 * 1024;
const CHUNK_BYTES = 1024 * 1024;
/** What lies in memory goes in few trips: each one waits for a thread. */
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

/** A limit on copied bytes, and the path to name where it is passed. */
export interface CopyLimit {
  readonly text: string;
  readonly maxBytes: number;
  readonly signal?: AbortSignal;
}

/** Copy one open file to the end of another and return how many bytes it took. */
export async function copyBytes(from: number, to: number, limit: CopyLimit): Promise<number> {
  const buffer = Buffer.allocUnsafeSlow(CHUNK_BYTES);
  let copied = 0;
  for (;;) {
    throwIfAborted(limit.signal);
    const { bytesRead } = await readAsync(from, buffer, 0, CHUNK_BYTES, copied);
    if (bytesRead === 0) return copied;
    copied += bytesRead;
    if (copied > limit.maxBytes) throw fileTooLarge(limit.text, limit.maxBytes);
    await writeBytes(to, buffer.subarray(0, bytesRead));
  }
}
