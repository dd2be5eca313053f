/** Time, passed as an argument so that tests can control it. */
export interface Clock {
  /** Unix time in milliseconds. */
  readonly now: () => number;
  /** A steady clock in milliseconds, for durations. */
  readonly monotonic: () => number;
  /** Resolve after `ms`; reject with the signal's reason when it fires first. */
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
}
