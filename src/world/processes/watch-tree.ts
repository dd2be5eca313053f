import { statfs } from "node:fs/promises";
import { measureDisk, type DiskBound } from "./measure-disk.js";
import { readSmall } from "./process-table.js";

/** Limits that no call of the kernel sets: whoever goes beyond them is stopped. */
export interface TreeBounds {
  readonly disk?: DiskBound | undefined;
  /** Processes, where the kernel does not count them for us. */
  readonly processes?: number | undefined;
}

export interface TreeWatch {
  stop(): void;
}

const everyMs = 250;
const mostProcesses = 4096;

/** Look at a tree of processes now and then; `onExceeded` is told the first limit that it went beyond, once. */
export function watchTree(root: number, bounds: TreeBounds, onExceeded: (limit: string) => void): TreeWatch {
  let timer: NodeJS.Timeout | undefined;
  let stopped = process.platform !== "linux" || (bounds.disk === undefined && bounds.processes === undefined);
  const disk = bounds.disk === undefined ? undefined : createDiskCheck(bounds.disk);
  const look = async (): Promise<void> => {
    const pids = treeOf(root);
    const { processes } = bounds;
    const limit =
      processes !== undefined && pids.length > processes
        ? `it had more than ${processes} processes (sandbox.limits.processes)`
        : await disk?.(pids);
    if (stopped) return;
    if (limit === undefined) schedule();
    else onExceeded(limit);
  };
  const schedule = (): void => {
    timer = setTimeout(() => void look(), everyMs).unref();
  };
  if (!stopped) schedule();
  return {
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
  };
}

/**
 * The kernel's count of written bytes and the free space of the disk are cheap to read, but one forgets what
 * was deleted, and others fill the disk, too. So they only say when the files themselves are looked at.
 */
function createDiskCheck(bound: DiskBound): (pids: readonly number[]) => Promise<string | undefined> {
  const started = Date.now() - 1000; // files may carry a time that is a little behind
  const places = [...new Set([...bound.own, ...bound.shared])];
  let free: readonly number[] | undefined;
  let next = bound.bytes;
  return async (pids) => {
    const now = await Promise.all(places.map(freeBytes));
    free ??= now;
    const written = sum(pids.map(writtenBytes));
    const taken = Math.max(written, ...now.map((bytes, at) => (free?.[at] ?? bytes) - bytes));
    if (taken <= next) return undefined;
    const measured = (await measureDisk(bound, started, pids)) ?? written;
    next = taken + bound.bytes / 4;
    return measured > bound.bytes
      ? `it took more than ${toText(bound.bytes)} of the disk (sandbox.limits.disk)`
      : undefined;
  };
}

async function freeBytes(path: string): Promise<number> {
  const { bfree, bsize } = await statfs(path).catch(() => ({ bfree: 0, bsize: 0 }));
  return bfree * bsize;
}

/** Of a process and of those of its children that have ended. */
function writtenBytes(pid: number): number {
  return Number(/^write_bytes: (\d+)/m.exec(readSmall(`/proc/${pid}/io`))?.[1] ?? 0);
}

function treeOf(root: number): number[] {
  const found = [root];
  for (let at = 0; at < found.length && found.length < mostProcesses; at++) {
    const pid = found[at];
    found.push(...readSmall(`/proc/${pid}/task/${pid}/children`).split(" ").filter(Boolean).map(Number));
  }
  return found;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}

function toText(bytes: number): string {
  const MiB = 1024 * 1024;
  return bytes >= MiB ? `${Math.round(bytes / MiB)} MiB` : `${bytes} bytes`;
}
