import type { CheckedRequest } from "./check-request.js";
import { failed, refused } from "./http-errors.js";
import { nameOf, targetOf } from "./judge-target.js";

/** Where an answer redirects to, if it does. */
export function redirectOf(status: number, headers: Readonly<Record<string, string>>): string | undefined {
  return redirects.has(status) && headers["location"] !== "" ? headers["location"] : undefined;
}

const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** The request that follows a redirect, as browsers make it. */
export function nextHop(request: CheckedRequest, status: number, location: string): CheckedRequest {
  const url = resolve(request.url, location);
  const asGet = rewrites(status, request.method);
  const moved = url.origin !== request.url.origin;
  const headers = Object.entries(request.headers).filter(
    ([name]) => !(moved && isCredential(name)) && !(asGet && name.startsWith("content-")),
  );
  return {
    url,
    method: asGet ? "GET" : request.method,
    headers: Object.fromEntries(headers),
    body: asGet ? undefined : request.body,
  };
}

function resolve(from: URL, location: string): URL {
  const host = nameOf(targetOf(from));
  // Header text is Latin-1; servers that send UTF-8 in it mean UTF-8.
  const text = Buffer.from(location, "latin1").toString("utf8");
  if (!URL.canParse(text, from.href)) throw failed(host, "it redirects to something that is not a URL");
  const url = new URL(text, from.href);
  if (from.protocol === "https:" && url.protocol === "http:") {
    throw refused(
      nameOf(targetOf(url)),
      `${host} redirects from https to http, which is not encrypted`,
      "Ask for the http address itself if that is meant.",
    );
  }
  // Credentials that a server wrote into a redirect are not the caller's.
  url.username = "";
  url.password = "";
  if (url.hash === "") url.hash = from.hash;
  return url;
}

function rewrites(status: number, method: string): boolean {
  if (status === 303) return method !== "GET" && method !== "HEAD";
  return (status === 301 || status === 302) && method === "POST";
}

/** Tokens are sent in headers of many names: all that look like one are dropped. */
function isCredential(name: string): boolean {
  return /auth|cookie|token|secret|password|session|signature|credential|api-?key|-key$/.test(name);
}
