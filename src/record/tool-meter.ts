import { DurationHistogram } from "./duration-histogram.js";

/** What the process of a call used. */
export interface ResourceUse {
  readonly memoryBytes?: number;
  readonly cpuMs?: number;
  readonly ioBytes?: number;
}

/** Counts the calls of one version of one tool. `at` saves reading the clock if the caller just did. */
export interface ToolMeter {
  /** A call starts to run; `waitedMs` is 0 if it did not have to queue. */
  began(waitedMs: number, at?: number): void;
  /** A call that began has ended, successfully if there is no error type. */
  ended(durationMs: number, errorType: string | undefined, at?: number): void;
  /** Count what the process of a call used. */
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

/** No call runs for thirty years: a longer gap is a broken clock. */
const maxGapMs = 1e12;

/** How many calls run: now, at the peak, and on average. */
export class ConcurrencyLevel {
  #running = 0;
  #peak = 0;
  #changedAt = -Infinity;
  /** Milliseconds in which at least one call ran. */
  #busyMs = 0;
  /** The same milliseconds, each as often as calls ran in it. */
  #callMs = 0;

  enter(at: number): void {
    this.#advance(at);
    this.#running += 1;
    if (this.#running > this.#peak) this.#peak = this.#running;
  }

  leave(at: number): void {
    if (this.#running === 0) return;
    this.#advance(at);
    this.#running -= 1;
  }

  /** The mean is weighted by time and covers only the time in which something ran: idle time does not count. */
  read(at: number): { now: number; mean: number; peak: number } {
    this.#advance(at);
    const mean = this.#busyMs > 0 ? this.#callMs / this.#busyMs : 0;
    return { now: this.#running, mean, peak: this.#peak };
  }

  /** Forget the past; what runs keeps running. */
  reset(at: number): void {
    this.#advance(at);
    this.#peak = this.#running;
    this.#busyMs = 0;
    this.#callMs = 0;
  }

  #advance(at: number): void {
    const passed = at - this.#changedAt;
    // A clock that stands still, steps back or returns NaN adds nothing.
    if (!(passed > 0) || at === Infinity) return;
    this.#changedAt = at;
    if (this.#running === 0 || passed > maxGapMs) return;
    this.#busyMs += passed;
    this.#callMs += passed * this.#running;
  }
}

/** Names of errors can come from outside: their number is bounded. */
const maxErrorTypes = 64;
const otherErrors = "other";

export class RecordingMeter implements ToolMeter {
  #reading = emptyReading();
  readonly #levels: readonly ConcurrencyLevel[];
  readonly #monotonic: () => number;

  /** `levels` are all told when a call starts and ends: this version's, the tool's, the runtime's. */
  constructor(levels: readonly ConcurrencyLevel[], monotonic: () => number) {
    this.#levels = levels;
    this.#monotonic = monotonic;
  }

  began(waitedMs: number, at: number = this.#monotonic()): void {
    const reading = this.#reading;
    reading.started += 1;
    for (const level of this.#levels) level.enter(at);
    const waited = toAmount(waitedMs);
    if (waited === 0) return;
    reading.waits += 1;
    reading.waitedMs += waited;
    if (waited > reading.maxWaitMs) reading.maxWaitMs = waited;
  }

  ended(durationMs: number, errorType: string | undefined, at: number = this.#monotonic()): void {
    const reading = this.#reading;
    for (const level of this.#levels) level.leave(at);
    const duration = toAmount(durationMs);
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
    reading.cpuMs += toAmount(use.cpuMs);
    reading.ioBytes += toAmount(use.ioBytes);
    if (use.memoryBytes === undefined) return;
    const memory = toAmount(use.memoryBytes);
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

/** NaN, negative and huge amounts count as nothing, so that one bad report does not spoil a sum. */
function toAmount(amount: number | undefined): number {
  return amount !== undefined && amount > 0 && amount <= Number.MAX_SAFE_INTEGER ? amount : 0;
}
