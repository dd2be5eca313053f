import { statfs } from "node:fs/promises";
import { createLayerCheck, type LayerLimit } from "./layer-limit.js";
import { formatBytes } from "./format-bytes.js";
import { measureDisk, type DiskLimit } from "./measure-disk.js";
import { listDescendants, readProcFile } from "./process-table.js";

/** Limits that the kernel cannot enforce: a command that exceeds one is stopped. */
export interface TreeLimits {
  readonly disk?: DiskLimit | undefined;
  readonly layer?: LayerLimit | undefined;
  /** The number of processes, where no control group limits it. */
  readonly processes?: number | undefined;
}

export interface TreeWatch {
  /** Stop checking; resolves with the limit that was exceeded, if one was. */
  stop(): Promise<string | undefined>;
}

const everyMs = 250;
const maxProcesses = 4096;

/** Check a process tree regularly; `onExceeded` is called once, with the first limit that it exceeds. */
export function watchTree(root: number, limits: TreeLimits, onExceeded: (limit: string) => void): TreeWatch {
  let timer: NodeJS.Timeout | undefined;
  let exceeded: string | undefined;
  let stopped = process.platform !== "linux" || Object.values(limits).every((limit) => limit === undefined);
  const disk = limits.disk === undefined ? undefined : createDiskCheck(limits.disk);
  const layer = limits.layer === undefined ? undefined : createLayerCheck(limits.layer);
  const check = async (): Promise<void> => {
    const pids = listDescendants(root, maxProcesses);
    const { processes } = limits;
    const limit =
      processes !== undefined && pids.length > processes
        ? `it had more than ${processes} processes (sandbox.limits.processes)`
        : ((await disk?.(pids)) ?? (stopped ? undefined : await layer?.()));
    exceeded ??= limit;
    if (stopped) return;
    if (limit === undefined) schedule();
    else onExceeded(limit);
  };
  const schedule = (): void => {
    timer = setTimeout(() => void check(), everyMs).unref();
  };
  if (!stopped) schedule();
  return {
    async stop() {
      stopped = true;
      clearTimeout(timer);
      // A short command may have ended before the first check.
      exceeded ??= await layer?.();
      return exceeded;
    },
  };
}

/**
 * The kernel's count of written bytes and the free disk space are cheap to read, but the first ignores deletions and
 * the second is changed by other programs. So they only decide when the files themselves are measured.
 */
function createDiskCheck(bound: DiskLimit): (pids: readonly number[]) => Promise<string | undefined> {
  const started = Date.now() - 1000; // file times may lag a little behind
  const folders = [...new Set([...bound.own, ...bound.shared])];
  let initialFree: readonly number[] | undefined;
  let nextCheckAt = bound.bytes;
  return async (pids) => {
    const now = await Promise.all(folders.map(freeBytes));
    initialFree ??= now;
    const written = sum(pids.map(writtenBytes));
    const estimate = Math.max(written, ...now.map((bytes, at) => (initialFree?.[at] ?? bytes) - bytes));
    if (estimate <= nextCheckAt) return undefined;
    const measured = (await measureDisk(bound, started, pids)) ?? written;
    nextCheckAt = estimate + bound.bytes / 4;
    return measured > bound.bytes
      ? `it took more than ${formatBytes(bound.bytes)} of the disk (sandbox.limits.disk)`
      : undefined;
  };
}

async function freeBytes(path: string): Promise<number> {
  const { bfree, bsize } = await statfs(path).catch(() => ({ bfree: 0, bsize: 0 }));
  return bfree * bsize;
}

/** Bytes written by a process and by its children that have ended. */
function writtenBytes(pid: number): number {
  return Number(/^write_bytes: (\d+)/m.exec(readProcFile(`/proc/${pid}/io`))?.[1] ?? 0);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
