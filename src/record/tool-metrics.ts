import type { MeterReading } from "./tool-meter.js";

/** What is known of the calls of one tool. Times are in milliseconds. */
export interface ToolMetrics extends CallMetrics {
  readonly toolName: string;
  /** Only where the numbers are of one version alone. */
  readonly version?: string;
}

/** Numbers about calls, of one tool or of all. */
export interface CallMetrics {
  /** Calls that ended, refusals included: successes and failures together. */
  readonly calls: number;
  readonly successes: number;
  readonly failures: number;
  /** Of the calls that ran; percentiles are right to 1 %, the others exact. */
  readonly duration: {
    readonly count: number;
    readonly total: number;
    readonly avg: number;
    readonly p50: number;
    readonly p95: number;
    readonly p99: number;
    readonly max: number;
  };
  /** Calls that run: now, at the peak, and on the mean over the time in which any ran. */
  readonly concurrency: { readonly now: number; readonly mean: number; readonly peak: number };
  /** Calls that had to queue, and how long. */
  readonly waits: { readonly count: number; readonly total: number; readonly max: number };
  /** What the processes of its calls took; only where a process reported. */
  readonly resources?: {
    readonly samples: number;
    readonly memoryAvgBytes: number;
    readonly memoryPeakBytes: number;
    readonly cpuMs: number;
    readonly ioBytes: number;
  };
  /** Failures by the type of their error; an object without prototype. */
  readonly errors: Readonly<Record<string, number>>;
}

/** Turn a reading into the numbers that people and programs look at. */
export function toCallMetrics(reading: MeterReading, concurrency: CallMetrics["concurrency"]): CallMetrics {
  const { successes, failures } = reading;
  return {
    calls: successes + failures,
    successes,
    failures,
    duration: toDuration(reading),
    concurrency,
    waits: { count: reading.waits, total: reading.waitedMs, max: reading.maxWaitMs },
    ...(reading.resourceSamples > 0 && { resources: toResources(reading) }),
    errors: toRecord(reading.errors),
  };
}

/** An object with any keys, `__proto__` included, and nothing inherited. */
export function toRecord<Value>(entries: Iterable<readonly [string, Value]>): Record<string, Value> {
  const record = Object.create(null) as Record<string, Value>;
  for (const [key, value] of entries) record[key] = value;
  return record;
}

function toDuration(reading: MeterReading): CallMetrics["duration"] {
  const { durations, totalMs, minMs, maxMs } = reading;
  const [p50 = 0, p95 = 0, p99 = 0] = durations
    .percentiles([0.5, 0.95, 0.99])
    .map((value) => Math.min(maxMs, Math.max(minMs, value)));
  const count = durations.count;
  return { count, total: totalMs, avg: count > 0 ? totalMs / count : 0, p50, p95, p99, max: maxMs };
}

function toResources(reading: MeterReading): NonNullable<CallMetrics["resources"]> {
  const { resourceSamples, memorySamples, memoryBytes, maxMemoryBytes, cpuMs, ioBytes } = reading;
  return {
    samples: resourceSamples,
    memoryAvgBytes: memorySamples > 0 ? memoryBytes / memorySamples : 0,
    memoryPeakBytes: maxMemoryBytes,
    cpuMs,
    ioBytes,
  };
}
