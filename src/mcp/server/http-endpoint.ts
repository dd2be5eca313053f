import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import type { McpHttpHandler } from "@modelcontextprotocol/server";
import type { HostChange, McpHost } from "../../contract/host.js";
import { faultOfMessage, type WireMessage } from "../../wire/json-rpc.js";
import type { McpHttpOptions, McpPrincipal } from "./create-mcp-http.js";
import type { ConnectionOptions } from "./connection.js";
import { createMcpServer, type McpServer, type Sdk } from "./create-mcp-server.js";
import { clientInfoKey, toClientInfo } from "./client-info.js";
import { makeRoom, type ConnectedHost } from "./connected-hosts.js";
import { overloaded, refuse } from "./http-answers.js";
import { HttpClient } from "./http-client.js";
import { HttpSession, type HttpBody, legacyVersions } from "./http-session.js";
import { defaultKeepMs, LeftSessions, type ReturningHost } from "./left-sessions.js";
import { readBody, sendWebResponse, toWebRequest } from "./node-http.js";
import { defaultMaxUnread, pacedBody } from "./paced-body.js";
import { readPlainCall, type PlainCall } from "./plain-call.js";
import { ResumableEvents } from "./resumable-events.js";

/** All hosts that speak over HTTP. */
export class HttpEndpoint {
  readonly #sdk: Sdk;
  readonly #host: McpHost;
  readonly #options: McpHttpOptions;
  readonly #sessions = new Map<string, HttpSession>();
  readonly #clients = new Map<string, HttpClient>();
  readonly #left: LeftSessions;
  readonly #events: ResumableEvents;
  readonly #modern: McpHttpHandler;
  readonly #sweep: NodeJS.Timeout;
  readonly #stopListening: () => void;
  #closed = false;

