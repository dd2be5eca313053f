import { HttpError } from "./http-error.js";

export interface AttemptLimitOptions {
  readonly now: () => number;
  /** Wrong tokens and codes of one address within the window. @default 20 */
  readonly maxWrong?: number | undefined;
  /** @default 60000 */
  readonly windowMs?: number | undefined;
}

/** Addresses that are remembered; the oldest is forgotten first. */
const maxAddresses = 1000;

/**
 * Counts wrong tokens and codes by address. A right one is never refused, since all of a machine share one address
 * and a neighbor's guesses must not keep the person out: secrets are too long to be guessed, this bounds the noise.
 */
export class AttemptLimit {
  readonly #options: AttemptLimitOptions;
  readonly #wrong = new Map<string, { count: number; readonly until: number }>();

  constructor(options: AttemptLimitOptions) {
    this.#options = options;
  }

  /** Note a wrong attempt; throws where there were too many. */
  wrong(address: string): void {
    const { now, maxWrong = 20, windowMs = 60_000 } = this.#options;
    const known = this.#wrong.get(address);
    const entry = known !== undefined && known.until > now() ? known : { count: 0, until: now() + windowMs };
    entry.count++;
    this.#wrong.delete(address);
    this.#wrong.set(address, entry);
    const [oldest] = this.#wrong.keys();
    if (this.#wrong.size > maxAddresses && oldest !== undefined) this.#wrong.delete(oldest);
    if (entry.count <= maxWrong) return;
    const seconds = Math.max(1, Math.ceil((entry.until - now()) / 1000));
    throw new HttpError(
      429,
      {
        code: "TOO_MANY_ATTEMPTS",
        message: "Too many wrong tokens or links from this address.",
        hint: "Run `tenon serve link` for a new link; a right one is let in at once.",
      },
      { retryAfter: seconds },
    );
  }
}
