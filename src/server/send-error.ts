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
  // The rest of the request is not read, so the connection cannot be used again.
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
