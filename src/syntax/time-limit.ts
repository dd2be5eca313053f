/** Clocks in milliseconds. */
export interface Clocks {
  readonly wallMs: () => number;
  /** Processor time of this thread; `undefined` where the system does not say. */
  readonly cpuMs: () => number | undefined;
}

/** However busy the machine is, work ends after this many times its limit. */
const maxSlowdown = 10;

/**
 * A function that says whether work has used up its processor time; where that is unknown, the time that has passed. What is asked
 * often must be cheap, so processor time is read only of work that takes a twentieth of the limit and when it may be over.
 */
export function createTimeLimit(limitMs: number, { wallMs, cpuMs }: Clocks): () => boolean {
  const started = wallMs();
  const latest = started + limitMs * maxSlowdown;
  let begin: number | undefined;
  let next = started + limitMs / 20;
  return () => {
    const now = wallMs();
    if (now < next) return false;
    if (begin === undefined) {
      begin = cpuMs() ?? Number.NaN;
      next = started + limitMs;
      if (now < next) return false;
    }
    const used = (cpuMs() ?? Number.NaN) - begin;
    if (!(used < limitMs) || now >= latest) return true;
    next = Math.min(now + limitMs - used, latest);
    return false;
  };
}
