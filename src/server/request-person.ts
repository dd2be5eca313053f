import type { Context } from "hono";
import type { Admission } from "./gate.js";

/** Who made a request of the API, as it is written down beside an answer. */
export interface RequestPerson {
  /** `console`: a page of a signed-in browser. `api`: a program with the server's token. */
  readonly channel: "console" | "api";
  /** Such as "browser:3f2a91c0 (Chrome on Linux)", or "token". */
  readonly name: string;
  /** The browser's session, for `GET /api/sessions`; absent for programs. */
  readonly sessionId?: string | undefined;
}

/** The person behind a request that the gate has let in. */
export function requestPerson(c: Context): RequestPerson {
  return toPerson((c.env as PersonBindings).admitted);
}

export interface PersonBindings {
  readonly admitted: Admission;
}

function toPerson(admitted: Admission): RequestPerson {
  if (admitted.by !== "browser") return { channel: "api", name: admitted.by };
  const { id, browser } = admitted.session;
  return { channel: "console", name: `browser:${id} (${browser})`, sessionId: id };
}
