/** Counts what came unasked and says how long to stop listening. */
export interface FloodGate {
  /** One more unsolicited message; more than 0: pause for that many milliseconds. */
  count(): number;
}

/** Limits on unsolicited messages of a server: progress, logs, noise. */
export interface FloodLimits {
  /** Messages within a window. @default 2000 */
  readonly maxMessages?: number | undefined;
  /** @default 1000 */
  readonly windowMs?: number | undefined;
}

/** Make a gate that lets a burst through and slows a flood down; the writer then waits on its full pipe. */
export function createFloodGate(now: () => number, limits: FloodLimits = {}): FloodGate {
  const { maxMessages = 2000, windowMs = 1000 } = limits;
  let start = now();
  let seen = 0;
  return {
    count() {
      const at = now();
      if (at - start >= windowMs) {
        start = at;
        seen = 0;
      }
      seen += 1;
      return seen <= maxMessages ? 0 : Math.max(1, Math.ceil(start + windowMs - at));
    },
  };
}
