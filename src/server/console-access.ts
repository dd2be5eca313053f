import type { EntryLink } from "./api.js";
import { AttemptLimit } from "./attempt-limit.js";
import { BrowserSessions, type BrowserSessionOptions } from "./browser-sessions.js";
import { entryPath } from "./gate.js";
import { createToken, sameSecret, secretHash } from "./token.js";

/** The ways into the console: one-time links, and the browsers that came in by them. */
export interface ConsoleAccess {
  readonly sessions: BrowserSessions;
  readonly codes: EntryCodes;
  readonly attempts: AttemptLimit;
  /** What the command line presents to create links and end sessions; it gives access to nothing else. */
  readonly controlKey: string;
  /** A link that opens the console once, within a minute. */
  createLink(): EntryLink;
  /** The address is known. */
  opened(url: string): void;
  /** Sign every browser out. */
  close(): void;
}

export interface ConsoleAccessOptions extends BrowserSessionOptions {
  /** How long a link can be used. @default 60000 */
  readonly linkMs?: number | undefined;
}

export function createConsoleAccess(options: ConsoleAccessOptions): ConsoleAccess {
  const { now, linkMs = 60_000 } = options;
  const sessions = new BrowserSessions(options);
  const codes = new EntryCodes({ now, validMs: linkMs });
  let url = "";
  return {
    sessions,
    codes,
    attempts: new AttemptLimit({ now }),
    controlKey: createToken(),
    createLink: () => ({ link: `${url}${entryPath}?code=${codes.create()}`, expiresAt: now() + linkMs }),
    opened: (at) => void (url = at),
    close: () => sessions.close(),
  };
}

interface EntryCodeOptions {
  readonly now: () => number;
  /** How long a code can be used. @default 60000 */
  readonly validMs?: number | undefined;
  /** Unused codes at the same time; the oldest gives way. @default 16 */
  readonly maxCodes?: number | undefined;
}

/** The codes of one-time links: each opens the console once, and only for a minute. */
class EntryCodes {
  readonly #options: EntryCodeOptions;
  readonly #codes = new Map<string, number>();

  constructor(options: EntryCodeOptions) {
    this.#options = options;
  }

  create(): string {
    this.#forgetOld();
    const { now, validMs = 60_000, maxCodes = 16 } = this.#options;
    const [oldest] = this.#codes.keys();
    if (this.#codes.size >= maxCodes && oldest !== undefined) this.#codes.delete(oldest);
    const code = createToken();
    this.#codes.set(secretHash(code), now() + validMs);
    return code;
  }

  /** Use a code up; `false` where it is wrong, too old or was used already. */
  redeem(code: string): boolean {
    this.#forgetOld();
    const given = secretHash(code);
    let match: string | undefined;
    // All are compared, so that the time tells nothing of which one came close.
    for (const known of this.#codes.keys()) if (sameSecret(given, known)) match = known;
    return match !== undefined && this.#codes.delete(match);
  }

  #forgetOld(): void {
    const now = this.#options.now();
    for (const [hash, until] of this.#codes) if (now > until) this.#codes.delete(hash);
  }
}
