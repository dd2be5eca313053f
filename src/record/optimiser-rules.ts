/** The calls of one tool in one window. Times are in milliseconds. */
export interface ToolSample {
  /** Calls that ran to an end, well or not. */
  readonly ran: number;
  /** The same, scaled to one window where the review came late. */
  readonly perWindow: number;
  /** The share of calls that had to queue, 0 to 1. */
  readonly waitRate: number;
  readonly avg: number;
  readonly p95: number;
}

export interface ToolSettings {
  /** `null`: the tool keeps its own limit, which is left alone. */
  readonly timeoutMs: number | null;
  /** Calls that may run at the same time. */
  readonly max: number;
  /** Cached already, so there is nothing to advise. */
  readonly cacheable: boolean;
  /** `false`: it changes something, so caching it would be wrong. */
  readonly readOnly?: boolean;
  /** The most that `max` may ever become, such as 1 for a tool that must not run concurrently with itself. */
  readonly maxCap?: number;
}

/** A change of a tool's settings that the optimiser proposes. */
export interface Proposal {
  readonly kind: "timeout" | "concurrency" | "caching";
  /** For people: what, and which numbers say so. */
  readonly message: string;
  /** The present and the better value, in milliseconds or calls. */
  readonly from?: number;
  readonly to?: number;
}

const shortestTimeoutMs = 5_000;
/** A change below this share is not worth one. */
const noticeable = 0.1;

/** Time limit = max(1.5 × p95, 3 × avg, 5 s), at most `cap`. */
export function adviseTimeout(
  { ran, avg, p95 }: ToolSample,
  { timeoutMs: from }: ToolSettings,
  cap: number,
): Proposal | undefined {
  if (from === null) return undefined;
  const wanted = Math.ceil(Math.max(1.5 * p95, 3 * avg, shortestTimeoutMs));
  // A limit that somebody set above the cap is not lowered because of the cap.
  if (wanted > cap && from >= cap) return undefined;
  const to = Math.max(1, Math.min(wanted, cap));
  if (Math.abs(to - from) < from * noticeable) return undefined;
  const numbers = `p95 ${inMs(p95)} and mean ${inMs(avg)} over ${ran} calls`;
  return {
    kind: "timeout",
    message: `A time limit of ${to} ms instead of ${from} ms fits: ${numbers}.`,
    from,
    to,
  };
}

/** Concurrency down by a quarter when more than 10 % of the calls waited, up by one when less than 1 % did. */
export function adviseConcurrency(
  { ran, waitRate }: ToolSample,
  { max, maxCap = Infinity }: ToolSettings,
  cap: number,
): Proposal | undefined {
  if (waitRate >= 0.01 && waitRate <= 0.1) return undefined;
  const top = Math.max(1, Math.floor(Math.min(cap, maxCap)));
  const falls = waitRate > 0.1;
  const to = Math.max(1, falls ? Math.floor(Math.min(max, top) * 0.75) : Math.min(Math.floor(max) + 1, top));
  // Written so that a limit that is not a number gets no advice.
  const better = falls ? to < max : to > max;
  if (!better) return undefined;
  const numbers = `${(waitRate * 100).toFixed(1)} % of ${ran} calls waited`;
  const message = `At most ${to} calls at the same time instead of ${max}: ${numbers}.`;
  return { kind: "concurrency", message, from: max, to };
}

/** Caching for more than 10 calls a window at more than 100 ms. */
export function adviseCaching(
  { perWindow, avg }: ToolSample,
  { cacheable, readOnly = true }: ToolSettings,
): Proposal | undefined {
  if (cacheable || !readOnly || perWindow <= 10 || avg <= 100) return undefined;
  const numbers = `${Math.round(perWindow)} calls a window at ${inMs(avg)} on the mean`;
  return { kind: "caching", message: `Caching would help, if equal calls give equal results: ${numbers}.` };
}

function inMs(ms: number): string {
  return `${ms >= 10 ? Math.round(ms) : Number(ms.toPrecision(2))} ms`;
}
