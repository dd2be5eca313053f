import type { Clock } from "./ports/clock.js";

/** Longer timers fire immediately. */
export const maxTimerMs = 2 ** 31 - 1;

/** The clock of the machine. */
export const systemClock: Clock = {
  now: () => Date.now(),
  // `performance` loads a dozen modules of Node.js, which a short command would wait for.
  monotonic: () => {
    const [seconds, nanoseconds] = process.hrtime();
    return seconds * 1000 + nanoseconds / 1e6;
  },
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

/** What the work resolves to, or `undefined` once `ms` have passed; its own end is then ignored. */
export async function waitAtMost<Value>(work: Promise<Value>, ms: number): Promise<Value | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

/** Whether a promise is fulfilled within `ms`. */
export async function settlesWithin(promise: Promise<unknown>, ms: number): Promise<boolean> {
  return (
    (await waitAtMost(
      promise.then(() => true),
      ms,
    )) === true
  );
}

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
