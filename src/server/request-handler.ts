import { getRequestListener } from "@hono/node-server";
import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { HttpError, toHttpError } from "./http-error.js";
import { createApp } from "./create-app.js";
import { enterConsole } from "./enter-console.js";
import { createGate, wrongToken, type Admission } from "./gate.js";
import { mcpClientOf, mcpEndpointOf, offeredAt, type McpEndpoint } from "./mcp-endpoint.js";
import { NamedTokens } from "./named-tokens.js";
import { tooLarge } from "./read-request.js";
import { checkRole } from "./route-roles.js";
import type { RouteContext } from "./route-context.js";
import { createConsoleFiles } from "./static-files.js";

/** A request that was answered, for a line in a log. */
export interface RequestNote {
  readonly method: string;
  /** Without the query, which may hold the code of a link. */
  readonly path: string;
  readonly status: number;
  readonly ms: number;
}

export interface AnswerLimits {
  /** Of a request, in bytes. @default 16777216 */
  readonly maxBody?: number | undefined;
  /** A client that takes nothing of its answer for this long is let go. @default 60000 */
  readonly stalledMs?: number | undefined;
}

export interface RequestHandlerOptions {
  readonly token: string;
  readonly host: string;
  readonly names: ReadonlySet<string>;
  readonly mcp: McpEndpoint;
  readonly limits?: AnswerLimits | undefined;
  readonly consoleFolders?: readonly string[] | undefined;
  readonly onRequest?: ((note: RequestNote) => void) | undefined;
  readonly onFault?: ((cause: unknown) => void) | undefined;
}

export interface RequestHandler {
  readonly handle: (request: IncomingMessage, response: ServerResponse) => void;
  /** The port is known. */
  opened(port: number): void;
  /** Refuse what is new and wait for what is being answered, at most so long. */
  drain(graceMs: number): Promise<void>;
}

const defaultMaxBody = 16 * 1024 * 1024;

/** Check a request, then hand it to who answers it. */
export function createRequestHandler(served: RouteContext, options: RequestHandlerOptions): RequestHandler {
  const maxBody = options.limits?.maxBody ?? defaultMaxBody;
  const onFault = options.onFault ?? (() => {});
  const { token, names } = options;
  const { access } = served;
  const files = createConsoleFiles(options.consoleFolders);
  const app = createApp(served, { maxBody, files, onFault });
  const answer = getRequestListener(
    (request, bindings) => app(request, (bindings as unknown as Bindings).incoming.admitted),
    { overrideGlobalObjects: false },
  );
  // Streams of MCP hosts may never end, so of those only the calls are waited for.
  const active = new Set<ServerResponse>();
  const track = (response: ServerResponse): void => {
    active.add(response);
    response.once("close", () => active.delete(response));
  };
  const { controlKey, sessions, attempts } = access;
  const gateAt = (port: number): ReturnType<typeof createGate> => {
    const anyAddress = options.host === "0.0.0.0" || options.host === "::";
    return createGate({ token, controlKey, sessions, attempts, names, port, anyAddress });
  };
  const tokens = new NamedTokens(served.tenon.access, onFault);
  let gate = gateAt(0);
  let draining = false;

  const route = (request: Visitor, response: ServerResponse): void | Promise<void> => {
    const { path, query } = splitUrl(request.url);
    const { method = "GET", headers, rawHeaders } = request;
    if (request.url?.startsWith("/") !== true) throw strangeTarget();
    const address = addressOf(request);
    const found = gate({ method, path, query, headers, rawHeaders, address });
    if (draining) throw stopping();
    if (found.by !== "unknown-token") return answerTo(found, { request, response, path, query, address });
    return tokens.identify(found.secret).then((identity) => {
      if (identity === undefined) throw wrongToken(attempts, address);
      checkRole(identity, { method, path });
      tokens.watch(response, found.secret, identity);
      return answerTo({ by: "user", identity }, { request, response, path, query, address });
    });
  };

  const answerTo = (admitted: Admission, visit: Visit): void | Promise<void> => {
    const { request, response, path, query, address } = visit;
    const { method = "GET", headers } = request;
    refuseLarge(request, maxBody);
    if (admitted.by === "entry") {
      const code = query.get("code") ?? "";
      return enterConsole(request, response, { access, files, port: served.boundPort(), address, code });
    }
    if (admitted.by === "browser" && !endsSessions(path)) hangUpWith(admitted.session.ended, response);
    if (path === "/api/feed" && method === "GET") {
      served.feed.connect(response, lastSeen(headers["last-event-id"], query.get("after")));
      return;
    }
    const endpoint = mcpEndpointOf(path);
    if (endpoint !== undefined) {
      letGoWhenStalled(response, options.limits?.stalledMs ?? 60_000);
      const offered = offeredAt(endpoint, served.tenon.config.endpoints);
      return options.mcp.handle(request, response, {
        ...mcpClientOf(admitted, endpoint),
        address,
        ...offered,
      });
    }
    track(response);
    request.admitted = admitted;
    return answer(request, response);
  };

  return {
    handle(request, response) {
      const began = performance.now();
      for (const [name, value] of Object.entries(commonHeaders)) response.setHeader(name, value);
      response.once("close", () => {
        const { method = "GET", url } = request;
        const note = {
          method,
          path: splitUrl(url).path,
          status: response.statusCode,
          ms: performance.now() - began,
        };
        options.onRequest?.(note);
      });
      const refuse = (thrown: unknown): void => {
        const fault = toHttpError(thrown);
        if (fault.status === 500) onFault(thrown);
        sendError(request, response, fault);
      };
      try {
        Promise.resolve(route(request as Visitor, response)).catch(refuse);
      } catch (thrown) {
        refuse(thrown);
      }
    },
    opened(port) {
      gate = gateAt(port);
    },
    async drain(graceMs) {
      draining = true;
      await waitFor(() => active.size === 0 && served.calls.unfinished === 0, graceMs);
      await sleep(10); // the last answers are on their way
      for (const response of active) response.destroy();
    },
  };
}

