import { performance } from "node:perf_hooks";
import type { Clock } from "../../contract/ports/clock.js";

const maxTimerMs = 2 ** 31 - 1;

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
