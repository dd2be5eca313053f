import { readdirSync, statSync } from "node:fs";
import { readProcessTable, type ProcessRow } from "./process-table.js";

/** Devices and inodes of the regular files that processes and their descendants have open. */
export async function openFilesOf(pids: readonly number[]): Promise<ReadonlySet<string>> {
  const open = new Set<string>();
  if (pids.length === 0) return open;
  for (const pid of descendantsOf(pids, await readProcessTable())) {
    for (const fd of namesIn(`/proc/${pid}/fd`)) {
      const key = regularFile(`/proc/${pid}/fd/${fd}`);
      if (key !== undefined) open.add(key);
    }
  }
  return open;
}

function descendantsOf(pids: readonly number[], table: readonly ProcessRow[]): Set<number> {
  const found = new Set(pids);
  for (let grew = true; grew;) {
    grew = false;
    for (const { pid, parent } of table) {
      if (found.has(pid) || !found.has(parent)) continue;
      found.add(pid);
      grew = true;
    }
  }
  return found;
}

function regularFile(link: string): string | undefined {
  try {
    const stat = statSync(link, { bigint: true });
    return stat.isFile() ? `${stat.dev}:${stat.ino}` : undefined;
  } catch {
    return undefined; // closed meanwhile
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // the process has ended
  }
}
