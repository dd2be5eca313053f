import { readIo, readStat } from "./process-table.js";
import { msPerTick } from "./tree-usage.js";

/** What processes used that have ended. */
export interface EndedUsage {
  readonly cpuMs: number;
  readonly ioBytes: number;
}

/**
 * Tells what the descendants of a process used that ended since the last look, however short they ran: the kernel
 * adds it up in the process that waits for them. With several commands at a time, the one that ends gets it all.
 */
export function countChildren(pid: () => number | undefined): () => EndedUsage | undefined {
  let last = readChildren(pid());
  return () => {
    const now = readChildren(pid());
    if (now === undefined) return undefined;
    const used = {
      cpuMs: Math.max(0, now.cpuMs - (last?.cpuMs ?? 0)),
      ioBytes: Math.max(0, now.ioBytes - (last?.ioBytes ?? 0)),
    };
    last = now;
    return used;
  };
}

function readChildren(pid: number | undefined): EndedUsage | undefined {
  if (pid === undefined) return undefined;
  // cutime and cstime.
  const fields = readStat(pid);
  const ioBytes = readIo(pid);
  if (fields.length === 0 || ioBytes === undefined) return undefined;
  return { cpuMs: (Number(fields[13] ?? 0) + Number(fields[14] ?? 0)) * msPerTick, ioBytes };
}
