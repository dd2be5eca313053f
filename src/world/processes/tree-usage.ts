import { listDescendants, readIo, readStat } from "./process-table.js";

/** What a process tree used. */
export interface TreeUsage {
  readonly cpuMs: number;
  /** Unknown for a command that ended before it could be measured. */
  readonly peakBytes?: number;
  /** Bytes that were read and written, pipes included. */
  readonly ioBytes: number;
}

/** Samples the resources that a process tree uses; a short command ends before the first sample. */
export interface UsageMeter {
  /** Stop sampling; what was measured, or reported at the end, if anything. */
  stop(used?: { readonly ioBytes: number; readonly cpuMs: number }): TreeUsage | undefined;
}

const firstSampleMs = 200;
const sampleEveryMs = 1000;
/** A tick of USER_HZ, which is 100 for programs on Linux, whatever the rate of the kernel is. */
export const msPerTick = 10;
const pageBytes = 4096;
const maxProcesses = 32;

/** Sample the tree below a process through /proc; on systems without it nothing is measured. */
export function watchUsage(pid: number): UsageMeter {
  let [cpuMs, peakBytes, ioBytes] = [0, 0, 0];
  let timer: NodeJS.Timeout | undefined;
  const takeSample = (): void => {
    const seen = sampleUsage(pid);
    cpuMs = Math.max(cpuMs, seen.ticks * msPerTick);
    peakBytes = Math.max(peakBytes, seen.pages * pageBytes);
    ioBytes = Math.max(ioBytes, seen.ioBytes);
    timer = setTimeout(takeSample, sampleEveryMs).unref();
  };
  if (process.platform === "linux") timer = setTimeout(takeSample, firstSampleMs).unref();
  return {
    stop(used) {
      clearTimeout(timer);
      if (peakBytes === 0 && used === undefined) return undefined;
      return {
        cpuMs: Math.max(cpuMs, used?.cpuMs ?? 0),
        ioBytes: Math.max(ioBytes, used?.ioBytes ?? 0),
        ...(peakBytes > 0 && { peakBytes }),
      };
    },
  };
}

function sampleUsage(root: number): { ticks: number; pages: number; ioBytes: number } {
  let [ticks, pages, ioBytes] = [0, 0, 0];
  for (const pid of listDescendants(root, maxProcesses)) {
    const fields = readStat(pid);
    // utime, stime, cutime, cstime; then the resident pages.
    for (const at of [11, 12, 13, 14]) ticks += Number(fields[at] ?? 0);
    pages += Number(fields[21] ?? 0);
    ioBytes += readIo(pid) ?? 0;
  }
  return { ticks, pages, ioBytes };
}
