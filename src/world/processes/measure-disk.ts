import { readdirSync, statSync } from "node:fs";
import { lstat, opendir } from "node:fs/promises";
import { join } from "node:path";

/** How much disk space a command may use, and the folders that it can write. */
export interface DiskLimit {
  readonly bytes: number;
  /** Folders that only commands of the session write. */
  readonly own: readonly string[];
  /** Folders that others write, too: only changes since the start count. */
  readonly shared: readonly string[];
}

/** With more entries than this, the kernel's count of written bytes decides. */
const maxEntries = 100_000;
const blockBytes = 512;

/**
 * The disk space of files that were created or changed since a point in time, and of deleted files that a process
 * still has open. `undefined` if there are too many files to check.
 */
export async function measureDisk(
  { own, shared }: DiskLimit,
  since: number,
  pids: readonly number[],
): Promise<number | undefined> {
  const walk: DiskTotal = { bytes: deletedOpenBytes(pids), entries: 0 };
  for (const root of own) await addTree(root, walk, () => true);
  for (const root of shared) await addTree(root, walk, (changedMs) => changedMs >= since);
  return walk.entries > maxEntries ? undefined : walk.bytes;
}

interface DiskTotal {
  bytes: number;
  entries: number;
}

async function addTree(
  root: string,
  total: DiskTotal,
  counts: (changedMs: number) => boolean,
): Promise<void> {
  const open = [root];
  for (let dir = open.pop(); dir !== undefined && total.entries <= maxEntries; dir = open.pop()) {
    const entries = await opendir(dir).catch(() => undefined); // removed or made unreadable in the meantime
    if (entries === undefined) continue;
    for await (const entry of entries) {
      const path = join(dir, entry.name);
      total.entries += 1;
      if (total.entries > maxEntries) break;
      if (entry.isDirectory()) open.push(path);
      if (!entry.isFile()) continue;
      const found = await lstat(path).catch(() => undefined);
      if (found !== undefined && counts(found.ctimeMs)) total.bytes += found.blocks * blockBytes;
    }
  }
}

/** Counts each file once, however many processes have it open. */
function deletedOpenBytes(pids: readonly number[]): number {
  const sizes = new Map<string, number>();
  for (const pid of pids) {
    for (const fd of listFolder(`/proc/${pid}/fd`)) {
      try {
        const found = statSync(`/proc/${pid}/fd/${fd}`);
        if (found.isFile() && found.nlink === 0)
          sizes.set(`${found.dev}:${found.ino}`, found.blocks * blockBytes);
      } catch {
        // closed in the meantime
      }
    }
  }
  return [...sizes.values()].reduce((sum, bytes) => sum + bytes, 0);
}

function listFolder(dir: string): string[] {
  try {
    return readdirSync(dir);
  } catch {
    return []; // the process has ended or belongs to another user
  }
}
