import type { IncomingMessage, ServerResponse } from "node:http";
import type { LoginMethods } from "./api.js";
import type { ConsoleAccess } from "./console-access.js";
import { refusePrefetch, sendConsolePage } from "./enter-console.js";
import { cookieNameFor, readCookies, sessionCookies } from "./gate.js";
import { notFound } from "./http-error.js";
import {
  callbackPath,
  cookieSuffix,
  loginMethodsPath,
  loginPath,
  type ConsoleLogin,
} from "./identity/console-login.js";
import type { ConsoleFiles } from "./static-files.js";

export interface LoginVisit {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly address: string;
  readonly base: string;
  /** Where the server listens. */
  readonly port: number;
}

/** Answer a browser that signs in with the OpenID provider, or asks whether it could. */
export async function answerLogin(
  login: ConsoleLogin,
  visit: LoginVisit,
  { access, files }: { readonly access: ConsoleAccess; readonly files: ConsoleFiles },
): Promise<void> {
  const { request, response, path, query, address, base, port } = visit;
  const { headers } = request;
  const name = cookieNameFor(headers.host, port);
  const flags = `Path=${callbackPath}; HttpOnly; SameSite=Lax${base.startsWith("https:") ? "; Secure" : ""}`;
  refusePrefetch(headers);
  if (path === loginMethodsPath) {
    response.writeHead(200, { "content-type": "application/json; charset=utf-8" });
    response.end(JSON.stringify({ signIn: loginPath } satisfies LoginMethods));
  } else if (path === loginPath) {
    const earlier = access.sessions.find(sessionCookies(headers, port), undefined)?.session.id;
    const begun = await login.begin({ base, returnTo: query.get("returnTo"), earlier });
    const { suffix, value, maxAgeMs } = begun.cookie;
    response
      .writeHead(302, {
        location: begun.location,
        "set-cookie": `${name}_${suffix}=${value}; ${flags}; Max-Age=${maxAgeMs / 1000}`,
      })
      .end();
  } else if (path === callbackPath) {
    const url = new URL(request.url ?? "", base);
    const { user, returnTo, earlier } = await login.finish(url, (suffix) =>
      readCookies(headers.cookie, `${name}_${suffix}`),
    );
    // A browser has one session, and never one that another person could have prepared.
    for (const id of [earlier, access.sessions.find(sessionCookies(headers, port), undefined)?.session.id])
      if (id !== undefined) access.sessions.end(id);
    const opened = access.sessions.open({ address, userAgent: headers["user-agent"], user });
    const spent = `${name}_${cookieSuffix(query.get("state") ?? "")}=; ${flags}; Max-Age=0`;
    await sendConsolePage(request, response, { files, port, base, opened, returnTo, cookies: [spent] });
  } else throw notFound("Address");
}
