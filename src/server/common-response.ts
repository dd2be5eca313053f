import {
  ServerResponse,
  type IncomingMessage,
  type OutgoingHttpHeader,
  type OutgoingHttpHeaders,
} from "node:http";

type Headers = OutgoingHttpHeaders | OutgoingHttpHeader[];

/**
 * Give every response the common headers; one that it already has stays as it is. It inherits from Node's class, since
 * everything that answers passes its `writeHead`: see docs/decisions/029-one-response-class.md.
 */
export class CommonResponse<
  Request extends IncomingMessage = IncomingMessage,
> extends ServerResponse<Request> {
  override writeHead(status: number, reason?: string | Headers, headers?: Headers): this {
    const message = typeof reason === "string" ? reason : undefined;
    const given = (typeof reason === "object" ? reason : headers) ?? {};
    const all = Array.isArray(given) && this.getHeaderNames().length === 0 ? joined(given) : this.#set(given);
    if (message === undefined) return super.writeHead(status, all);
    return super.writeHead(status, message, all);
  }

  /** Headers that were set one by one are joined with those that are given now by Node itself. */
  #set<Given extends Headers>(given: Given): Given {
    const names = Array.isArray(given) ? given.filter((_, at) => at % 2 === 0) : Object.keys(given);
    const lower = new Set(names.map((name) => String(name).toLowerCase()));
    for (const [name, value] of Object.entries(commonHeaders))
      if (!lower.has(name) && !this.hasHeader(name)) this.setHeader(name, value);
    return given;
  }
}

/** Names and values in turn, which is how Node writes them fastest. */
function joined(given: OutgoingHttpHeader[]): OutgoingHttpHeader[] {
  const all = [...given];
  for (let at = 0; at < common.length; at += 2)
    if (!given.includes(common[at] as string)) all.push(common[at] as string, common[at + 1] as string);
  return all;
}

/** On every answer. */
export const commonHeaders: Readonly<Record<string, string>> = {
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=()",
  // Styles may be inline, since parts of the page set them at run time; scripts never.
  "content-security-policy": [
    "default-src 'self'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; "),
  "cache-control": "no-store",
};

const common: readonly string[] = Object.entries(commonHeaders).flat();
