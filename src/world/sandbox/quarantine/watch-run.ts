import type { JudgedRun } from "./judge-runs.js";

/** A look that repeats while a run lasts. */
export interface RunWatch {
  /** No look begins any more; resolves when none is under way. */
  stop(): Promise<void>;
}

const intervalMs = 1000;
/** Looks take at most a twentieth of the time. */
const share = 20;

/** Look at what a run changes, again and again until it ends. */
export function watchRun(run: JudgedRun, monotonic: () => number): RunWatch {
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> = Promise.resolve();
  let isOver = false;
  const plan = (ms: number): void => {
    timer = setTimeout(() => {
      looking = look();
    }, ms);
    timer.unref();
  };
  const look = async (): Promise<void> => {
    const start = monotonic();
    // What cannot be judged now is judged at the end, whose failure is told.
    await run.look("running").catch(() => {});
    if (!isOver) plan(Math.max(intervalMs, share * (monotonic() - start)));
  };
  plan(intervalMs);
  return {
    stop() {
      isOver = true;
      clearTimeout(timer);
      return looking;
    },
  };
}
