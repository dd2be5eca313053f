import { listDescendants, readStat } from "./process-table.js";

/** Samples the resources that a process tree uses; a short command ends before the first sample. */
export interface UsageMeter {
  /** Stop sampling; what was measured, if anything. */
  stop(): { readonly cpuMs: number; readonly peakBytes: number } | undefined;
}

const firstSampleMs = 200;
const sampleEveryMs = 1000;
/** A tick of USER_HZ, which is 100 for programs on Linux, whatever the rate of the kernel is. */
const msPerTick = 10;
const pageBytes = 4096;
const maxProcesses = 32;

/** Sample the tree below a process through /proc; on systems without it nothing is measured. */
export function watchUsage(pid: number): UsageMeter {
  let [cpuMs, peakBytes] = [0, 0];
  let timer: NodeJS.Timeout | undefined;
  const takeSample = (): void => {
    const seen = sampleUsage(pid);
    cpuMs = Math.max(cpuMs, seen.ticks * msPerTick);
    peakBytes = Math.max(peakBytes, seen.pages * pageBytes);
    timer = setTimeout(takeSample, sampleEveryMs).unref();
  };
  if (process.platform === "linux") timer = setTimeout(takeSample, firstSampleMs).unref();
  return {
    stop() {
      clearTimeout(timer);
      return peakBytes === 0 ? undefined : { cpuMs, peakBytes };
    },
  };
}

function sampleUsage(root: number): { ticks: number; pages: number } {
  let [ticks, pages] = [0, 0];
  for (const pid of listDescendants(root, maxProcesses)) {
    const fields = readStat(pid);
    // utime, stime, cutime, cstime; then the resident pages.
    for (const at of [11, 12, 13, 14]) ticks += Number(fields[at] ?? 0);
    pages += Number(fields[21] ?? 0);
  }
  return { ticks, pages };
}
