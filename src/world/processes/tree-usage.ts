import { readSmall, readStat } from "./process-table.js";

/** What a tree of processes takes, looked at now and then: a short command is over before the first look. */
export interface UsageMeter {
  /** Stop looking; what was seen, if anything. */
  stop(): { readonly cpuMs: number; readonly peakBytes: number } | undefined;
}

const firstLookMs = 200;
const everyMs = 1000;
/** Of USER_HZ, which Linux shows to programs as 100 whatever the kernel's own rate is. */
const msPerTick = 10;
const pageBytes = 4096;
const mostProcesses = 32;

/** Watch the tree below a process through /proc; elsewhere nothing is seen. */
export function watchUsage(pid: number): UsageMeter {
  let [cpuMs, peakBytes] = [0, 0];
  let timer: NodeJS.Timeout | undefined;
  const look = (): void => {
    const seen = sample(pid);
    cpuMs = Math.max(cpuMs, seen.ticks * msPerTick);
    peakBytes = Math.max(peakBytes, seen.pages * pageBytes);
    timer = setTimeout(look, everyMs).unref();
  };
  if (process.platform === "linux") timer = setTimeout(look, firstLookMs).unref();
  return {
    stop() {
      clearTimeout(timer);
      return peakBytes === 0 ? undefined : { cpuMs, peakBytes };
    },
  };
}

function sample(root: number): { ticks: number; pages: number } {
  let [ticks, pages] = [0, 0];
  const open = [String(root)];
  for (let count = 0; count < mostProcesses; count++) {
    const pid = open.pop();
    if (pid === undefined) break;
    const fields = readStat(pid);
    // utime, stime, cutime, cstime; then the resident pages.
    for (const at of [11, 12, 13, 14]) ticks += Number(fields[at] ?? 0);
    pages += Number(fields[21] ?? 0);
    open.push(...readSmall(`/proc/${pid}/task/${pid}/children`).split(" ").filter(Boolean));
  }
  return { ticks, pages };
}
