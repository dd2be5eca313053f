import { attempt } from "../../contract/errno.js";
import { ToolValidationError } from "../../contract/errors.js";
import type { HttpRequest } from "../../contract/ports/http.js";

/** A request whose every part was checked; credentials of the URL stand in a header. */
export interface CheckedRequest {
  readonly url: URL;
  readonly method: string;
  /** Names are in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | undefined;
}

/** Check what the caller wrote: nothing in it can forge a second request or header. */
export function checkRequest(request: HttpRequest): CheckedRequest {
  const url = parseUrl(request.url);
  const headers = checkHeaders(request.headers ?? {});
  if (url.username !== "" || url.password !== "") {
    headers["authorization"] ??= `Basic ${Buffer.from(credentialsOf(url)).toString("base64")}`;
    url.username = "";
    url.password = "";
  }
  return { url, method: checkMethod(request.method ?? "GET"), headers, body: request.body };
}

function parseUrl(text: string): URL {
  const trimmed = text.trim();
  if (trimmed.length > MAX_URL)
    throw invalid(`The URL is longer than ${MAX_URL} characters.`, "Shorten it.", "url");
  // The URL parser would drop these without a word.
  if (CONTROL.test(trimmed))
    throw invalid("The URL contains control characters.", "Remove them or write them as %XX.", "url");
  if (URL.canParse(trimmed)) return new URL(trimmed);
  throw invalid(
    `"${trimmed.slice(0, 200)}" is not a URL.`,
    'Write it in full, with its scheme: "https://example.com/page".',
    "url",
  );
}

const MAX_URL = 32_768;
// oxlint-disable-next-line no-control-regex -- they are what is looked for
const CONTROL = /[\u0000-\u001F\u007F]/;

function checkMethod(text: string): string {
  const method = text.toUpperCase();
  if (!TOKEN.test(text) || text.length > 32) {
    throw invalid(
      `"${text.slice(0, 40)}" is not an HTTP method.`,
      "Use GET, POST, PUT, PATCH, DELETE, HEAD or OPTIONS.",
      "method",
    );
  }
  if (forbiddenMethods.has(method)) {
    throw invalid(
      `The method ${method} may not be used.`,
      "Use GET, POST, PUT, PATCH, DELETE, HEAD or OPTIONS.",
      "method",
    );
  }
  return method;
}

const forbiddenMethods: ReadonlySet<string> = new Set(["CONNECT", "TRACE", "TRACK"]);
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

function checkHeaders(given: Readonly<Record<string, string>>): Record<string, string> {
  // No prototype: a header may have any name.
  const headers = Object.create(null) as Record<string, string>;
  let size = 0;
  for (const [name, value] of Object.entries(given)) {
    const lower = name.toLowerCase();
    checkHeader(name, value);
    if (headers[lower] !== undefined) throw badHeader(name, "is given twice", "Give each header once.");
    headers[lower] = value;
    size += name.length + value.length + 4;
  }
  if (size > MAX_HEADERS)
    throw invalid(`The headers are larger than ${MAX_HEADERS} bytes.`, "Send less in them.", "headers");
  return headers;
}

const MAX_HEADERS = 65_536;

function checkHeader(name: string, value: unknown): void {
  if (!TOKEN.test(name)) throw badHeader(name, "is not a valid header name", "Use letters, digits and -.");
  if (typeof value !== "string") throw badHeader(name, "is not a string", "Write its value as a string.");
  if (forbiddenHeaders.has(name.toLowerCase())) {
    throw badHeader(name, "is set by the connection itself", "Leave it out.");
  }
  if (!FIELD_VALUE.test(value)) {
    throw badHeader(
      name,
      "has line breaks or characters that a header cannot hold",
      "Use one line of Latin-1 text; encode the rest.",
    );
  }
}

const FIELD_VALUE = /^[\t\u0020-\u007E\u0080-\u00FF]*$/;

const forbiddenHeaders: ReadonlySet<string> = new Set([
  "connection",
  "content-length",
  "expect",
  "host",
  "http2-settings",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

function credentialsOf(url: URL): string {
  return `${decode(url.username)}:${decode(url.password)}`;
}

function decode(text: string): string {
  return attempt(() => decodeURIComponent(text)) ?? text;
}

function badHeader(name: string, what: string, hint: string): ToolValidationError {
  return invalid(`The header ${JSON.stringify(name.slice(0, 100))} ${what}.`, hint, "headers");
}

function invalid(message: string, hint: string, argument: string): ToolValidationError {
  return new ToolValidationError(message, { code: "VALUE_INVALID", hint, details: { argument } });
}
