import type { IncomingHttpHeaders } from "node:http";
import { isIP } from "node:net";
import { consoleHeader, pageHeader } from "./api.js";
import { HttpError } from "./http-error.js";
import { callbackPath, loginMethodsPath, loginPath } from "./identity/console-login.js";
import { mcpEndpointOf } from "./mcp-endpoint.js";
import type { AttemptLimit } from "./attempt-limit.js";
import type { BrowserSession, BrowserSessions } from "./browser-sessions.js";
import { mcpToken, rememberHolders, secretHolders } from "./token.js";
import { tokenPrefix, type Identity } from "../contract/ports/access.js";

export interface GateRequest {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  /** Names and values in turn, as they came. */
  readonly rawHeaders: readonly string[];
  /** Of the other end. */
  readonly address: string;
  /** The same object for all requests of one connection. */
  readonly connection: object;
}

/**
 * How a request was let in. `token`: a program with the server's token. `host`: an MCP host with its own token.
 * `user`: a person or program with a token of its own. `control`: `tenon serve link`, `tenon serve sessions` and
 * `tenon mcp-servers restart`. `browser`: a signed-in page. `entry`: a browser with a one-time link. `login`: a browser
 * that signs in with the OpenID provider. `anybody`: a request without authentication.
 */
export type Admission =
  | { readonly by: "token" | "host" | "control" | "entry" | "login" | "anybody" }
  | { readonly by: "browser"; readonly session: BrowserSession; readonly identity?: Identity | undefined }
  | { readonly by: "user"; readonly identity: Identity };

/** A token of a user, which only the state can tell whether it is valid. */
export interface UnknownToken {
  readonly by: "unknown-token";
  readonly secret: string;
}

export interface GateOptions {
  readonly token: string;
  /** Opens links and sessions of this server, starts and stops its MCP servers, and nothing else. */
  readonly controlKey: string;
  readonly sessions: BrowserSessions;
  readonly attempts: AttemptLimit;
  /** Names that the server goes by, without a port. */
  readonly names: ReadonlySet<string>;
  /** Where it listens. */
  readonly port: number;
  /** Tokens of an authorization server (JWT) open `/mcp`. */
  readonly acceptsJwt?: boolean | undefined;
  /** Browsers can sign in with an OpenID provider. */
  readonly hasLogin?: boolean | undefined;
  /** Any address that is not a name is accepted too: for a server that listens on all interfaces. */
  readonly anyAddress?: boolean | undefined;
}

/** Where one-time links lead. */
export const entryPath = "/enter";

/**
 * Let a request in, or throw the fault that it is answered with. Every request passes here first.
 *
 * The name it was sent to must be ours, or any page could reach us by making its own name lead here
 * (DNS rebinding); where a browser says which site a request comes from, it must be ours. A browser's cookie opens
 * the page's files only, since the browser sends it to every port of the machine: all else needs the page's secret
 * as well, and a request that changes something must prove that our own page made it.
 */
export function createGate(options: GateOptions): (visit: GateRequest) => Admission | UnknownToken {
  const { token, controlKey } = options;
  const holderOf = rememberHolders(secretHolders({ token, host: mcpToken(token), control: controlKey }));
  return (visit) => {
    refuseRepeated(visit.rawHeaders);
    const host = checkHost(visit.headers, options);
    const fromPage = checkOrigin(visit.headers, host, options);
    if (visit.query.has("token")) throw tokenInUrl();
    const open = admitToAll(visit, options);
    if (open !== undefined) return open;
    const { authorization } = visit.headers;
    if (authorization !== undefined) {
      const given = /^Bearer +([^\s]+)$/i.exec(authorization)?.[1];
      const holder = given === undefined ? undefined : holderOf(given, visit.connection);
      if (holder === "token") return { by: "token" };
      if (holder === "host") return admitHost(visit);
      if (holder === "control") return admitControl(visit);
      if (given?.startsWith(tokenPrefix) === true) return { by: "unknown-token", secret: given };
      if (given !== undefined && options.acceptsJwt === true && jwtPattern.test(given)) {
        admitHost(visit);
        return { by: "unknown-token", secret: given };
      }
      throw wrongToken(options.attempts, visit.address);
    }
    return admitBrowser(visit, fromPage, options);
  };
}

