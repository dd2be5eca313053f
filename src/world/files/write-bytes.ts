import { write, writeSync } from "node:fs";
import { promisify } from "node:util";

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
