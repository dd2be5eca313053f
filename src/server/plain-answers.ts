import type { IncomingMessage, ServerResponse } from "node:http";
import type { ApiFault } from "./api-fault.js";
import { cookieSecret } from "./token.js";

/** The link of the terminal: the browser gets the cookie, and an address without the token. */
export function openConsole(
  { headers }: IncomingMessage,
  response: ServerResponse,
  { cookieName, token }: { readonly cookieName: string; readonly token: string },
): void {
  const cookie = `${cookieName}=${cookieSecret(token)}; Path=/; HttpOnly; SameSite=Strict`;
  response.setHeader("set-cookie", cookie);
  const site = headers["sec-fetch-site"];
  if (site === undefined || site === "none" || site === "same-origin") {
    response.writeHead(303, { location: "/" }).end();
    return;
  }
  // After a click on another site a strict cookie would not follow a redirect; a page of ours may go on itself.
  response
    .writeHead(200, { refresh: "0; url=/", "content-type": "text/plain; charset=utf-8" })
    .end("Opening the console…\n");
}

/** Answer with a fault: as JSON, or as text for a person who reads it in a browser. */
export function sendFault(
  request: IncomingMessage,
  response: ServerResponse,
  { status, body }: ApiFault,
): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  // What is still being sent is not read, so the connection cannot be used again.
  const hasBody =
    request.headers["content-length"] !== undefined || request.headers["transfer-encoding"] !== undefined;
  if (hasBody && !request.complete) response.setHeader("connection", "close");
  if (status === 401) response.setHeader("www-authenticate", 'Bearer realm="tenon"');
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
