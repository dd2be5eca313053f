import { lstat, opendir } from "node:fs/promises";
import { join } from "node:path";

/** A file of a cache. */
export interface CacheFile {
  readonly path: string;
  /** Its share of the disk; a file with several names counts once in all. */
  readonly bytes: number;
  /** When it was last written or read, as far as the file system tells, in Unix milliseconds. */
  readonly usedAt: number;
  /** When it was last changed in any way. */
  readonly changedAt: number;
}

const blockBytes = 512;

/** All files below a folder. Commands write there, so no link is followed. */
export async function* cacheFiles(root: string): AsyncGenerator<CacheFile> {
  const open = [root];
  for (let dir = open.pop(); dir !== undefined; dir = open.pop()) {
    const entries = await opendir(dir).catch(() => undefined); // removed or made unreadable in the meantime
    if (entries === undefined) continue;
    for await (const entry of entries) {
      const path = join(dir, entry.name);
      if (entry.isDirectory()) open.push(path);
      if (!entry.isFile()) continue;
      const found = await lstat(path).catch(() => undefined);
      if (found === undefined) continue;
      const { blocks, nlink, atimeMs, mtimeMs, ctimeMs } = found;
      const bytes = (blocks * blockBytes) / Math.max(1, nlink);
      yield { path, bytes, usedAt: Math.max(atimeMs, mtimeMs), changedAt: ctimeMs };
    }
  }
}
