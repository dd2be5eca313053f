import type { IncomingMessage, ServerResponse } from "node:http";
import { pageSecretMeta } from "./api.js";
import { HttpError } from "./http-error.js";
import type { ConsoleAccess } from "./console-access.js";
import { cookieNameFor, sessionCookies } from "./gate.js";
import type { ConsoleFiles } from "./static-files.js";

export interface EntryOptions {
  readonly access: ConsoleAccess;
  readonly files: ConsoleFiles;
  /** Where the server listens. */
  readonly port: number;
  readonly address: string;
  readonly code: string;
}

/**
 * Answer a one-time link: the browser gets a session of its own. The page comes with this answer, since no redirect
 * could carry its secret but in an address; the page then takes the code out of the address.
 */
export async function enterConsole(
  request: IncomingMessage,
  response: ServerResponse,
  { access, files, port, address, code }: EntryOptions,
): Promise<void> {
  const page = (await files.load())?.get("/index.html")?.bodies["identity"]?.toString() ?? notBuilt;
  const { headers, socket } = request;
  const isEncrypted = "encrypted" in socket;
  if (String(headers["sec-purpose"] ?? headers["purpose"] ?? "").includes("prefetch")) throw notOpenedYet();
  const earlier = access.sessions.find(sessionCookies(headers, port), undefined)?.session;
  if (!access.codes.redeem(code)) {
    access.attempts.wrong(address);
    throw linkRefused(
      earlier === undefined ? undefined : `${isEncrypted ? "https" : "http"}://${headers.host}/`,
    );
  }
  // One browser has one session: its other tabs go on with the new one.
  if (earlier !== undefined) access.sessions.end(earlier.id);
  const { cookie, pageSecret } = access.sessions.open({ address, userAgent: headers["user-agent"] });
  response
    .writeHead(200, {
      "content-type": "text/html; charset=utf-8",
      "set-cookie": `${cookieNameFor(headers.host, port)}=${cookie}; Path=/; HttpOnly; SameSite=Strict${isEncrypted ? "; Secure" : ""}`,
    })
    .end(page.replace("<head>", `<head><meta name="${pageSecretMeta}" content="${pageSecret}" />`));
}

/** Take the cookie away from a browser that signs out. */
export function expiredCookie(host: string | undefined, port: number): string {
  return `${cookieNameFor(host, port)}=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0`;
}

function linkRefused(signedInAt: string | undefined): HttpError {
  const way = "Run `tenon serve link` in a terminal for a new one.";
  const check = "If it was not you who used it, see `tenon serve sessions list` and end that session.";
  return new HttpError(401, {
    code: "LINK_REFUSED",
    message: "This link was used already, or is older than a minute.",
    hint: [
      way,
      check,
      ...(signedInAt === undefined ? [] : [`This browser is signed in already: ${signedInAt}`]),
    ].join("\n"),
  });
}

/** A browser that looks ahead must not use the link up. */
function notOpenedYet(): HttpError {
  return new HttpError(503, { code: "LINK_NOT_OPENED", message: "A link is not opened ahead of time." });
}

const notBuilt =
  "<!doctype html><html><head></head><body>Tenon runs, but its console has not been built here.</body></html>";
