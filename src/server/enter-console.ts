import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { pageSecretMeta, returnToMeta } from "./api.js";
import { HttpError } from "./http-error.js";
import type { NewBrowserSession } from "./browser-sessions.js";
import type { ConsoleAccess } from "./console-access.js";
import { cookieNameFor, sessionCookies } from "./gate.js";
import type { ConsoleFiles } from "./static-files.js";

export interface EntryOptions {
  readonly access: ConsoleAccess;
  readonly files: ConsoleFiles;
  /** Where the server listens. */
  readonly port: number;
  readonly address: string;
  /** The address of this server, as its clients know it. */
  readonly base: string;
  readonly code: string;
}

/**
 * Answer a one-time link: the browser gets a session of its own. The page comes with this answer, since no redirect
 * could carry its secret but in an address; the page then takes the code out of the address.
 */
export async function enterConsole(
  request: IncomingMessage,
  response: ServerResponse,
  { access, files, port, address, base, code }: EntryOptions,
): Promise<void> {
  const { headers } = request;
  refusePrefetch(headers);
  const earlier = access.sessions.find(sessionCookies(headers, port), undefined)?.session;
  if (!access.codes.redeem(code)) {
    access.attempts.wrong(address);
    throw linkRefused(earlier === undefined ? undefined : `${base}/`);
  }
  // One browser has one session: its other tabs go on with the new one.
  if (earlier !== undefined) access.sessions.end(earlier.id);
  const opened = access.sessions.open({ address, userAgent: headers["user-agent"] });
  await sendConsolePage(request, response, { files, port, base, opened });
}

export interface ConsolePage {
  readonly files: ConsoleFiles;
  readonly port: number;
  readonly base: string;
  readonly opened: NewBrowserSession;
  /** Where in the console to go. @default where the address says */
  readonly returnTo?: string | undefined;
  /** To set besides the session's. */
  readonly cookies?: readonly string[] | undefined;
}

/** Send the console's page to a browser that has just been let in, with the secrets of its session. */
export async function sendConsolePage(
  { headers }: IncomingMessage,
  response: ServerResponse,
  { files, port, base, opened, returnTo, cookies = [] }: ConsolePage,
): Promise<void> {
  const page = (await files.load())?.get("/index.html")?.plain.toString() ?? notBuilt;
  const secure = base.startsWith("https:") ? "; Secure" : "";
  const session = `${cookieNameFor(headers.host, port)}=${opened.cookie}; Path=/; HttpOnly; SameSite=Strict${secure}`;
  const metas = { [pageSecretMeta]: opened.pageSecret, ...(returnTo && { [returnToMeta]: returnTo }) };
  const tags = Object.entries(metas).map(
    ([name, text]) => `<meta name="${name}" content="${escaped(text)}" />`,
  );
  response
    .writeHead(200, { "content-type": "text/html; charset=utf-8", "set-cookie": [...cookies, session] })
    // A function, since a text would be searched for "$&" and the like.
    .end(page.replace("<head>", () => `<head>${tags.join("")}`));
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** A browser that looks ahead must not use a link or a login up. */
export function refusePrefetch(headers: IncomingHttpHeaders): void {
  if (String(headers["sec-purpose"] ?? headers["purpose"] ?? "").includes("prefetch")) throw notOpenedYet();
}

/** Take the cookie away from a browser that signs out. */
export function expiredCookie(host: string | undefined, port: number): string {
  return `${cookieNameFor(host, port)}=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0`;
}

function linkRefused(signedInAt: string | undefined): HttpError {
  const way = "Run `tenon serve link` in a terminal for a new one.";
  const check = "If you did not use it, find that session with `tenon serve sessions list` and end it.";
  return new HttpError(401, {
    code: "LINK_REFUSED",
    message: "This link has already been used, or is older than a minute.",
    hint: [
      way,
      check,
      ...(signedInAt === undefined ? [] : [`This browser is signed in already: ${signedInAt}`]),
    ].join("\n"),
  });
}

function notOpenedYet(): HttpError {
  return new HttpError(503, { code: "LINK_NOT_OPENED", message: "A link is not opened ahead of time." });
}

const notBuilt =
  "<!doctype html><html><head></head><body>Tenon is running, but its console has not been built here.</body></html>";
