import { createHash } from "node:crypto";
import { isIPv6 } from "node:net";
import ipaddr from "ipaddr.js";
import { HttpError } from "./http-error.js";

export interface AttemptLimitOptions {
  readonly now: () => number;
  /** Wrong tokens and codes of one address, or in one name, within the window. @default 20 */
  readonly maxWrong?: number | undefined;
  /** It doubles, up to an hour, for those who go on after it. @default 60000 */
  readonly windowMs?: number | undefined;
}

/** Addresses and names that are remembered; the oldest is forgotten first. */
const maxRemembered = 10_000;
const maxWindowMs = 3_600_000;

interface Attempts {
  count: number;
  until: number;
  windowMs: number;
}

/**
 * Counts wrong tokens and codes by address and by the name that they claim. A right one is never refused, since all of
 * a machine share one address and anybody can guess in another one's name: secrets are too long to be guessed, this
 * bounds the noise.
 */
export class AttemptLimit {
  readonly #options: AttemptLimitOptions;
  readonly #wrong = new Map<string, Attempts>();

  constructor(options: AttemptLimitOptions) {
    this.#options = options;
  }

  /** Note a wrong attempt; throws where there were too many. @param name Who it claims to be, if it says so. */
  wrong(address: string, name?: string): void {
    const byAddress = this.#count(`address ${networkOf(address)}`);
    const byName = name === undefined ? undefined : this.#count(`name ${shortened(name)}`);
    const { now, maxWrong = 20 } = this.#options;
    const over = [byAddress, byName].filter((each) => each !== undefined && each.count > maxWrong);
    if (over.length === 0) return;
    const until = Math.max(...over.map((each) => each?.until ?? 0));
    const seconds = Math.max(1, Math.ceil((until - now()) / 1000));
    throw new HttpError(
      429,
      {
        code: "TOO_MANY_ATTEMPTS",
        message: "Too many wrong tokens or links from this address or under this name.",
        hint: "Run `tenon serve link` for a new link; a valid one works at once.",
      },
      { retryAfter: seconds },
    );
  }

  #count(key: string): Attempts {
    const { now, maxWrong = 20, windowMs = 60_000 } = this.#options;
    const known = this.#wrong.get(key);
    const entry = known ?? { count: 0, until: now() + windowMs, windowMs };
    if (now() > entry.until) {
      // Those who were over the limit and are back at once wait longer.
      const isBack = entry.count > maxWrong && now() - entry.until < entry.windowMs;
      entry.windowMs = isBack ? Math.min(entry.windowMs * 2, maxWindowMs) : windowMs;
      entry.until = now() + entry.windowMs;
      entry.count = 0;
    }
    entry.count++;
    this.#wrong.delete(key);
    this.#wrong.set(key, entry);
    const [oldest] = this.#wrong.keys();
    if (this.#wrong.size > maxRemembered && oldest !== undefined) this.#wrong.delete(oldest);
    return entry;
  }
}

/** One customer of a network has a whole /64 of IPv6 addresses. */
function networkOf(address: string): string {
  if (!isIPv6(address)) return address;
  return ipaddr.IPv6.parse(address).parts.slice(0, 4).join(":");
}

/** Names come from outside and may be long. */
function shortened(name: string): string {
  return createHash("sha256").update(name).digest("base64url");
}