/** Paths that need no authentication. */
function admitToAll({ path, method }: GateRequest, { hasLogin }: GateOptions): Admission | undefined {
  if (path === entryPath && method === "GET") return { by: "entry" };
  if (hasLogin === true && loginPaths.has(path) && method === "GET") return { by: "login" };
  return path.startsWith("/.well-known/") && isReading(method) ? { by: "anybody" } : undefined;
}

const loginPaths: ReadonlySet<string> = new Set([loginPath, callbackPath, loginMethodsPath]);

/** Three parts in base64url; whether it is more than that is found out later. */
const jwtPattern = /^[\w-]+\.[\w-]+\.[\w-]*$/;

/** A token that opens nothing; too many of them from one address are refused for a while. */
export function wrongToken(attempts: AttemptLimit, address: string): HttpError {
  attempts.wrong(address);
  return unauthorised("The token is wrong.");
}

/** The name of a browser's cookie: cookies know no ports, so each server behind one name needs its own. */
export function cookieNameFor(host: string | undefined, port: number): string {
  return `tenon_${/:(\d{1,5})$/.exec(host ?? "")?.[1] ?? port}`;
}

/** The sessions' cookies that a request brings. */
export function sessionCookies({ cookie, host }: IncomingHttpHeaders, port: number): readonly string[] {
  return readCookies(cookie, cookieNameFor(host, port));
}

function admitBrowser(visit: GateRequest, fromPage: boolean, options: GateOptions): Admission {
  const { sessions, port, hasLogin } = options;
  const secret = visit.headers[pageHeader];
  const cookies = sessionCookies(visit.headers, port);
  const found = sessions.find(cookies, typeof secret === "string" ? secret : undefined);
  if (found?.page === true) checkPage(visit, fromPage);
  if (found !== undefined && (found.page || isPageFile(visit))) {
    return { by: "browser", session: found.session };
  }
  if (visit.path === "/health" && isReading(visit.method)) return { by: "anybody" };
  // The page itself offers to sign in; it is the same for everybody.
  if (hasLogin === true && isPageFile(visit)) return { by: "anybody" };
  if (found === undefined) throw unauthorised("A token is required.");
  throw unauthorised(`The cookie alone gives no access: the header ${pageHeader} is missing or wrong.`);
}

/** A host may make calls, and nothing else: consent is for the person. */
function admitHost({ path }: GateRequest): Admission {
  if (mcpEndpointOf(path) !== undefined) return { by: "host" };
  throw new HttpError(403, {
    code: "TOKEN_FOR_MCP",
    message: "This token is for MCP hosts; it gives access to /mcp only.",
    hint: "Use the server's own token for the rest.",
  });
}

/** The key in the state directory is for the command line: it creates links and ends sessions. */
function admitControl({ method, path }: GateRequest): Admission {
  const isOpened =
    path === "/api/links" ||
    (method === "GET" && path === "/api/mcp-servers") ||
    path === "/api/sessions" ||
    path.startsWith("/api/sessions/") ||
    /^\/api\/mcp-servers\/[^/]+\/(?:restart|stop)$/.test(path);
  if (isOpened) return { by: "control" };
  throw new HttpError(403, {
    code: "TOKEN_FOR_CONTROL",
    message: "This key opens /api/links and /api/sessions only, and lists, starts and stops MCP servers.",
  });
}

/** Headers that decide about a request: two of one name would let two readers see two requests. */
const decisive: ReadonlyMap<string, number> = new Map(
  [
    "host",
    "origin",
    "authorization",
    "content-type",
    "sec-fetch-site",
    "sec-fetch-mode",
    "mcp-session-id",
    "mcp-protocol-version",
    pageHeader,
  ].map((name, at) => [name, 2 ** at]),
);

