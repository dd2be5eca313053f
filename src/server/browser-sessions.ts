import { randomBytes } from "node:crypto";
import { setMaxListeners } from "node:events";
import type { ConsoleUser } from "./identity/console-login.js";
import { createToken, sameSecret, secretHash } from "./token.js";

/** One browser that was opened with a one-time link or by signing in. */
export interface BrowserSession {
  /** For people to tell sessions apart; it opens nothing. */
  readonly id: string;
  /** Such as "Chrome on Linux". */
  readonly browser: string;
  readonly address: string;
  readonly since: number;
  readonly lastSeen: number;
  /** Who signed in; absent for a one-time link, which is the admin's. */
  readonly user?: ConsoleUser | undefined;
  /** Fires when the session is over, however it ended. */
  readonly ended: AbortSignal;
}

export interface BrowserSessionOptions {
  readonly now: () => number;
  /** Browsers of one-time links at the same time; the one that was away the longest gives way. @default 32 */
  readonly maxSessions?: number | undefined;
  /** A browser that asks for nothing this long is signed out. @default 12 hours */
  readonly idleMs?: number | undefined;
  /** Every session ends after this time. @default 7 days */
  readonly lifetimeMs?: number | undefined;
  /** The same for browsers of people who signed in. @default as for one-time links */
  readonly users?: Pick<BrowserSessionOptions, "idleMs" | "lifetimeMs"> | undefined;
}

/** Browsers of one person at the same time. */
const maxOfUser = 8;
/** Browsers of all people who signed in. */
const maxOfUsers = 10_000;

interface Visitor {
  readonly userAgent?: string | undefined;
  readonly address: string;
  readonly user?: ConsoleUser | undefined;
}

/** The secrets of a new session; they are given out once and kept as hashes only. */
export interface NewBrowserSession {
  readonly session: BrowserSession;
  /** For the cookie, which opens the page's files and nothing else. */
  readonly cookie: string;
  /** For the page itself, which sends it with every request: no other port of the machine gets to see it. */
  readonly pageSecret: string;
}

interface Kept {
  readonly session: BrowserSession & { lastSeen: number };
  readonly cookieHash: string;
  readonly pageHash: string;
  readonly ending: AbortController;
}

const hour = 3_600_000;

/** The browsers that are signed in. They live in memory: a restart of the server signs everybody out. */
export class BrowserSessions {
  readonly #options: BrowserSessionOptions;
  readonly #byCookie = new Map<string, Kept>();
  readonly #sweep: NodeJS.Timeout;

  constructor(options: BrowserSessionOptions) {
    this.#options = options;
    this.#sweep = setInterval(() => this.#endExpired(), 30_000);
    this.#sweep.unref();
  }

  open(visitor: Visitor): NewBrowserSession {
    this.#endExpired();
    const { now } = this.#options;
    this.#makeRoom(visitor.user);
    const [cookie, pageSecret] = [createToken(), createToken()];
    const ending = new AbortController();
    setMaxListeners(0, ending.signal); // every open answer of the browser listens
    const session = {
      id: randomBytes(4).toString("hex"),
      browser: browserName(visitor.userAgent),
      address: visitor.address,
      user: visitor.user,
      since: now(),
      lastSeen: now(),
      ended: ending.signal,
    };
    const cookieHash = secretHash(cookie);
    this.#byCookie.set(cookieHash, { session, cookieHash, pageHash: secretHash(pageSecret), ending });
    return { session, cookie, pageSecret };
  }

  /** The session of a cookie; `page` says whether the page's own secret came along. */
  find(
    cookies: readonly string[],
    pageSecret: string | undefined,
  ): { readonly session: BrowserSession; readonly page: boolean } | undefined {
    let found: { session: BrowserSession; page: boolean } | undefined;
    for (const cookie of cookies) {
      const kept = this.#byCookie.get(secretHash(cookie));
      if (kept === undefined) continue;
      if (this.#isExpired(kept)) {
        this.#end(kept);
        continue;
      }
      const page = pageSecret !== undefined && sameSecret(secretHash(pageSecret), kept.pageHash);
      // A cookie without the page's secret proves no activity of the person.
      if (page) kept.session.lastSeen = this.#options.now();
      if (found === undefined || page) found = { session: kept.session, page };
    }
    return found;
  }

  /** All sessions, the newest first. */
  list(): readonly BrowserSession[] {
    this.#endExpired();
    return [...this.#byCookie.values()].map(({ session }) => session).toReversed();
  }

  /** Sign a browser out; `false` if the session does not exist. */
  end(id: string): boolean {
    const kept = [...this.#byCookie.values()].find(({ session }) => session.id === id);
    if (kept !== undefined) this.#end(kept);
    return kept !== undefined;
  }

  close(): void {
    clearInterval(this.#sweep);
    for (const kept of this.#byCookie.values()) this.#end(kept);
  }

  #end(kept: Kept): void {
    this.#byCookie.delete(kept.cookieHash);
    kept.ending.abort();
  }

  /** A person who signs in often must not push others out. */
  #makeRoom(user: ConsoleUser | undefined): void {
    const name = user?.identity.principal;
    const all = [...this.#byCookie.values()];
    const own = all.filter(({ session }) => session.user?.identity.principal === name);
    const maxOwn = name === undefined ? (this.#options.maxSessions ?? 32) : maxOfUser;
    if (own.length >= maxOwn) this.#endOldest(own);
    const others = all.filter(({ session }) => session.user !== undefined);
    if (name !== undefined && others.length >= maxOfUsers) this.#endOldest(others);
  }

  #endOldest(among: readonly Kept[]): void {
    const [oldest] = among.toSorted((a, b) => a.session.lastSeen - b.session.lastSeen);
    if (oldest !== undefined) this.#end(oldest);
  }

  #endExpired(): void {
    for (const kept of this.#byCookie.values()) if (this.#isExpired(kept)) this.#end(kept);
  }

  #isExpired({ session }: Kept): boolean {
    const { now, users } = this.#options;
    const limits = session.user === undefined ? this.#options : { ...this.#options, ...users };
    const { idleMs = 12 * hour, lifetimeMs = 7 * 24 * hour } = limits;
    return now() - session.lastSeen > idleMs || now() - session.since > lifetimeMs;
  }
}

/** The browser that a `User-Agent` names, such as "Chrome on Linux"; only fixed words, never its own text. */
function browserName(userAgent: string | undefined): string {
  const text = userAgent ?? "";
  const browser = nameIn(browsers, text) ?? "Unknown browser";
  const system = nameIn(systems, text);
  return system === undefined ? browser : `${browser} on ${system}`;
}

type Names = readonly (readonly [RegExp, string])[];

// The order counts: Edge and Opera call themselves Chrome as well, and Chrome calls itself Safari.
const browsers: Names = [
  [/\bEdgA?\//, "Edge"],
  [/\bOPR\//, "Opera"],
  [/\bFirefox\//, "Firefox"],
  [/\b(?:Headless)?Chrom(?:e|ium)\//, "Chrome"],
  [/\bSafari\//, "Safari"],
  [/^curl\//, "curl"],
  [/^(?:node|undici)/i, "Node.js"],
];

const systems: Names = [
  [/\bAndroid\b/, "Android"],
  [/\b(?:iPhone|iPad)\b/, "iOS"],
  [/\bWindows\b/, "Windows"],
  [/\bCrOS\b/, "ChromeOS"],
  [/\bMac OS X\b/, "macOS"],
  [/\bLinux\b/, "Linux"],
];

function nameIn(names: Names, text: string): string | undefined {
  return names.find(([pattern]) => pattern.test(text))?.[1];
}
