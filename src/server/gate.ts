import type { IncomingHttpHeaders } from "node:http";
import { isIP } from "node:net";
import { consoleHeader } from "./api.js";
import { ApiFault } from "./api-fault.js";
import { cookieSecret, mcpToken, sameSecret } from "./token.js";

/** What the gate sees of a request. */
export interface Visit {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The token in the query of the link that opens the console. */
  readonly linkToken?: string | undefined;
}

/** How somebody was let in: by the token itself, by the page's cookie, by the link that gets it, or as anybody. */
export type Admitted = "token" | "cookie" | "link" | "anybody";

export interface GateOptions {
  readonly token: string;
  readonly cookieName: string;
  /** Names that the server goes by, without a port. */
  readonly names: ReadonlySet<string>;
  /** Where it listens. */
  readonly port: number;
  /** Any address that is no name is ours too: for a server that listens on all interfaces. */
  readonly anyAddress?: boolean | undefined;
}

/**
 * Let a request in, or throw the fault that it is answered with. Every request passes here first.
 *
 * The name it was sent to must be ours, or any page could reach us by making its own name lead here
 * (DNS rebinding); where a browser says which site a request comes from, it must be ours; a request that
 * changes something and brings the cookie only must prove that our own page made it.
 */
export function createGate(options: GateOptions): (visit: Visit) => Admitted {
  const cookieValue = cookieSecret(options.token);
  const hostToken = mcpToken(options.token);
  return (visit) => {
    const host = checkHost(visit.headers, options);
    const fromPage = checkOrigin(visit.headers, host, options);
    if (visit.linkToken !== undefined && visit.path === "/" && isReading(visit.method)) {
      if (sameSecret(visit.linkToken, options.token)) return "link";
      throw unauthorised("The token in the link is wrong.");
    }
    const { authorization } = visit.headers;
    if (authorization !== undefined) {
      const given = /^Bearer +([^\s]+)$/i.exec(authorization)?.[1];
      if (given !== undefined && sameSecret(given, options.token)) return "token";
      if (given !== undefined && sameSecret(given, hostToken)) return admitHost(visit);
      throw unauthorised("The token is wrong.");
    }
    const cookies = readCookies(visit.headers.cookie, options.cookieName);
    if (cookies.some((cookie) => sameSecret(cookie, cookieValue))) {
      checkPage(visit, fromPage);
      return "cookie";
    }
    if (isPublic(visit)) return "anybody";
    throw unauthorised("A token is needed.");
  };
}

/** A host may make calls, and nothing else: consent is for the person. */
function admitHost({ path }: Visit): Admitted {
  if (path === "/mcp") return "token";
  throw new ApiFault(403, {
    code: "TOKEN_FOR_MCP",
    message: "This token is for MCP hosts; it opens /mcp only.",
    hint: "Use the token of the console's link for the rest.",
  });
}

/** The values of all cookies of a name: a page at another port can set one of ours, and would lock the person out. */
function readCookies(header: string | undefined, name: string): string[] {
  const pairs = (header?.split(";") ?? []).map((pair) => pair.split(/=(.*)/s).map((part) => part.trim()));
  return pairs.flatMap(([key, value]) => (key === name && value !== undefined ? [value] : []));
}

function isPublic({ method, path }: Visit): boolean {
  return path === "/health" && isReading(method);
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
  throw new ApiFault(421, {
    code: "HOST_REFUSED",
    message: "This server does not go by that name.",
    hint: "Open the address that `tenon serve` printed.",
  });
}

/** Whether a browser says that our own page made the request. */
function checkOrigin(headers: IncomingHttpHeaders, host: string, options: GateOptions): boolean {
  const { origin } = headers;
  const site = headers["sec-fetch-site"];
  const own = origin !== undefined && isOwn(origin, host, options);
  // A browser sends cookies of one port to all others, so a page next door ("same-site") is a stranger too.
  const stranger = site === "cross-site" || site === "same-site";
  const navigates = headers["sec-fetch-mode"] === "navigate" && origin === undefined;
  if ((origin !== undefined && !own) || (stranger && !navigates)) {
    throw new ApiFault(403, {
      code: "ORIGIN_REFUSED",
      message: "Other sites may not ask this server.",
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
function checkPage({ method, headers }: Visit, fromPage: boolean): void {
  if (isReading(method)) return;
  if (fromPage && headers[consoleHeader] !== undefined) return;
  throw new ApiFault(403, {
    code: "CSRF_REFUSED",
    message: "A request with a cookie that changes something must come from the console itself.",
    hint: `Send "Authorization: Bearer …", or from the page its own Origin and the header ${consoleHeader}.`,
  });
}

function unauthorised(message: string): ApiFault {
  return new ApiFault(401, {
    code: "TOKEN_NEEDED",
    message,
    hint: 'Open the link that `tenon serve` printed, or send "Authorization: Bearer TOKEN".',
  });
}