function refuseRepeated(rawHeaders: readonly string[]): void {
  let seen = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]?.toLowerCase() ?? "";
    const bit = decisive.get(name) ?? 0;
    if ((seen & bit) !== 0) {
      const message = `The header ${name} may be sent only once.`;
      throw new HttpError(400, { code: "REQUEST_INVALID", message });
    }
    seen |= bit;
  }
}

/** The values of all cookies with a name: a page at another port can set one with ours, which would lock the person out. */
export function readCookies(header: string | undefined, name: string): string[] {
  const pairs = (header?.split(";") ?? []).map((pair) => pair.split(/=(.*)/s).map((part) => part.trim()));
  return pairs.flatMap(([key, value]) => (key === name && value !== undefined ? [value] : []));
}

/** The page itself, its scripts and styles: the same for everybody, and all that a navigation can ask for. */
export function isPageFile({ method, path }: Pick<GateRequest, "method" | "path">): boolean {
  return isReading(method) && !/^\/(?:api|mcp|metrics|health|\.well-known)(?:\/|$)/.test(path);
}

function isReading(method: string): boolean {
  return method === "GET" || method === "HEAD";
}

function checkHost({ host }: IncomingHttpHeaders, { names, anyAddress }: GateOptions): string {
  const lower = host?.toLowerCase() ?? "";
  const name = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::\d{1,5})?$/.exec(lower)?.[1];
  if (name !== undefined) {
    const bare = name.startsWith("[") ? name.slice(1, -1) : name.replace(/\.$/, "");
    if (names.has(bare) || (anyAddress === true && isIP(bare) !== 0)) return lower;
  }
  throw new HttpError(421, {
    code: "HOST_REFUSED",
    message: "The Host header does not name this server.",
    hint: "Open the address that `tenon serve` printed.",
  });
}

/** Whether a browser says that our own page made the request. */
function checkOrigin(headers: IncomingHttpHeaders, host: string, options: GateOptions): boolean {
  const { origin } = headers;
  const site = headers["sec-fetch-site"];
  const own = origin !== undefined && isOwn(origin, host, options);
  // A browser sends cookies of one port to all others, so a page on another port ("same-site") is not trusted either.
  const stranger = site === "cross-site" || site === "same-site";
  const navigates = headers["sec-fetch-mode"] === "navigate" && origin === undefined;
  if ((origin !== undefined && !own) || (stranger && !navigates)) {
    throw new HttpError(403, {
      code: "ORIGIN_REFUSED",
      message: "Requests from other sites are not allowed.",
      hint: "Open the address that `tenon serve` printed.",
    });
  }
  return own;
}

/** The address that the request was sent to, behind a tunnel or a proxy too, or any other name of this server. */
function isOwn(origin: string, host: string, { names, port }: GateOptions): boolean {
  if (origin === `http://${host}` || origin === `https://${host}`) return true;
  const [, name = "", at] = /^http:\/\/(\[[0-9a-f:.]+\]|[a-z0-9._-]+):(\d{1,5})$/.exec(origin) ?? [];
  return Number(at) === port && names.has(name.replace(/^\[|\]$/g, ""));
}

/** The cookie alone proves nothing about who made a request that changes something. */
function checkPage({ method, headers }: GateRequest, fromPage: boolean): void {
  if (isReading(method)) return;
  if (fromPage && headers[consoleHeader] !== undefined) return;
  throw new HttpError(403, {
    code: "CSRF_REFUSED",
    message: "A request with a cookie that changes something must come from the console itself.",
    hint: `Send "Authorization: Bearer …", or from the page its own Origin and the header ${consoleHeader}.`,
  });
}

function unauthorised(message: string): HttpError {
  return new HttpError(401, {
    code: "TOKEN_NEEDED",
    message,
    hint: 'Run `tenon serve link` for a link that opens the console, or send "Authorization: Bearer TOKEN".',
  });
}

/** Addresses end up in histories, logs and process lists. */
function tokenInUrl(): HttpError {
  return new HttpError(401, {
    code: "TOKEN_IN_URL",
    message: "A token in the URL is not accepted.",
    hint: "Run `tenon serve link` for a link that opens the console once.",
  });
}
