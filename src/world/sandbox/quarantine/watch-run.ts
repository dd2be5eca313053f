import type { JudgedRun } from "./judge-runs.js";

/** A repeated check while a command runs. */
export interface RunWatch {
  /** Stop checking; resolves when no check is running. */
  stop(): Promise<void>;
}

const intervalMs = 1000;
/** Checks take at most a twentieth of the time. */
const maxShare = 20;

/** Check the changes of a command repeatedly until it ends. */
export function watchRun(run: JudgedRun, monotonic: () => number): RunWatch {
  let timer: NodeJS.Timeout | undefined;
  let checking: Promise<void> = Promise.resolve();
  let stopped = false;
  const schedule = (ms: number): void => {
    timer = setTimeout(() => {
      checking = check();
    }, ms);
    timer.unref();
  };
  const check = async (): Promise<void> => {
    const start = monotonic();
    // What cannot be judged now is judged at the end, where a failure is reported.
    await run.check("running").catch(() => {});
    if (!stopped) schedule(Math.max(intervalMs, maxShare * (monotonic() - start)));
  };
  schedule(intervalMs);
  return {
    stop() {
      stopped = true;
      clearTimeout(timer);
      return checking;
    },
  };
}