interface Visitor extends IncomingMessage {
  admitted: Admission;
}

interface Visit {
  readonly request: Visitor;
  readonly response: ServerResponse;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly address: string;
}

interface Bindings {
  readonly incoming: Visitor;
}

/** A session that is over takes its feeds and waiting answers with it. */
function hangUpWith(ended: AbortSignal, response: ServerResponse): void {
  const hangUp = (): void => void (response.writableEnded || response.destroy());
  ended.addEventListener("abort", hangUp, { once: true });
  response.once("close", () => ended.removeEventListener("abort", hangUp));
}

/** Hang up on a client that does not read; what it missed can be fetched again where the protocol allows. */
function letGoWhenStalled(response: ServerResponse, mostMs: number): void {
  let drained = performance.now();
  response.on("drain", () => (drained = performance.now()));
  const look = setInterval(
    () => {
      if (!response.writableNeedDrain) drained = performance.now();
      else if (performance.now() - drained >= mostMs) response.destroy();
    },
    Math.min(mostMs / 4, 5000),
  );
  look.unref();
  response.once("close", () => clearInterval(look));
}

/** The answer to a request that ends its own session still goes out. */
function endsSessions(path: string): boolean {
  return path === "/api/sign-out" || path.startsWith("/api/sessions/");
}

function addressOf({ socket }: IncomingMessage): string {
  return socket.remoteAddress?.replace(/^::ffff:/, "") ?? "unknown";
}

/** Wait until it holds, at most so long. */
async function waitFor(holds: () => boolean, mostMs: number): Promise<void> {
  const end = performance.now() + mostMs;
  while (!holds() && performance.now() < end) await sleep(10);
}

/** Path and query, which may be strange. */
function splitUrl(url = ""): { readonly path: string; readonly query: URLSearchParams } {
  const at = url.indexOf("?");
  const path = at < 0 ? url : url.slice(0, at);
  return {
    path: path.startsWith("/") ? path : "/",
    query: new URLSearchParams(at < 0 ? "" : url.slice(at + 1)),
  };
}

/** What says by itself that it is too large is refused before it is sent. */
function refuseLarge({ headers }: IncomingMessage, most: number): void {
  if (Number(headers["content-length"] ?? 0) > most) throw tooLarge(most);
}

function lastSeen(header: string | string[] | undefined, after: string | null): number | undefined {
  const text = typeof header === "string" && header !== "" ? header : after;
  if (text === null || text === "") return undefined;
  return /^\d{1,16}$/.test(text) ? Number(text) : -1; // not a number that was ever sent: reload
}

/** Proxies are asked like that. */
function strangeTarget(): HttpError {
  return new HttpError(400, { code: "REQUEST_INVALID", message: "The request must name a path." });
}

function stopping(): HttpError {
  return new HttpError(
    503,
    { code: "RUNTIME_CLOSED", message: "Tenon is stopping and takes nothing new." },
    { retryAfter: 5 },
  );
}

/** Answer with a fault: as JSON, or as text for a person who reads it in a browser. */
function sendError(
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

/** On every answer, whatever it is. */
const commonHeaders: Readonly<Record<string, string>> = {
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
