import type { IncomingMessage, ServerResponse } from "node:http";
import type { HttpError } from "./http-error.js";

/** Answer with a fault: as JSON, or as text for a person who reads it in a browser. */
export function sendError(
  request: IncomingMessage,
  response: ServerResponse,
  { status, body, retryAfter }: HttpError,
): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  // What is still being sent is not read, so the connection cannot be used again.
  const hasBody =
    request.headers["content-length"] !== undefined || request.headers["transfer-encoding"] !== undefined;
  if (hasBody && !request.complete) response.setHeader("connection", "close");
  if (retryAfter !== undefined) response.setHeader("retry-after", String(retryAfter));
  if (status === 401 && !response.hasHeader("www-authenticate"))
    response.setHeader("www-authenticate", 'Bearer realm="tenon"');
  const readable = request.headers.accept?.includes("text/html") === true;
  const { message, hint } = body.error;
  response
    .writeHead(status, {
      "content-type": readable ? "text/plain; charset=utf-8" : "application/json; charset=utf-8",
    })
    .end(
      readable
        ? `${[message, hint].filter((line) => line !== undefined).join("\n")}\n`
        : JSON.stringify(body),
    );
}

/** On every answer, whatever it is. */
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
