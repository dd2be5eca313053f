import type { Context } from "hono";
import type { Identity } from "../contract/ports/access.js";
import type { Admission } from "./gate.js";

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

/** The user behind a request, if it came with a token of a user. */
export function requestUser(c: Context): Identity | undefined {
  const admitted = admissionOf(c);
  return admitted.by === "user" ? admitted.identity : undefined;
}

export interface PersonBindings {
  readonly admitted: Admission;
}

function toPerson(admitted: Admission): RequestPerson {
  if (admitted.by === "user") return { channel: "api", name: admitted.identity.principal };
  if (admitted.by !== "browser") return { channel: "api", name: admitted.by };
  const { id, browser } = admitted.session;
  return { channel: "console", name: `browser:${id} (${browser})`, sessionId: id };
}
