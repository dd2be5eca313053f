import { closeSync } from "node:fs";
import { syncFile } from "../files/sync-directory.js";

/** Flushes of many files that wait for the disk together. */
export interface Flushes {
  /** Flush a descriptor and close it, some time before `end`. */
  readonly add: (fd: number) => Promise<void>;
  /** Wait for all. */
  end(): Promise<void>;
}

const maxPending = 32;

/** Begin a series of flushes. */
export function createFlushes(): Flushes {
  const pending = new Set<Promise<void>>();
  let failure: unknown;
  const flush = async (fd: number): Promise<void> => {
    try {
      await syncFile(fd);
    } catch (error) {
      // Some file systems know no flush of directories, and say so in this way.
      if ((error as NodeJS.ErrnoException).code !== "EINVAL") failure ??= error;
    } finally {
      closeSync(fd);
    }
  };
  return {
    async add(fd) {
      const flushing: Promise<void> = flush(fd).finally(() => pending.delete(flushing));
      pending.add(flushing);
      if (pending.size >= maxPending) await Promise.race(pending);
    },
    async end() {
      await Promise.all(pending);
      if (failure !== undefined) throw failure;
    },
  };
}
