import { getRequestListener } from "@hono/node-server";
import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { HttpError, toHttpError } from "./http-error.js";
import { createApp, type Forward } from "./create-app.js";
import { enterConsole } from "./enter-console.js";
import { createGate, isPageFile, type Admission } from "./gate.js";
import { createIdentify, type IdentifiedVisit } from "./identify-user.js";
import { mcpPrincipalOf, mcpEndpointOf, offeredAt, type McpEndpoint } from "./mcp-endpoint.js";
import { answerWellKnown } from "./well-known.js";
import { answerLogin } from "./login-pages.js";
import { challenge } from "./identity/resource-metadata.js";
import { createSenderOf } from "./identity/sender.js";
import { tooLarge } from "./read-request.js";
import { visibleSessions } from "../contract/ownership.js";
import { tellLimits } from "./limit-headers.js";
import { userOf } from "./request-person.js";
import type { RouteContext } from "./route-context.js";
import { sendError } from "./send-error.js";
import { StalledClients } from "./stalled-clients.js";
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
  readonly trustedProxies?: readonly string[] | undefined;
  readonly limits?: AnswerLimits | undefined;
  readonly forward?: Forward | undefined;
  readonly metrics?: (() => Promise<string>) | undefined;
  readonly consoleFolders?: readonly string[] | undefined;
  readonly onRequest?: ((note: RequestNote) => void) | undefined;
  readonly onFault?: ((cause: unknown) => void) | undefined;
}

export interface RequestHandler {
  readonly handle: (request: IncomingMessage, response: ServerResponse) => void;
  /** The port is known. */
  opened(port: number): void;
  /** Refuse new requests and wait for those that are being answered, at most this long. */
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
  const app = createApp(served, {
    maxBody,
    files,
    forward: options.forward,
    metrics: options.metrics,
    onFault,
  });
  const answer = getRequestListener(
    (request, bindings) => app(request, (bindings as unknown as Bindings).incoming),
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
    const ways = { acceptsJwt: oauth !== undefined, hasLogin: served.login !== undefined };
    return createGate({ token, controlKey, sessions, attempts, names, port, anyAddress, ...ways });
  };
  const { config } = served.tenon;
  const { oauth, publicUrl } = config.auth;
  const senderOf = createSenderOf({ ...config.auth, trustedProxies: options.trustedProxies });
  const users = served.tenon.access;
  const identify = createIdentify({ users, oauth, publicUrl, access, now: served.now, onFault });
  const stalled = new StalledClients(options.limits?.stalledMs ?? 60_000);
  let gate = gateAt(0);
  let draining = false;

  const route = (request: Visitor, response: ServerResponse): void | Promise<void> => {
    const { path, query } = splitUrl(request.url);
    const { method = "GET", headers, rawHeaders } = request;
    if (request.url?.startsWith("/") !== true) throw strangeTarget();
    const { address, base } = senderOf(request);
    const found = gate({ method, path, query, headers, rawHeaders, address, connection: request.socket });
    if (draining) throw stopping();
    const visit = { request, response, path, query, address, base };
    // The files of the page are the same for everybody.
    if (found.by === "browser" && found.session.user !== undefined && !isPageFile({ method, path }))
      return identify.browser(found.session, visit).then((admitted) => answerTo(admitted, visit));
    if (found.by !== "unknown-token") return answerTo(found, visit);
    return identify.user(found.secret, visit).then((admitted) => answerTo(admitted, visit));
  };

