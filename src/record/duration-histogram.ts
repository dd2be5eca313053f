/**
 * How durations are spread, with a relative error below 1 %.
 *
 * Own code instead of `perf_hooks.createHistogram`, for memory. Measured on Node 20 for 10,000 histograms,
 * resident MB with one value each / with 50 values spread over four orders of magnitude: native at three
 * figures (its default) 107 / 1,123, and 3.5 GB of address space; native at two figures 277 / 282; this one
 * 10 / 39, because a bucket exists only once something fell into it (the logarithmic buckets of DDSketch).
 * The price is time: about 50 ns a record against 25. It can also be copied and subtracted, which the
 * optimiser's window needs and the native one does not offer.
 */
export class DurationHistogram {
  readonly #buckets: Map<number, number>;
  #count = 0;

  constructor(buckets: ReadonlyMap<number, number> = new Map()) {
    this.#buckets = new Map(buckets);
    for (const count of buckets.values()) this.#count += count;
  }

  get count(): number {
    return this.#count;
  }

  /** Count one duration in milliseconds, finite and not negative. */
  record(ms: number): void {
    const bucket = bucketOf(ms);
    this.#buckets.set(bucket, (this.#buckets.get(bucket) ?? 0) + 1);
    this.#count += 1;
  }

  /** The duration that the given share (0 to 1) of all calls did not exceed; 0 when there were none. */
  percentile(share: number): number {
    return this.percentiles([share])[0] ?? 0;
  }

  /** Several percentiles, given in rising order, in one pass. */
  percentiles(shares: readonly number[]): number[] {
    if (this.#count === 0) return shares.map(() => 0);
    const sorted = [...this.#buckets].sort((a, b) => a[0] - b[0]);
    let next = 0;
    let seen = 0;
    return shares.map((share) => {
      const rank = Math.max(1, Math.ceil(share * this.#count));
      while (seen < rank && next < sorted.length) seen += sorted[next++]![1];
      return (2 * growth ** sorted[Math.max(0, next - 1)]![0]) / (growth + 1);
    });
  }

  copy(): DurationHistogram {
    return new DurationHistogram(this.#buckets);
  }

  add(other: DurationHistogram): void {
    for (const [bucket, count] of other.#buckets) {
      this.#buckets.set(bucket, (this.#buckets.get(bucket) ?? 0) + count);
      this.#count += count;
    }
  }

  /** What came in since `earlier`, which must be an older copy of this one. */
  since(earlier: DurationHistogram): DurationHistogram {
    const fresh = new Map<number, number>();
    for (const [bucket, count] of this.#buckets) {
      const added = count - (earlier.#buckets.get(bucket) ?? 0);
      if (added > 0) fresh.set(bucket, added);
    }
    return new DurationHistogram(fresh);
  }

  clear(): void {
    this.#buckets.clear();
    this.#count = 0;
  }
}

/** Each bucket's upper end is this much above its lower end: an error of at most 0.75 % at its middle. */
const growth = 1.015;
const perUnit = 1 / Math.log(growth);
/** One nanosecond and three years: what lies beyond falls into the outermost bucket, so their number is bounded. */
const shortest = 1e-6;
const longest = 1e11;

function bucketOf(ms: number): number {
  if (ms <= shortest) return Math.ceil(Math.log(shortest) * perUnit);
  return Math.ceil(Math.log(ms < longest ? ms : longest) * perUnit);
}
