import type { Metrics } from "./metrics.js";
import {
  adviseCaching,
  adviseConcurrency,
  adviseTimeout,
  type Proposal,
  type ToolSample,
  type ToolSettings,
} from "./optimiser-rules.js";
import { emptyReading, type MeterReading } from "./tool-meter.js";

/** `off`: nothing; `advise`: say what would be better; `apply`: do it. */
export type OptimiserMode = "off" | "advise" | "apply";

/** One thing that would be better for one tool. */
export interface Advice extends Proposal {
  readonly toolName: string;
  /** Whether it has been done. */
  readonly applied: boolean;
}

export interface OptimiserOptions {
  readonly mode: OptimiserMode;
  readonly metrics: Metrics;
  readonly apply: {
    setTimeout(toolName: string, ms: number): void;
    setConcurrency(toolName: string, max: number): void;
  };
  /** How a tool is set now; `undefined` where it is gone. */
  readonly current: (toolName: string) => ToolSettings | undefined;
  readonly emit?: (advice: Advice) => void;
  /** Milliseconds of any clock. */
  readonly now: () => number;
  /** @default 60000 */
  readonly windowMs?: number;
  /** Calls in a window below which nothing is said on time limits and concurrency. @default 20 */
  readonly minCalls?: number;
  /** No advice goes above it. @default 64 */
  readonly maxConcurrency?: number;
  /** No advice goes above it. @default 600000 */
  readonly maxTimeoutMs?: number;
}

/** Judges the calls of each window by the rules. */
export interface Optimiser {
  readonly mode: OptimiserMode;
  /** Judge what was called since the last window of each tool; no call is judged twice. Call it every window. */
  review(): Advice[];
}

/** Where the window of one tool began. */
interface Window {
  readonly start: number;
  readonly activity: number;
  readonly reading: MeterReading;
  readonly cachingAdvised: boolean;
}

/** Build an optimiser over the metrics of a runtime. */
export function createOptimiser(options: OptimiserOptions): Optimiser {
  const { mode, metrics, now } = options;
  const limits = {
    windowMs: options.windowMs ?? 60_000,
    minCalls: options.minCalls ?? 20,
    maxConcurrency: options.maxConcurrency ?? 64,
    maxTimeoutMs: options.maxTimeoutMs ?? 600_000,
  };
  const first: Window = { start: now(), activity: 0, reading: emptyReading(), cachingAdvised: false };
  const windows = new Map<string, Window>();

  function reviewTool(toolName: string): Advice[] {
    const window = windows.get(toolName) ?? first;
    const at = now();
    const over = at - window.start >= limits.windowMs;
    const activity = metrics.activity(toolName);
    // Most tools rest most of the time: no reading is copied for them.
    if (activity === window.activity) {
      if (over) windows.set(toolName, { ...window, start: at, cachingAdvised: false });
      return [];
    }
    const reading = metrics.reading(toolName);
    const elapsedMs = Math.max(at - window.start, limits.windowMs);
    const sample = toSample(reading, window.reading, limits.windowMs / elapsedMs);
    const enough = sample.ran >= limits.minCalls;
    const settings = options.current(toolName);
    const caching = settings && !window.cachingAdvised ? adviseCaching(sample, settings) : undefined;
    const found = [
      enough && settings ? adviseTimeout(sample, settings, limits.maxTimeoutMs) : undefined,
      enough && settings ? adviseConcurrency(sample, settings, limits.maxConcurrency) : undefined,
      caching,
    ];
    // Judged calls are not judged again, or one bad minute would lower a limit at every review.
    if (enough || over) windows.set(toolName, { start: at, activity, reading, cachingAdvised: false });
    else windows.set(toolName, { ...window, cachingAdvised: window.cachingAdvised || caching !== undefined });
    return found.filter((proposal) => proposal !== undefined).map((p) => settle(toolName, p, options));
  }

  return { mode, review: () => (mode === "off" ? [] : metrics.toolNames().flatMap(reviewTool)) };
}

/** The calls between two readings; `share` scales their number to one window. */
function toSample(later: MeterReading, earlier: MeterReading, share: number): ToolSample {
  const base = later.epoch === earlier.epoch ? earlier : emptyReading();
  const durations = later.durations.since(base.durations);
  const ran = durations.count;
  const started = later.started - base.started;
  return {
    ran,
    perWindow: ran * share,
    waitRate: started > 0 ? (later.waits - base.waits) / started : 0,
    avg: ran > 0 ? (later.totalMs - base.totalMs) / ran : 0,
    p95: durations.percentile(0.95),
  };
}

function settle(toolName: string, proposal: Proposal, options: OptimiserOptions): Advice {
  const advice = { toolName, ...proposal, ...carryOut(toolName, proposal, options) };
  options.emit?.(advice);
  return advice;
}

function carryOut(
  toolName: string,
  { kind, to, message }: Proposal,
  { mode, apply }: OptimiserOptions,
): { applied: boolean; message: string } {
  if (mode !== "apply" || to === undefined) return { applied: false, message };
  try {
    if (kind === "timeout") apply.setTimeout(toolName, to);
    if (kind === "concurrency") apply.setConcurrency(toolName, to);
    return { applied: true, message };
  } catch (error) {
    // The tool may have gone meanwhile; the others still get their advice.
    return { applied: false, message: `${message} It could not be applied: ${String(error)}` };
  }
}
