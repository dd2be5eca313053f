import type { EntryLink } from "./api.js";
import { AttemptLimit } from "./attempt-limit.js";
import { BrowserSessions, type BrowserSessionOptions } from "./browser-sessions.js";
import { EntryCodes } from "./entry-codes.js";
import { entryPath } from "./gate.js";
import { createToken } from "./token.js";

/** The ways into the console: one-time links, and the browsers that came in by them. */
export interface ConsoleAccess {
  readonly sessions: BrowserSessions;
  readonly codes: EntryCodes;
  readonly attempts: AttemptLimit;
  /** What the command line shows to make links and end sessions; it opens nothing else. */
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
