import type { Context } from "hono";
import type { Identity } from "../contract/ports/access.js";
import { visibleSessions } from "../contract/ownership.js";
import type { PersonActs, Tenon } from "../runtime/tenon.js";
import type { Admission } from "./gate.js";
import { notFound } from "./http-error.js";

/** Who made a request of the API, as it is written down beside an answer. */
export interface RequestPerson {
  /** `console`: a page of a signed-in browser. `api`: a program with the server's token. */
  readonly channel: "console" | "api";
  /** Such as "browser:3f2a91c0 (Chrome on Linux)", "token", or the name of a user. */
  readonly name: string;
  /** The browser's session, for `GET /api/sessions`; absent for programs. */
  readonly sessionId?: string | undefined;
}

/** The person behind a request that the gate has let in. */
export function requestPerson(c: Context): RequestPerson {
  return toPerson(admissionOf(c));
}

/** How a request was let in. */
export function admissionOf(c: Context): Admission {
  return (c.env as PersonBindings).admitted;
}

/** The address of this server, as the client knows it. */
export function baseOf(c: Context): string {
  return (c.env as PersonBindings).base;
}

/** The user behind a request: by a token, or from the page of a signed-in person; `undefined` for the owner of the server. */
export function requestUser(c: Context): Identity | undefined {
  return userOf(admissionOf(c));
}

/** The user that was let in; `undefined` for the person whose server it is. */
export function userOf(admitted: Admission): Identity | undefined {
  return "identity" in admitted ? admitted.identity : undefined;
}

/** The acts of a Tenon in the name of the user who asks, so that the log has it. */
export function requestActs(c: Context, tenon: Tenon): PersonActs {
  const user = requestUser(c);
  if (user === undefined) return tenon;
  return tenon.as({ via: requestPerson(c).channel, userId: user.principal, principal: user.principal });
}

/** Which sessions' calls, changes and jobs the one who asks may see. `undefined`: all. */
export function sessionsSeenBy(c: Context): SeesSession | undefined {
  const user = requestUser(c);
  return user === undefined ? undefined : visibleSessions(user);
}

export type SeesSession = (sessionId: string) => boolean;

/** What belongs to a session that the one who asks does not see is answered as if it did not exist. */
export function requireSeen(c: Context, sessionId: string | undefined, what: string): void {
  const sees = sessionsSeenBy(c);
  if (sessionId === undefined || sees?.(sessionId) === false) throw notFound(what);
}

/** Only the part of a list that the one who asks may see. */
export function seenOf<Item extends { readonly sessionId: string }>(
  c: Context,
  items: readonly Item[],
): readonly Item[] {
  const sees = sessionsSeenBy(c);
  return sees === undefined ? items : items.filter(({ sessionId }) => sees(sessionId));
}

export interface PersonBindings {
  readonly admitted: Admission;
  /** The address of this server, as its clients know it. */
  readonly base: string;
}

function toPerson(admitted: Admission): RequestPerson {
  if (admitted.by === "user") return { channel: "api", name: admitted.identity.principal };
  if (admitted.by !== "browser") return { channel: "api", name: admitted.by };
  const { id, browser } = admitted.session;
  if (admitted.identity !== undefined)
    return { channel: "console", name: admitted.identity.principal, sessionId: id };
  return { channel: "console", name: `browser:${id} (${browser})`, sessionId: id };
}
