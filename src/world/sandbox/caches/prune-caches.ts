import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { removeTree } from "../layer/remove-tree.js";
import { cacheFiles, type CacheFile } from "./cache-files.js";

/** A cache on disk. */
export interface PrunedCache {
  readonly dir: string;
  /** Whether each file stands for itself, so that the tool downloads a missing one again; otherwise only all of it can go. */
  readonly isLoose: boolean;
}

interface Removable {
  readonly bytes: number;
  readonly usedAt: number;
  remove(): Promise<void>;
}

/** Some more is removed at once, so that this does not happen after every command. */
const keptShare = 0.9;

/** Remove what was unused for longest until the caches are within the limit; returns how many bytes were removed. */
export async function pruneCaches(caches: readonly PrunedCache[], maxBytes: number): Promise<number> {
  const parts = (await Promise.all(caches.map(partsOf))).flat();
  const total = parts.reduce((sum, { bytes }) => sum + bytes, 0);
  if (total <= maxBytes) return 0;
  let removed = 0;
  for (const part of parts.toSorted((one, other) => one.usedAt - other.usedAt)) {
    if (total - removed <= maxBytes * keptShare) break;
    await part.remove();
    removed += part.bytes;
  }
  return removed;
}

async function partsOf({ dir, isLoose }: PrunedCache): Promise<Removable[]> {
  const files: CacheFile[] = [];
  for await (const file of cacheFiles(dir)) files.push(file);
  if (isLoose)
    return files.map(({ path, bytes, usedAt }) => ({
      bytes,
      usedAt,
      remove: () => rm(path, { force: true }),
    }));
  if (files.length === 0) return [];
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  const usedAt = files.reduce((latest, file) => Math.max(latest, file.usedAt), 0);
  return [{ bytes, usedAt, remove: () => emptyFolder(dir) }];
}

/** The folder itself stays, because the next command mounts it. */
async function emptyFolder(dir: string): Promise<void> {
  for (const name of await readdir(dir)) await removeTree(join(dir, name));
}
