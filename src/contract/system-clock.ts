import type { Clock } from "./ports/clock.js";

/** Longer timers fire immediately. */
export const maxTimerMs = 2 ** 31 - 1;

/** The clock of the machine. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted === true) {
        reject(signal.reason as Error);
        return;
      }
      const stop = () => {
        clearTimeout(timer);
        reject(signal?.reason as Error);
      };
      const timer = setTimeout(
        () => {
          signal?.removeEventListener("abort", stop);
          resolve();
        },
        Math.min(Math.max(ms, 0), maxTimerMs),
      );
      signal?.addEventListener("abort", stop, { once: true });
    }),
};

/** Run a step with a time limit, after which it rejects with the error of `late`; the step's own end is then ignored. */
export async function withinTime<Value>(
  step: () => Value | Promise<Value>,
  limitMs: number,
  /** The error, or what the step is called in it. */
  late: string | (() => Error),
): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const expired = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(typeof late === "string" ? new Error(`${late} took longer than ${limitMs} ms`) : late()),
      Math.min(limitMs, maxTimerMs),
    );
  });
  try {
    return await Promise.race([(async () => await step())(), expired]);
  } finally {
    clearTimeout(timer);
  }
}
