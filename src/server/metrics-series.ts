import { DurationHistogram } from "../record/duration-histogram.js";
import type { Metrics } from "../record/metrics.js";
import type { MeterReading } from "../record/tool-meter.js";
import type { MetricsSeries } from "./api.js";

export interface SeriesOptions {
  readonly metrics: Pick<Metrics, "toolNames" | "activity" | "reading">;
  /** Calls that run now. */
  readonly running: () => number;
  readonly now: () => number;
  /** @default 8640: a day of one every ten seconds */
  readonly points?: number | undefined;
}

interface Point {
  readonly time: number;
  readonly calls: number;
  readonly failures: number;
  readonly running: number;
  readonly p50Ms: number | null;
  readonly p95Ms: number | null;
  readonly p99Ms: number | null;
}

/** The metrics over time: what happened between one look and the next. */
export class Series {
  readonly #options: SeriesOptions;
  readonly #seen = new Map<string, { readonly activity: number; readonly reading: MeterReading }>();
  readonly #points: Point[] = [];

  constructor(options: SeriesOptions) {
    this.#options = options;
    this.#lookAtAll(); // what was called before is no part of the first point
  }

  /** Add a point for the time since the last one. */
  sample(): void {
    const { running, now, points = 8640 } = this.#options;
    const { calls, failures, durations } = this.#lookAtAll();
    const [p50 = 0, p95 = 0, p99 = 0] = durations.percentiles([0.5, 0.95, 0.99]);
    const none = durations.count === 0;
    this.#points.push({
      time: now(),
      calls,
      failures,
      running: running(),
      p50Ms: none ? null : p50,
      p95Ms: none ? null : p95,
      p99Ms: none ? null : p99,
    });
    if (this.#points.length > points) this.#points.shift();
  }

  /** The points since that time, as columns. */
  since(time: number): MetricsSeries {
    const from = this.#points.findIndex((point) => point.time >= time);
    const points = from < 0 ? [] : this.#points.slice(from);
    return {
      time: points.map((point) => point.time),
      calls: points.map((point) => point.calls),
      failures: points.map((point) => point.failures),
      p50Ms: points.map((point) => point.p50Ms),
      p95Ms: points.map((point) => point.p95Ms),
      p99Ms: points.map((point) => point.p99Ms),
      running: points.map((point) => point.running),
    };
  }

  #lookAtAll(): { calls: number; failures: number; durations: DurationHistogram } {
    const { metrics } = this.#options;
    const sum = { calls: 0, failures: 0, durations: new DurationHistogram() };
    for (const name of metrics.toolNames()) {
      const activity = metrics.activity(name);
      const before = this.#seen.get(name);
      if (before?.activity === activity) continue;
      const reading = metrics.reading(name);
      const base =
        before !== undefined && before.reading.epoch === reading.epoch ? before.reading : undefined;
      const failures = reading.failures - (base?.failures ?? 0);
      sum.failures += failures;
      sum.calls += reading.successes - (base?.successes ?? 0) + failures;
      sum.durations.add(base === undefined ? reading.durations : reading.durations.since(base.durations));
      this.#seen.set(name, { activity, reading });
    }
    return sum;
  }
}