  constructor(sdk: Sdk, host: McpHost, options: McpHttpOptions) {
    this.#sdk = sdk;
    this.#host = host;
    this.#options = options;
    this.#events = new ResumableEvents(options.events);
    this.#left = new LeftSessions(options.keepMs, options.onError);
    this.#modern = sdk.createMcpHandler(
      ({ authInfo }) => {
        const { client } = (authInfo?.extra ?? {}) as { client?: HttpClient };
        if (client === undefined) throw new Error("A request without its client.");
        return client.mcp.createServer(false);
      },
      {
        legacy: "reject",
        maxRequestBodySize: this.#maxBody,
        ...(options.onError && { onerror: options.onError }),
      },
    );
    this.#stopListening = host.onChange((change) => this.#publish(change));
    this.#sweep = setInterval(() => this.#endIdle(), Math.min(this.#idleMs / 2, this.#keepMs / 2, 60_000));
    this.#sweep.unref();
  }

  get sessionCount(): number {
    return this.#sessions.size + this.#clients.size;
  }

  async handle(request: IncomingMessage, response: ServerResponse, principal: McpPrincipal): Promise<void> {
    const { method = "GET", headers } = request;
    const refused = (answer: Response): Promise<void> => sendWebResponse(answer, request, response);
    if (method === "TRACE") return refused(refuse(405, -32000, "Method not allowed."));
    if (method !== "POST") return this.#handleSession(request, response, { principal });
    if (!this.#sdk.isJsonContentType(headers["content-type"] ?? null))
      return refused(refuse(415, -32000, "Content-Type must be application/json."));
    const { text, isGone } = await readBody(request, this.#maxBody);
    if (isGone) return;
    if (text === undefined)
      return refused(refuse(413, -32000, `A request has at most ${this.#maxBody} bytes.`));
    let parsed: unknown;
    try {
      parsed = JSON.parse(text);
    } catch {
      return refused(refuse(400, -32700, "The body is not valid JSON."));
    }
    const call = faultOfMessage(parsed) === undefined ? readPlainCall(parsed as WireMessage) : undefined;
    if (call?.modern === true && namesCall(headers, call)) {
      const client = this.#clientOf(principal, parsed);
      return client === undefined ? refused(full()) : client.answer(call, response);
    }
    const version = headers["mcp-protocol-version"] ?? "2025-03-26";
    const isLegacyCall = call?.modern === false && legacyVersions.has(version as string);
    const web = isLegacyCall ? undefined : toWebRequest(request, response);
    if (web === undefined || (await this.#sdk.isLegacyRequest(web, parsed)))
      return this.#handleSession(request, response, { principal, parsed, call });
    await sendWebResponse(await this.#fetchModern(web, principal, parsed), request, response);
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#sweep);
    this.#stopListening();
    await this.#modern.close();
    for (const session of this.#sessions.values()) session.isOver = true;
    await Promise.all([...this.#sessions.values(), ...this.#clients.values()].map((place) => place.close()));
    await this.#left.close();
    this.#sessions.clear();
    this.#clients.clear();
  }

  async #fetchModern(request: Request, principal: McpPrincipal, parsedBody: unknown): Promise<Response> {
    const client = this.#clientOf(principal, parsedBody);
    if (client === undefined) return full();
    const done = client.begin(parsedBody);
    try {
      const authInfo = { token: "", clientId: principal.id, scopes: [], extra: { client } };
      // It is at work as long as an answer is on its way: a stream may go on for hours.
      const response = await this.#modern.fetch(request, { authInfo, parsedBody });
      return pacedBody(response, { maxBytes: this.#options.maxUnread, onEnd: done });
    } catch (error) {
      done();
      throw error;
    }
  }

  async #handleSession(
    request: IncomingMessage,
    response: ServerResponse,
    { principal, ...body }: HttpBody & { readonly principal: McpPrincipal },
  ): Promise<void> {
    const refused = (answer: Response): Promise<void> => sendWebResponse(answer, request, response);
    const id = request.headers["mcp-session-id"];
    const isGreeting = isInitialize(body.parsed);
    if (id !== undefined && !(isGreeting && this.#canReturn(String(id), principal.id))) {
      const session = this.#sessions.get(String(id));
      // Whose session it is must not be told apart from whether there is one.
      if (session === undefined || session.principal !== principal.id)
        return refused(refuse(404, -32001, "Session not found."));
      return session.handle(request, response, body);
    }
    if (!isGreeting) return refused(refuse(400, -32000, "The header Mcp-Session-Id is missing."));
    const client = clientOf(body.parsed);
    const returning = { principal: principal.id, client, id: id === undefined ? undefined : String(id) };
    const known = await this.#takeUp(returning);
    if (known === undefined && !this.#makeRoom(principal)) return refused(full());
    const mcp = known ?? createMcpServer(this.#sdk, this.#host, this.#optionsFor(principal));
    const session = await this.#openSession(mcp, principal, client);
    try {
      await session.handle(request, response, body);
    } finally {
      // A greeting that the transport refused opened nothing that anybody could close later.
      if (!session.opened) await session.close();
    }
  }

  /** A host that was let go, or whose connection was lost, can come back to its jobs; one that ended its session cannot. */
  #onClose(session: HttpSession): void {
    const { id, principal, client, mcp, isOver, used } = session;
    if (id !== undefined) this.#sessions.delete(id);
    if (isOver || !used || id === undefined) {
      mcp
        .close(this.#closed ? undefined : "its session was ended")
        .catch(this.#options.onError ?? (() => {}));
      return;
    }
    this.#left.keep({ id, principal, client, mcp, leftAt: Math.max(session.lastSeen, session.leftAt ?? 0) });
  }

  /** Whether a greeting may name this session: its host is not there. */
  #canReturn(id: string, principal: string): boolean {
    const session = this.#sessions.get(id);
    if (session === undefined) return this.#left.has(id, principal);
    return session.principal === principal && !session.busy;
  }

  /** The session that a host comes back to, if it has one. */
  async #takeUp(host: ReturningHost): Promise<McpServer | undefined> {
    const since = Date.now() - lostAfterMs;
    const lost = [...this.#sessions.values()].filter(
      ({ id, principal, client, leftAt, busy }) =>
        principal === host.principal &&
        !busy &&
        (id === host.id || (client === host.client && leftAt !== undefined && leftAt <= since)),
    );
    // They are closed as if they were let go, so that one of them can be taken up.
    await Promise.all(lost.map((session) => session.close()));
    return this.#left.take(host);
  }

  /** In a function of its own, so that a session does not keep the request that opened it. */
  async #openSession(mcp: McpServer, principal: McpPrincipal, client: string): Promise<HttpSession> {
    const session = await HttpSession.open(this.#sdk, mcp, {
      principal: principal.id,
      address: principal.address ?? "",
      client,
      events: this.#events.open(),
      maxUnread: this.#options.maxUnread,
      onOpen: (sessionId) => void this.#sessions.set(sessionId, session),
      onClose: (closed) => this.#onClose(closed),
    });
    return session;
  }

  /** The client that a request names; `undefined` where it is a new one and there is no room for it. */
  #clientOf(principal: McpPrincipal, body: unknown): HttpClient | undefined {
    const key = clientKey(principal, body);
    const known = this.#clients.get(key);
    if (known !== undefined) return known;
    if (!this.#makeRoom(principal)) return undefined;
    const client = new HttpClient(createMcpServer(this.#sdk, this.#host, this.#optionsFor(principal)), {
      principal: principal.id,
      address: principal.address ?? "",
      maxUnread: this.#options.maxUnread ?? defaultMaxUnread,
      onEnd: () => void this.#clients.delete(key),
    });
    this.#clients.set(key, client);
    return client;
  }

  #optionsFor({ id, address: _address, ...who }: McpPrincipal): ConnectionOptions {
    const { pageSize, onError } = this.#options;
    return { ...who, principal: who.principal ?? `http:${id}`, pageSize, onError };
  }

  #publish(change: HostChange): void {
    const { notify } = this.#modern;
    if (change.kind === "resource") notify.resourceUpdated(change.uri);
    else if (change.kind === "tools") notify.toolsChanged();
    else if (change.kind === "prompts") notify.promptsChanged();
    else notify.resourcesChanged();
  }

  get #places(): readonly ConnectedHost[] {
    return [...this.#sessions.values(), ...this.#clients.values()];
  }

  #makeRoom({ id, address = "" }: McpPrincipal): boolean {
    return makeRoom(this.#places, { principal: id, address }, this.#options);
  }

  #endIdle(): void {
    const since = Date.now() - this.#idleMs;
    this.#events.dropOld();
    this.#left.endOld();
    const gone = Date.now() - this.#keepMs;
    for (const session of this.#sessions.values()) {
      if (session.leftAt === undefined || session.leftAt >= gone) continue;
      session.end();
    }
    for (const place of this.#places) if (!place.busy && place.lastSeen < since) place.end(true);
  }

  get #maxBody(): number {
    return this.#options.maxBodyBytes ?? 16 * 1024 * 1024;
  }

  get #keepMs(): number {
    return this.#options.keepMs ?? defaultKeepMs;
  }

  get #idleMs(): number {
    return this.#options.idleMs ?? 30 * 60_000;
  }
}

/** In 2026-07-28 every request names its client: each name is a session of its own, for those with the same token. */
function clientKey({ id }: McpPrincipal, body: unknown): string {
  const { params } = Object(body) as { params?: { _meta?: Record<string, unknown> } };
  const info = toClientInfo(params?._meta?.[clientInfoKey]);
  return JSON.stringify([id, info?.name, info?.version]);
}

const modernVersion = "2026-07-28";

/** A listening host that lost its connection comes back sooner than that. */
const lostAfterMs = 2500;

/** The program that sent a greeting. */
function clientOf(body: unknown): string {
  const { params } = Object(body) as { params?: { clientInfo?: unknown } };
  const info = toClientInfo(params?.clientInfo);
  return JSON.stringify([info?.name, info?.version]);
}

/** Whether the headers of 2026-07-28 say what the body says; anything else is for the SDK to judge. */
function namesCall(headers: IncomingHttpHeaders, { call }: PlainCall): boolean {
  return (
    headers["mcp-protocol-version"] === modernVersion &&
    headers["mcp-method"] === "tools/call" &&
    headers["mcp-name"] === call.name
  );
}

function isInitialize(body: unknown): boolean {
  return (Object(body) as { method?: unknown }).method === "initialize";
}

function full(): Response {
  return overloaded("Too many hosts are connected. Try again later.");
}
