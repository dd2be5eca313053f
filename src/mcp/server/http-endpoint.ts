import type { McpHttpHandler } from "@modelcontextprotocol/server";
import type { HostChange, McpHost } from "../../contract/host.js";
import type { McpHttpOptions, McpPrincipal } from "./create-mcp-http.js";
import type { ConnectionOptions } from "./connection.js";
import { createMcpServer, type McpServer, type Sdk } from "./create-mcp-server.js";
import { clientInfoKey, toClientInfo } from "./client-info.js";
import { makeRoom, type ConnectedHost } from "./connected-hosts.js";
import { overloaded, refuse } from "./http-answers.js";
import { HttpSession } from "./http-session.js";
import { pacedBody } from "./paced-body.js";
import { ResumableEvents } from "./resumable-events.js";

/** A client of 2026-07-28, which has no sessions: all that comes with one token. */
interface Client extends ConnectedHost {
  readonly mcp: McpServer;
  lastSeen: number;
  requests: number;
}

/** All hosts that speak over HTTP. */
export class HttpEndpoint {
  readonly #sdk: Sdk;
  readonly #host: McpHost;
  readonly #options: McpHttpOptions;
  readonly #sessions = new Map<string, HttpSession>();
  readonly #clients = new Map<string, Client>();
  readonly #events: ResumableEvents;
  readonly #modern: McpHttpHandler;
  readonly #sweep: NodeJS.Timeout;
  readonly #stopListening: () => void;

  constructor(sdk: Sdk, host: McpHost, options: McpHttpOptions) {
    this.#sdk = sdk;
    this.#host = host;
    this.#options = options;
    this.#events = new ResumableEvents(options.events);
    this.#modern = sdk.createMcpHandler(
      ({ authInfo }) => {
        const { client } = (authInfo?.extra ?? {}) as { client?: Client };
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
    this.#sweep = setInterval(() => this.#endIdle(), Math.min(this.#idleMs / 2, 60_000));
    this.#sweep.unref();
  }

  get sessionCount(): number {
    return this.#sessions.size + this.#clients.size;
  }

  async fetch(request: Request, principal: McpPrincipal): Promise<Response> {
    if (request.method !== "POST") return this.#fetchSession(request, principal, undefined);
    if (!this.#sdk.isJsonContentType(request.headers.get("content-type"))) {
      return refuse(415, -32000, "Content-Type must be application/json.");
    }
    const body = await this.#sdk.readRequestBody(request, this.#maxBody);
    if (body.tooLarge) return refuse(413, -32000, `A request has at most ${this.#maxBody} bytes.`);
    let parsed: unknown;
    try {
      parsed = JSON.parse(body.text);
    } catch {
      return refuse(400, -32700, "The body is not valid JSON.");
    }
    if (await this.#sdk.isLegacyRequest(request, parsed))
      return this.#fetchSession(request, principal, parsed);
    return this.#fetchModern(request, principal, parsed);
  }

  async close(): Promise<void> {
    clearInterval(this.#sweep);
    this.#stopListening();
    await this.#modern.close();
    const ending = [...this.#sessions.values()].map((session) => session.close());
    await Promise.all([...ending, ...[...this.#clients.values()].map(({ mcp }) => mcp.close())]);
    this.#sessions.clear();
    this.#clients.clear();
  }

  async #fetchModern(request: Request, principal: McpPrincipal, parsedBody: unknown): Promise<Response> {
    const key = clientKey(principal, parsedBody);
    if (!this.#clients.has(key) && !this.#makeRoom(principal)) return full();
    const client = this.#clientOf(key, principal);
    client.requests++;
    const done = (): void => {
      client.requests--;
      client.lastSeen = Date.now();
    };
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

  async #fetchSession(request: Request, principal: McpPrincipal, parsedBody: unknown): Promise<Response> {
    const id = request.headers.get("mcp-session-id");
    if (id !== null) {
      const session = this.#sessions.get(id);
      // Whose session it is must not be told apart from whether there is one.
      if (session === undefined || session.principal !== principal.id)
        return refuse(404, -32001, "Session not found.");
      return session.fetch(request, parsedBody);
    }
    if (!isInitialize(parsedBody)) return refuse(400, -32000, "The header Mcp-Session-Id is missing.");
    if (!this.#makeRoom(principal)) return full();
    const session = await HttpSession.open(
      this.#sdk,
      createMcpServer(this.#sdk, this.#host, this.#optionsFor(principal)),
      {
        principal: principal.id,
        address: principal.address ?? "",
        events: this.#events.open(),
        maxUnread: this.#options.maxUnread,
        onOpen: (sessionId) => void this.#sessions.set(sessionId, session),
        onClose: (sessionId) => void this.#sessions.delete(sessionId),
      },
    );
    const response = await session.fetch(request, parsedBody);
    // A greeting that the transport refused opened nothing that anybody could close later.
    if (!session.opened) await session.close();
    return response;
  }

  #clientOf(key: string, principal: McpPrincipal): Client {
    const known = this.#clients.get(key);
    if (known !== undefined) return known;
    const mcp = createMcpServer(this.#sdk, this.#host, this.#optionsFor(principal));
    const client: Client = {
      mcp,
      principal: principal.id,
      address: principal.address ?? "",
      used: true,
      lastSeen: Date.now(),
      requests: 0,
      get busy() {
        return client.requests > 0;
      },
      end: () => {
        this.#clients.delete(key);
        mcp.close().catch((error: Error) => this.#options.onError?.(error));
      },
    };
    this.#clients.set(key, client);
    return client;
  }

  #optionsFor({ id, address: _address, ...who }: McpPrincipal): ConnectionOptions {
    const { pageSize, onError } = this.#options;
    return { ...who, principal: `http:${id}`, pageSize, onError };
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
    for (const place of this.#places) if (!place.busy && place.lastSeen < since) place.end();
  }

  get #maxBody(): number {
    return this.#options.maxBodyBytes ?? 16 * 1024 * 1024;
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

function isInitialize(body: unknown): boolean {
  return (Object(body) as { method?: unknown }).method === "initialize";
}

function full(): Response {
  return overloaded("Too many hosts are connected. Try again later.");
}
