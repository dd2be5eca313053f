import type { IncomingMessage, ServerResponse } from "node:http";
import type { AccessStore } from "../contract/ports/access.js";
import type { BrowserSession } from "./browser-sessions.js";
import type { ConsoleAccess } from "./console-access.js";
import { wrongToken, type Admission } from "./gate.js";
import { HttpError } from "./http-error.js";
import { AccessTokens } from "./identity/access-tokens.js";
import { claimedSubject, type OAuthSettings } from "./identity/claims.js";
import { certainBase } from "./identity/sender.js";
import { checkRole } from "./route-roles.js";
import { UserTokens } from "./user-tokens.js";

export interface IdentifyOptions {
  readonly users: AccessStore;
  readonly oauth: OAuthSettings | undefined;
  readonly publicUrl: string | undefined;
  readonly access: ConsoleAccess;
  readonly now: () => number;
  readonly onFault: (cause: unknown) => void;
}

/** The parts of a request that tell who makes it. */
export interface IdentifiedVisit {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly path: string;
  readonly address: string;
  /** The address of this server, as its clients know it. */
  readonly base: string;
}

/** Finds out which user makes a request and whether the user may; rights that are lost later end the user's open answers. */
export interface Identify {
  /** By a token that only the state or an authorization server can tell about. */
  user(secret: string, visit: IdentifiedVisit): Promise<Admission>;
  /** By the session of a signed-in browser. */
  browser(session: BrowserSession, visit: IdentifiedVisit): Promise<Admission>;
}

export function createIdentify(options: IdentifyOptions): Identify {
  const { users, oauth, publicUrl, access, now, onFault } = options;
  const tokens = new UserTokens({
    access: users,
    oauth: oauth && new AccessTokens({ settings: oauth, access: users, now }),
    onFault,
  });
  const { attempts, sessions } = access;
  return {
    async user(secret, { request, response, path, address, base }) {
      const resource = (publicUrl ?? certainBase(base, request.socket)) + path;
      const shown = { secret, resource };
      const identity = await tokens.identify(shown).catch((thrown: unknown) => {
        if (thrown instanceof HttpError && thrown.status === 401)
          attempts.wrong(address, claimedSubject(secret));
        throw thrown;
      });
      if (identity === undefined) throw wrongToken(attempts, address);
      checkRole(identity, { method: request.method ?? "GET", path });
      const key = `${resource} ${secret}`;
      tokens.watch(response, { key, identify: () => tokens.identify(shown) }, identity);
      return { by: "user", identity };
    },
    async browser(session, { request, response, path }) {
      const { method = "GET" } = request;
      // They may have lost their role since.
      const check = async () => session.user && users.identify(session.user.login);
      const identity = await check();
      if (identity === undefined) {
        sessions.end(session.id);
        throw sessionOver();
      }
      checkRole(identity, { method, path });
      tokens.watch(response, { key: session.id, identify: check }, identity);
      return { by: "browser", session, identity };
    },
  };
}

/** The page offers to sign in again. */
function sessionOver(): HttpError {
  return new HttpError(401, {
    code: "SESSION_OVER",
    message: "This user may no longer use this server.",
    hint: "Ask an admin of this server.",
  });
}
