import { setTimeout as wait } from "node:timers/promises";
import type { Clock } from "../contract/ports/clock.js";

/** The clock of the machine: the default. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  async sleep(ms, signal) {
    try {
      await wait(ms, undefined, signal === undefined ? {} : { signal });
    } catch (error) {
      throw signal?.aborted === true ? signal.reason : error;
    }
  },
};

/** Milliseconds of a steady clock that all processes of this running system share; it never jumps. */
export function sharedSteadyTime(): number {
  return Number(process.hrtime.bigint() / 1_000_000n);
}
