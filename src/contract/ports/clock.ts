/** Time, as an argument, so that tests can hold it. */
export interface Clock {
  /** Unix time in milliseconds. */
  now(): number;
  /** A steady clock in milliseconds, for durations. */
  monotonic(): number;
  /** Resolve after `ms`; reject with the signal's reason when it fires first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}
