import { readdirSync, statSync } from "node:fs";
import { lstat, opendir } from "node:fs/promises";
import { join } from "node:path";

/** What a command may take of the disk, and where it can. */
export interface DiskBound {
  readonly bytes: number;
  /** Folders that hold only what commands of the session made. */
  readonly own: readonly string[];
  /** Folders that others use, too: what has changed since the start counts. */
  readonly shared: readonly string[];
}

/** More entries than this are not looked at: then the kernel's own count decides. */
const mostEntries = 100_000;
const blockBytes = 512;

/**
 * The bytes on disk of what was made or changed since a point in time, and of files that were deleted while a
 * process still writes them. `undefined` where there are too many files to look at.
 */
export async function measureDisk(
  { own, shared }: DiskBound,
  since: number,
  pids: readonly number[],
): Promise<number | undefined> {
  const walk: Walk = { bytes: deletedOpen(pids), entries: 0 };
  for (const root of own) await addTree(root, walk, () => true);
  for (const root of shared) await addTree(root, walk, (changedMs) => changedMs >= since);
  return walk.entries > mostEntries ? undefined : walk.bytes;
}

interface Walk {
  bytes: number;
  entries: number;
}

async function addTree(root: string, walk: Walk, counts: (changedMs: number) => boolean): Promise<void> {
  const open = [root];
  for (let dir = open.pop(); dir !== undefined && walk.entries <= mostEntries; dir = open.pop()) {
    const entries = await opendir(dir).catch(() => undefined); // gone or closed to us meanwhile
    if (entries === undefined) continue;
    for await (const entry of entries) {
      const path = join(dir, entry.name);
      walk.entries += 1;
      if (walk.entries > mostEntries) break;
      if (entry.isDirectory()) open.push(path);
      if (!entry.isFile()) continue;
      const found = await lstat(path).catch(() => undefined);
      if (found !== undefined && counts(found.ctimeMs)) walk.bytes += found.blocks * blockBytes;
    }
  }
}

/** Each file once, however many have it open. */
function deletedOpen(pids: readonly number[]): number {
  const sizes = new Map<string, number>();
  for (const pid of pids) {
    for (const fd of list(`/proc/${pid}/fd`)) {
      try {
        const found = statSync(`/proc/${pid}/fd/${fd}`);
        if (found.isFile() && found.nlink === 0)
          sizes.set(`${found.dev}:${found.ino}`, found.blocks * blockBytes);
      } catch {
        // closed meanwhile
      }
    }
  }
  return [...sizes.values()].reduce((sum, bytes) => sum + bytes, 0);
}

function list(dir: string): string[] {
  try {
    return readdirSync(dir);
  } catch {
    return []; // it has ended, or is not ours to look at
  }
}
