import { createRequire } from "node:module";
import type * as Lru from "lru-cache";
import type { ContentPart } from "../contract/call.js";
import type { Sighting } from "../contract/ports/seen.js";

/** How much is kept. */
export interface CacheLimits {
  readonly maxBytes: number;
  readonly maxEntries: number;
  readonly ttlMs: number;
}

/** An answer that may be given again as long as what it read has this version. */
export interface KeptAnswer {
  readonly version: string;
  /** A copy that nothing else refers to. */
  readonly result: unknown;
  /** The parts of files that the session saw through this answer. */
  readonly sightings: readonly { readonly path: string; readonly sighting: Sighting }[];
  /** It came from outside. */
  readonly tainted: boolean;
  readonly expiresAt: number;
  /** The result as JSON, from the second time it is given on. */
  text?: string | undefined;
  /** The tool's rendering of it, if it consists of texts only; also stored from the second use on. */
  rendered?: readonly ContentPart[] | undefined;
  /** What the session had seen when it was last told about the sightings. */
  seenVersion?: number | undefined;
}

/** Answers of read-only calls, the least used going first. */
export class ResultCache {
  readonly #limits: CacheLimits;
  readonly #monotonic: () => number;
  /** The wall clock of the machine, which the timestamps of files come from. */
  readonly wallTime: () => number;
  #answers: Lru.LRUCache<string, KeptAnswer> | undefined;

  constructor(
    limits: CacheLimits,
    { monotonic, wallTime }: { readonly monotonic: () => number; readonly wallTime: () => number },
  ) {
    this.#limits = limits;
    this.#monotonic = monotonic;
    this.wallTime = wallTime;
  }

  get(key: string, version: string): KeptAnswer | undefined {
    const answer = this.#answers?.get(key);
    if (answer === undefined) return undefined;
    if (answer.version === version && answer.expiresAt > this.#monotonic()) return answer;
    this.#answers?.delete(key);
    return undefined;
  }

  set(
    key: string,
    answer: Omit<KeptAnswer, "expiresAt">,
    { bytes, ttlMs = this.#limits.ttlMs }: { readonly bytes: number; readonly ttlMs?: number | undefined },
  ): void {
    if (bytes > this.#limits.maxBytes / 4) return;
    const expiresAt = this.#monotonic() + Math.min(ttlMs, this.#limits.ttlMs);
    this.#open().set(key, { ...answer, expiresAt }, { size: Math.max(1, bytes) });
  }

  /** Loaded with the first answer that is kept. */
  #open(): Lru.LRUCache<string, KeptAnswer> {
    if (this.#answers !== undefined) return this.#answers;
    const { LRUCache } = createRequire(import.meta.url)("lru-cache") as typeof Lru;
    this.#answers = new LRUCache<string, KeptAnswer>({
      max: this.#limits.maxEntries,
      maxSize: this.#limits.maxBytes,
    });
    return this.#answers;
  }
}
