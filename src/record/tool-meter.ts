import type { ConcurrencyLevel } from "./concurrency-level.js";
import { DurationHistogram } from "./duration-histogram.js";

/** What a call in a process of its own took. */
export interface ResourceUse {
  readonly memoryBytes?: number;
  readonly cpuMs?: number;
  readonly ioBytes?: number;
}

/** Counts the calls of one version of one tool. `at` spares a look at the clock where the caller has just looked. */
export interface ToolMeter {
  /** A call starts to run; `waitedMs` is 0 where it did not have to queue. */
  began(waitedMs: number, at?: number): void;
  /** A call that began has ended, well where there is no error type. */
  ended(durationMs: number, errorType: string | undefined, at?: number): void;
  /** What the process of a call took. */
  resources(use: ResourceUse): void;
  /** A call failed before it ran. */
  refused(errorType: string): void;
}

/** Everything that a meter has counted; sums and extremes only, so that readings can be merged. */
export interface MeterReading {
  /** Rises with each reset: readings of different epochs cannot be compared. */
  epoch: number;
  started: number;
  successes: number;
  failures: number;
  totalMs: number;
  minMs: number;
  maxMs: number;
  waits: number;
  waitedMs: number;
  maxWaitMs: number;
  memorySamples: number;
  memoryBytes: number;
  maxMemoryBytes: number;
  resourceSamples: number;
  cpuMs: number;
  ioBytes: number;
  readonly durations: DurationHistogram;
  readonly errors: Map<string, number>;
}

/** Names of errors can come from outside: a flood of them must not fill the memory. */
const maxErrorTypes = 64;
const otherErrors = "other";

/** The meter that `Metrics` hands out. */
export class RecordingMeter implements ToolMeter {
  #reading = emptyReading();
  readonly #levels: readonly ConcurrencyLevel[];
  readonly #monotonic: () => number;

  /** `levels` all hear when a call starts and ends: this version's, the tool's, the whole runtime's. */
  constructor(levels: readonly ConcurrencyLevel[], monotonic: () => number) {
    this.#levels = levels;
    this.#monotonic = monotonic;
  }

  began(waitedMs: number, at: number = this.#monotonic()): void {
    const reading = this.#reading;
    reading.started += 1;
    for (const level of this.#levels) level.enter(at);
    const waited = clean(waitedMs);
    if (waited === 0) return;
    reading.waits += 1;
    reading.waitedMs += waited;
    if (waited > reading.maxWaitMs) reading.maxWaitMs = waited;
  }

  ended(durationMs: number, errorType: string | undefined, at: number = this.#monotonic()): void {
    const reading = this.#reading;
    for (const level of this.#levels) level.leave(at);
    const duration = clean(durationMs);
    reading.durations.record(duration);
    reading.totalMs += duration;
    if (duration > reading.maxMs) reading.maxMs = duration;
    if (duration < reading.minMs) reading.minMs = duration;
    if (errorType === undefined) reading.successes += 1;
    else this.#fail(errorType);
  }

  resources(use: ResourceUse): void {
    const reading = this.#reading;
    reading.resourceSamples += 1;
    reading.cpuMs += clean(use.cpuMs);
    reading.ioBytes += clean(use.ioBytes);
    if (use.memoryBytes === undefined) return;
    const memory = clean(use.memoryBytes);
    reading.memorySamples += 1;
    reading.memoryBytes += memory;
    if (memory > reading.maxMemoryBytes) reading.maxMemoryBytes = memory;
  }

  refused(errorType: string): void {
    this.#fail(errorType);
  }

  /** How much has happened, as a number that only rises until a reset. */
  get activity(): number {
    return this.#reading.started + this.#reading.successes + this.#reading.failures;
  }

  /** Add all that was counted to a reading of the caller's. */
  addTo(target: MeterReading): void {
    mergeReading(target, this.#reading);
  }

  /** Start again from nothing; calls that run now will be counted when they end. */
  reset(): void {
    this.#reading = { ...emptyReading(), epoch: this.#reading.epoch + 1 };
  }

  #fail(errorType: string): void {
    this.#reading.failures += 1;
    addError(this.#reading.errors, errorType, 1);
  }
}

/** A reading of no calls. */
export function emptyReading(): MeterReading {
  return {
    epoch: 0,
    started: 0,
    successes: 0,
    failures: 0,
    totalMs: 0,
    minMs: Infinity,
    maxMs: 0,
    waits: 0,
    waitedMs: 0,
    maxWaitMs: 0,
    memorySamples: 0,
    memoryBytes: 0,
    maxMemoryBytes: 0,
    resourceSamples: 0,
    cpuMs: 0,
    ioBytes: 0,
    durations: new DurationHistogram(),
    errors: new Map(),
  };
}

function mergeReading(target: MeterReading, source: MeterReading): void {
  target.epoch += source.epoch;
  target.started += source.started;
  target.successes += source.successes;
  target.failures += source.failures;
  target.totalMs += source.totalMs;
  target.minMs = Math.min(target.minMs, source.minMs);
  target.maxMs = Math.max(target.maxMs, source.maxMs);
  target.waits += source.waits;
  target.waitedMs += source.waitedMs;
  target.maxWaitMs = Math.max(target.maxWaitMs, source.maxWaitMs);
  target.memorySamples += source.memorySamples;
  target.memoryBytes += source.memoryBytes;
  target.maxMemoryBytes = Math.max(target.maxMemoryBytes, source.maxMemoryBytes);
  target.resourceSamples += source.resourceSamples;
  target.cpuMs += source.cpuMs;
  target.ioBytes += source.ioBytes;
  target.durations.add(source.durations);
  for (const [type, count] of source.errors) addError(target.errors, type, count);
}

function addError(errors: Map<string, number>, type: string, count: number): void {
  const key = errors.has(type) || errors.size < maxErrorTypes ? type : otherErrors;
  errors.set(key, (errors.get(key) ?? 0) + count);
}

/** What is no amount (NaN, negative, beyond all measure) counts as nothing, so that one bad report spoils no sum. */
function clean(amount: number | undefined): number {
  return amount !== undefined && amount > 0 && amount <= Number.MAX_SAFE_INTEGER ? amount : 0;
}