  const answerTo = (admitted: Admission, visit: Visit): void | Promise<void> => {
    const { request, response, path, query, address, base } = visit;
    const { method = "GET", headers } = request;
    refuseLarge(request, maxBody);
    if (path.startsWith("/.well-known/"))
      return answerWellKnown(response, { path, base, oauth, endpoints: served.tenon.config.endpoints });
    if (admitted.by === "entry") {
      const code = query.get("code") ?? "";
      const port = served.boundPort();
      return enterConsole(request, response, { access, files, port, address, base, code });
    }
    if (admitted.by === "login" && served.login !== undefined)
      return answerLogin(served.login, { ...visit, port: served.boundPort() }, { access, files });
    if (admitted.by === "browser" && !endsSessions(path)) hangUpWith(admitted.session.ended, response);
    if (path === "/api/feed" && method === "GET") {
      const user = userOf(admitted);
      const sees = user === undefined ? undefined : visibleSessions(user);
      served.feed.connect(response, lastSeen(headers["last-event-id"], query.get("after")), sees);
      return;
    }
    const endpoint = mcpEndpointOf(path);
    if (endpoint !== undefined) {
      stalled.watch(request.socket);
      tellLimits(response, served.tenon.limits, { admitted, endpoint });
      const offered = offeredAt(endpoint, served.tenon.config.endpoints);
      const principal = mcpPrincipalOf(admitted, endpoint, address);
      return options.mcp.handle(
        request,
        response,
        endpoint === "" ? principal : { ...principal, ...offered },
      );
    }
    track(response);
    request.admitted = admitted;
    request.base = base;
    return answer(request, response);
  };

  const refuse = (request: IncomingMessage, response: ServerResponse, thrown: unknown): void => {
    const fault = toHttpError(thrown);
    if (fault.status === 500) onFault(thrown);
    else if (fault.cause !== undefined) onFault(fault.cause);
    const { path } = splitUrl(request.url);
    // Only where OAuth opens something: elsewhere the header would send people to the wrong place.
    if (oauth !== undefined && mcpEndpointOf(path) !== undefined && [401, 403].includes(fault.status))
      response.setHeader("www-authenticate", challenge(fault, oauth, { base: senderOf(request).base, path }));
    sendError(request, response, fault);
  };

  return {
    handle(request, response) {
      if (options.onRequest !== undefined) noteEnd(request, response, options.onRequest);
      try {
        route(request as Visitor, response)?.catch((thrown: unknown) => refuse(request, response, thrown));
      } catch (thrown) {
        refuse(request, response, thrown);
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
  base: string;
}

interface Visit extends IdentifiedVisit {
  readonly request: Visitor;
  readonly query: URLSearchParams;
}

interface Bindings {
  readonly incoming: Visitor;
}

/** Tell of a request once it is answered. */
function noteEnd(
  { method = "GET", url }: IncomingMessage,
  response: ServerResponse,
  tell: (note: RequestNote) => void,
): void {
  const began = performance.now();
  response.once("close", () => {
    const { path } = splitUrl(url);
    tell({ method, path, status: response.statusCode, ms: performance.now() - began });
  });
}

/** A session that is over takes its feeds and waiting answers with it. */
function hangUpWith(ended: AbortSignal, response: ServerResponse): void {
  const hangUp = (): void => void (response.writableEnded || response.destroy());
  ended.addEventListener("abort", hangUp, { once: true });
  response.once("close", () => ended.removeEventListener("abort", hangUp));
}

/** The answer to a request that ends its own session still goes out. */
function endsSessions(path: string): boolean {
  return path === "/api/sign-out" || path.startsWith("/api/sessions/");
}

/** Wait until it holds, at most so long. */
async function waitFor(holds: () => boolean, maxMs: number): Promise<void> {
  const end = performance.now() + maxMs;
  while (!holds() && performance.now() < end) await sleep(10);
}

/** Path and query, which may be strange. */
function splitUrl(url = ""): { readonly path: string; readonly query: URLSearchParams } {
  const at = url.indexOf("?");
  const path = at < 0 ? url : url.slice(0, at);
  return {
    path: path.startsWith("/") ? path : "/",
    query: at < 0 ? noQuery : new URLSearchParams(url.slice(at + 1)),
  };
}

const noQuery = new URLSearchParams();

/** What says by itself that it is too large is refused before it is sent. */
function refuseLarge({ headers }: IncomingMessage, maxBytes: number): void {
  if (Number(headers["content-length"] ?? 0) > maxBytes) throw tooLarge(maxBytes);
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
    { code: "RUNTIME_CLOSED", message: "Tenon is stopping and accepts no new requests." },
    { retryAfter: 5 },
  );
}
