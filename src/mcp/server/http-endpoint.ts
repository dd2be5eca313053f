import { hash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { McpHost } from "../../contract/host.js";
import { faultOfMessage, idOf, type WireMessage } from "../../wire/json-rpc.js";
import { faultOfEncoding } from "../../wire/body-encoding.js";
import type { McpHostView, McpHttpOptions, McpPrincipal } from "./create-mcp-http.js";
import type { ConnectionOptions } from "./connection.js";
import { createMcpServer, type McpServer, type Sdk } from "./create-mcp-server.js";
import { HostRoom, type ConnectedHost } from "./connected-hosts.js";
import { toHostView } from "./host-view.js";
import { full, refuse } from "./http-answers.js";
import { HttpClient } from "./http-client.js";
import {
  clientKey,
  clientOf,
  isInitialize,
  isListen,
  namesCall,
  parseBody,
  type Greeted,
} from "./http-requests.js";
import { HttpSession, type HttpBody, legacyVersions } from "./http-session.js";
import { defaultKeepMs, LeftSessions } from "./left-sessions.js";
import { readBody, sendWebResponse, toWebRequest } from "./node-http.js";
import { defaultMaxUnread, pacedBody } from "./paced-body.js";
import { readPlainCall } from "./plain-call.js";
import { RequestTurns } from "./request-turns.js";
import { ResumableEvents } from "./resumable-events.js";

/** All hosts that speak over HTTP. */
export class HttpEndpoint {
  readonly #sdk: Sdk;
  readonly #host: McpHost;
  readonly #options: McpHttpOptions;
  readonly #sessions = new Map<string, HttpSession>();
  readonly #clients = new Map<string, HttpClient>();
  readonly #room: HostRoom;
  readonly #restoring = new Map<string, Promise<HttpSession | undefined>>();
  readonly #left: LeftSessions;
  readonly #events: ResumableEvents;
  readonly #turns = new RequestTurns();
  readonly #sweep: NodeJS.Timeout;
  readonly #maxBody: number;
  readonly #keepMs: number;
  readonly #idleMs: number;
  #closed = false;

  constructor(sdk: Sdk, host: McpHost, options: McpHttpOptions) {
    [this.#sdk, this.#host, this.#options] = [sdk, host, options];
    this.#room = new HostRoom(() => this.#places, options);
    this.#maxBody = options.maxBodyBytes ?? 16 * 1024 * 1024;
    this.#keepMs = options.keepMs ?? defaultKeepMs;
    this.#idleMs = options.idleMs ?? 30 * 60_000;
    options.directory?.onRemoved?.((id) => this.#sessions.get(id)?.end(true));
    this.#events = new ResumableEvents(options.events);
    this.#left = new LeftSessions(options.keepMs, options.onError);
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
    const unreadable = faultOfEncoding(headers);
    if (unreadable !== undefined) return refused(refuse(415, -32000, unreadable));
    const { text, isGone } = await readBody(request, this.#maxBody);
    if (isGone) return;
    if (text === undefined)
      return refused(refuse(413, -32000, `A request may have at most ${this.#maxBody} bytes.`));
    await this.#turns.next();
    const parsed = parseBody(text);
    if (parsed instanceof Response) return refused(parsed);
    return this.#handleMessage(request, response, { principal, parsed });
  }

  async #handleMessage(
    request: IncomingMessage,
    response: ServerResponse,
    { principal, parsed }: { readonly principal: McpPrincipal; readonly parsed: unknown },
  ): Promise<void> {
    const { headers } = request;
    const call = faultOfMessage(parsed) === undefined ? readPlainCall(parsed as WireMessage) : undefined;
    if (call?.modern === true && namesCall(headers, call)) {
      const client = this.#clientOf(principal, parsed);
      if (client === undefined) return sendWebResponse(full(), request, response);
      return client.answer(call, response);
    }
    const version = headers["mcp-protocol-version"] ?? "2025-03-26";
    const isLegacyCall = call?.modern === false && legacyVersions.has(version as string);
    const session = isLegacyCall ? this.#sessions.get(headers["mcp-session-id"] as string) : undefined;
    if (session?.principal === principal.id) return session.handle(request, response, { parsed, call });
    const web = isLegacyCall ? undefined : toWebRequest(request, response);
    if (web === undefined || (await this.#sdk.isLegacyRequest(web, parsed)))
      return this.#handleSession(request, response, { principal, parsed, call });
    await sendWebResponse(await this.#fetchModern(web, principal, parsed), request, response);
  }

  hosts(): readonly McpHostView[] {
    return this.#places.map(toHostView).sort((a, b) => b.since - a.since);
  }

  endHost(id: string): boolean {
    const place = this.#places.find(({ mcp }) => mcp.connection.session.id === id);
    place?.end(true);
    return place !== undefined;
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#sweep);
    for (const session of this.#sessions.values()) session.isOver = true;
    await Promise.all([...this.#sessions.values(), ...this.#clients.values()].map((place) => place.close()));
    await this.#left.close();
    this.#sessions.clear();
    this.#clients.clear();
  }

  async #fetchModern(request: Request, principal: McpPrincipal, parsedBody: unknown): Promise<Response> {
    const client = this.#clientOf(principal, parsedBody);
    if (client === undefined) return full();
    const open = [...this.#clients.values()].reduce((sum, { subscriptions }) => sum + subscriptions, 0);
    if (isListen(parsedBody) && open >= maxSubscriptions)
      return refuse(200, -32603, "Subscription limit reached.", idOf(parsedBody));
    const done = client.begin(parsedBody);
    try {
      // It is at work as long as an answer is on its way: a stream may go on for hours.
      const response = await client.fetch(request, parsedBody);
      return pacedBody(response, { maxBytes: this.#options.maxUnread, onEnd: done });
    } catch (error) {
      done();
      throw error;
    }
  }

  async #handleSession(
    request: IncomingMessage,
    response: ServerResponse,
    body: HttpBody & { readonly principal: McpPrincipal },
  ): Promise<void> {
    const { principal } = body;
    const refused = (answer: Response): Promise<void> => sendWebResponse(answer, request, response);
    const id = request.headers["mcp-session-id"];
    const isGreeting = isInitialize(body.parsed);
    if (id !== undefined && !(isGreeting && this.#canReturn(String(id), principal.id))) {
      const session = this.#sessions.get(String(id)) ?? (await this.#restore(String(id), principal));
      // Whose session it is must not be told apart from whether there is one.
      if (session === undefined || session.principal !== principal.id)
        return refused(refuse(404, -32001, "Session not found."));
      if (request.method === "DELETE") await this.#options.directory?.remove(String(id));
      return session.handle(request, response, body);
    }
    if (!isGreeting) return refused(refuse(400, -32000, "The header Mcp-Session-Id is missing."));
    const client = clientOf(body.parsed);
    const returning = { principal: principal.id, client, id: id === undefined ? undefined : String(id) };
    const known = await this.#left.takeUp(returning, [...this.#sessions.values()]);
    const place = this.#room.reserve(principal);
    if (place === undefined) {
      if (known !== undefined) this.#left.keep(known);
      return refused(full());
    }
    let session: HttpSession | undefined;
    try {
      const mcp = known?.mcp ?? createMcpServer(this.#sdk, this.#host, this.#optionsFor(principal));
      session = await this.#openSession(mcp, principal, { client, greeting: body.parsed, place });
      await session.handle(request, response, body);
    } finally {
      this.#room.release(place);
      // A greeting that the transport refused opened nothing that anybody could close later.
      if (session?.opened === false) await session.close();
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

  /** In a function of its own, so that a session does not keep the request that opened it. */
  async #openSession(
    mcp: McpServer,
    principal: McpPrincipal,
    { client, greeting, sessionId, place }: Greeted & { readonly place: ConnectedHost },
  ): Promise<HttpSession> {
    const { directory } = this.#options;
    const session = await HttpSession.open(this.#sdk, mcp, {
      principal: principal.id,
      address: principal.address ?? "",
      client,
      events: this.#events.open(),
      maxUnread: this.#options.maxUnread,
      sessionId,
      onOpen: async (id) => {
        this.#sessions.set(id, session);
        this.#room.release(place);
        if (directory === undefined || sessionId !== undefined) return;
        // Kept before the host is answered: its next request may go elsewhere.
        const { id: hostSession } = mcp.connection.session;
        await directory.keep(id, { principal: principal.id, greeting, session: hostSession });
      },
      onClose: (closed) => this.#onClose(closed),
    });
    return session;
  }

  /** A session that another server has opened; several requests that come at once find the same. */
  #restore(id: string, principal: McpPrincipal): Promise<HttpSession | undefined> {
    if (this.#options.directory === undefined) return Promise.resolve(undefined);
    const restoring = this.#restoring.get(id) ?? this.#restoreNow(id, principal);
    this.#restoring.set(id, restoring);
    return restoring.finally(() => this.#restoring.delete(id));
  }

  async #restoreNow(id: string, principal: McpPrincipal): Promise<HttpSession | undefined> {
    const known = await this.#options.directory?.find(id);
    const place = known?.principal === principal.id ? this.#room.reserve(principal) : undefined;
    if (known === undefined || place === undefined) return undefined;
    const { greeting, session: hostSession } = known;
    const mcp = createMcpServer(this.#sdk, this.#host, { ...this.#optionsFor(principal), id: hostSession });
    const greeted = { client: clientOf(greeting), greeting, sessionId: id, place };
    try {
      const session = await this.#openSession(mcp, principal, greeted);
      await session.restore(greeting);
      return session;
    } finally {
      this.#room.release(place);
    }
  }

  /** The client that a request names; `undefined` where it is a new one and there is no room for it. */
  #clientOf(principal: McpPrincipal, body: unknown): HttpClient | undefined {
    const key = clientKey(principal, body);
    const known = this.#clients.get(key);
    if (known !== undefined) return known;
    if (!this.#room.makeFor(principal)) return undefined;
    // All servers give a client that names itself alike the same session.
    const id =
      this.#options.directory === undefined ? undefined : `client-${hash("sha256", key).slice(0, 40)}`;
    const options = { ...this.#optionsFor(principal), id };
    const client = new HttpClient(this.#sdk, createMcpServer(this.#sdk, this.#host, options), {
      principal: principal.id,
      address: principal.address ?? "",
      maxUnread: this.#options.maxUnread ?? defaultMaxUnread,
      maxBodyBytes: this.#maxBody,
      onEnd: () => void this.#clients.delete(key),
    });
    this.#clients.set(key, client);
    return client;
  }

  #optionsFor({ id, address: _address, ...who }: McpPrincipal): ConnectionOptions {
    const { pageSize, onError } = this.#options;
    return { ...who, principal: who.principal ?? `http:${id}`, pageSize, onError };
  }

  get #places(): readonly (HttpSession | HttpClient)[] {
    return [...this.#sessions.values(), ...this.#clients.values()];
  }

  #endIdle(): void {
    const since = Date.now() - this.#idleMs;
    this.#events.dropOld();
    this.#left.endOld();
    const gone = Date.now() - this.#keepMs;
    for (const session of this.#sessions.values())
      if (session.leftAt !== undefined && session.leftAt < gone) session.end();
    for (const place of this.#places) if (!place.busy && place.lastSeen < since) place.end(true);
  }
}

/** Streams of changes that all hosts of 2026-07-28 may have open together. */
const maxSubscriptions = 1024;
