import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Server, WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server";
import { TransientMap } from "../../contract/transient-map.js";
import type { WireMessage } from "../../wire/json-rpc.js";
import type { McpServer, Sdk } from "./create-mcp-server.js";
import type { ConnectedHost } from "./connected-hosts.js";
import { retryMs } from "./call-stream.js";
import { refuse } from "./http-answers.js";
import { HttpCalls } from "./http-calls.js";
import { listOf, requestIds } from "./http-requests.js";
import { sendWebResponse, toWebRequest } from "./node-http.js";
import { defaultMaxUnread, pacedBody } from "./paced-body.js";
import type { PlainCall } from "./plain-call.js";
import type { SessionEvents } from "./resumable-events.js";

export interface HttpSessionOptions {
  readonly principal: string;
  readonly address: string;
  /** Recent messages of its streams. */
  readonly events: SessionEvents;
  readonly maxUnread?: number | undefined;
  readonly onOpen: (sessionId: string) => void | Promise<void>;
  /** The id of a session that was opened elsewhere. @default a new one */
  readonly sessionId?: string | undefined;
  /** Its transport is closed. What the host can come back for is not, unless `session.isOver`. */
  readonly onClose: (session: HttpSession) => void;
  /** Name and version of the program, as it says itself. */
  readonly client: string;
}

/** One host of the 2025 revisions: its transport and its session. */
export class HttpSession implements ConnectedHost {
  readonly principal: string;
  readonly address: string;
  lastSeen = Date.now();
  used = false;
  readonly #transport: WebStandardStreamableHTTPServerTransport;
  readonly #mcp: McpServer;
  readonly #options: HttpSessionOptions;
  readonly #server: Server;
  readonly #calls: HttpCalls;
  readonly #inFlight = new TransientMap<string | number, true>();
  /** Answers that are read, or could be. */
  #streams = 0;
  /** Streams that took up one that broke off. */
  #resumed = 0;
  /** Streams on which the host only listens; as long as it is there, it usually has one. */
  #listening = 0;
  #leftAt: number | undefined;
  /** Its host ended it, or cannot come back for it. */
  isOver = false;

  static async open(sdk: Sdk, mcp: McpServer, options: HttpSessionOptions): Promise<HttpSession> {
    const transport = new sdk.WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => options.sessionId ?? randomUUID(),
      onsessioninitialized: options.onOpen,
      eventStore: options.events,
      retryInterval: retryMs,
    });
    const server = mcp.createServer(true);
    const session = new HttpSession(transport, { mcp, server }, options);
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the SDK has no events
    server.onclose = () => {
      options.events.close();
      session.#calls.close();
      mcp.connection.leave(server);
      options.onClose(session);
    };
    await server.connect(transport);
    return session;
  }

  private constructor(
    transport: WebStandardStreamableHTTPServerTransport,
    { mcp, server }: { readonly mcp: McpServer; readonly server: Server },
    options: HttpSessionOptions,
  ) {
    this.principal = options.principal;
    this.address = options.address;
    this.#options = options;
    this.#mcp = mcp;
    this.#transport = transport;
    this.#server = server;
    this.#calls = new HttpCalls(mcp.connection, server, {
      events: options.events,
      maxUnread: options.maxUnread ?? defaultMaxUnread,
      onAnswer: (id) => void this.#inFlight.delete(id),
      onLeave: (id, { isOpen, isResumed }) => this.#leave(isOpen ? [id] : [], isResumed),
    });
    const send = transport.send.bind(transport);
    transport.send = (message, options) => {
      if (!("method" in message) && message.id !== undefined) this.#inFlight.delete(message.id);
      // A question of a call that is answered past the transport goes out on the stream of that call.
      if (this.#calls.send(message as WireMessage, options?.relatedRequestId)) return Promise.resolve();
      return send(message, options);
    };
  }

  get client(): string {
    return this.#options.client;
  }

  get id(): string | undefined {
    return this.#transport.sessionId;
  }

  get mcp(): McpServer {
    return this.#mcp;
  }

  /** Since when a host that used to listen does not, and is silent otherwise. */
  get leftAt(): number | undefined {
    return this.busy || this.#leftAt === undefined ? undefined : Math.max(this.#leftAt, this.lastSeen);
  }

  /** Whether the host was greeted, so that it can come back. */
  get opened(): boolean {
    return this.#transport.sessionId !== undefined;
  }

  /** Whether a request runs or a stream is read. */
  get busy(): boolean {
    return this.#inFlight.size > 0 || this.#streams > 0;
  }

  /** Answer a request; `call` where it is a plain one. */
  handle(request: IncomingMessage, response: ServerResponse, body: HttpBody = {}): Promise<void> {
    const { parsed, call } = body;
    this.lastSeen = Date.now();
    if (!isGreeting(parsed)) this.used = true;
    if (request.method === "DELETE") this.isOver = true;
    const { accept = "", "last-event-id": lastEvent } = request.headers;
    const version = request.headers["mcp-protocol-version"] ?? "2025-03-26";
    const { sessionId } = this.#transport;
    // oxlint-disable-next-line typescript/no-deprecated -- set once the host has sent `initialize`
    const isReady = sessionId !== undefined && this.#server.getClientCapabilities() !== undefined;
    const isUsual = isReady && legacyVersions.has(version as string) && accept.includes("text/event-stream");
    if (
      isUsual &&
      call !== undefined &&
      accept.includes("application/json") &&
      !this.#inFlight.has(call.id)
    ) {
      this.#inFlight.set(call.id, true);
      this.#streams++;
      return this.#calls.answer(call, response, { sessionId, begins: version >= "2025-11-25" });
    }
    if (isUsual && request.method === "GET" && typeof lastEvent === "string") {
      if (this.#resume(lastEvent, response)) return Promise.resolve();
    }
    return this.#handleBySdk(request, response, parsed);
  }

  async #handleBySdk(request: IncomingMessage, response: ServerResponse, parsed: unknown): Promise<void> {
    await sendWebResponse(await this.#fetch(toWebRequest(request, response), parsed), request, response);
  }

  #resume(lastEvent: string, response: ServerResponse): boolean {
    const place = this.#options.events.placeOf(lastEvent);
    if (place === undefined || !this.#calls.resume(place.stream, response, lastEvent)) return false;
    this.#streams++;
    this.#resumed++;
    return true;
  }

  async #fetch(request: Request, parsedBody: unknown): Promise<Response> {
    const lastEvent = request.headers.get("last-event-id");
    if (
      request.method === "GET" &&
      lastEvent !== null &&
      this.#options.events.placeOf(lastEvent) === undefined
    )
      return refuse(400, -32000, `The event ${JSON.stringify(lastEvent.slice(0, 40))} is no longer stored.`);
    const taken = this.#take(parsedBody);
    if (taken !== undefined)
      return refuse(
        400,
        -32600,
        `The id ${JSON.stringify(taken)} belongs to a request that is still running.`,
        taken,
      );
    const response = await this.#transport.handleRequest(request, { parsedBody });
    // What the transport refused will never be answered.
    if (response.status >= 400) this.#release(parsedBody);
    else this.#cancel(parsedBody);
    if (response.status !== 200 || response.body === null) return response;
    this.#streams++;
    const resumes = request.method === "GET" && lastEvent !== null;
    if (resumes) this.#resumed++;
    const listens = request.method === "GET";
    if (listens) this.#listening++;
    this.#leftAt = listens ? undefined : this.#leftAt;
    const ids = listens ? [] : requestIds(listOf(parsedBody));
    return pacedBody(response, {
      maxBytes: this.#options.maxUnread,
      onEnd: () => {
        if (listens && --this.#listening === 0) this.#leftAt = Date.now();
        this.#leave(ids, resumes);
      },
    });
  }

  /** An answer is being read, or no longer. */
  #leave(ids: readonly (string | number)[], isResumed: boolean): void {
    this.#streams--;
    if (isResumed) this.#resumed--;
    this.lastSeen = Date.now();
    this.#watchCaller(ids);
  }

  /** An answer that nobody reads any more, and that nobody comes back for, leaves its requests without a caller. */
  #watchCaller(ids: readonly (string | number)[]): void {
    const check = (): void => {
      const open = ids.filter((id) => this.#inFlight.has(id));
      if (open.length === 0) return;
      if (this.#resumed > 0) return void setTimeout(check, lostAfterMs).unref();
      for (const id of open) this.#mcp.connection.lost(id);
    };
    // A timer would keep the whole session in memory, and most requests are answered by now.
    if (ids.some((id) => this.#inFlight.has(id))) setTimeout(check, lostAfterMs).unref();
  }

  /** Greet a host again that another server has greeted: it does not know that this is another one. */
  async restore(greeting: unknown): Promise<void> {
    for (const message of [greeting, { jsonrpc: "2.0", method: "notifications/initialized" }]) {
      const headers: Record<string, string> = {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        ...(this.id !== undefined && { "mcp-session-id": this.id }),
      };
      const request = new Request("http://localhost/mcp", { method: "POST", headers });
      const response = await this.#transport.handleRequest(request, { parsedBody: message });
      await response.text();
    }
    this.used = true;
  }

  close(): Promise<void> {
    return this.#transport.close();
  }

  end(isOver = false): void {
    this.isOver ||= isOver;
    this.close().catch((error: Error) => this.#mcp.connection.options.onError?.(error));
  }

  /** Note the ids of new requests; the first that is in use already is given back. */
  #take(body: unknown): string | number | undefined {
    const messages = listOf(body);
    for (const message of messages) {
      const { method, params } = Object(message) as { method?: unknown; params?: { requestId?: unknown } };
      if (method === "notifications/cancelled") this.#inFlight.delete(params?.requestId as string);
    }
    const ids = requestIds(messages);
    const used = ids.find((id, at) => this.#inFlight.has(id) || ids.indexOf(id) !== at);
    if (used !== undefined) return used;
    for (const id of ids) this.#inFlight.set(id, true);
    return undefined;
  }

  /** The SDK does not know the calls that are answered past it. */
  #cancel(body: unknown): void {
    for (const message of listOf(body)) {
      const { method, params } = Object(message) as { method?: unknown; params?: unknown };
      if (method === "notifications/cancelled") this.#calls.cancel(params);
    }
  }

  #release(body: unknown): void {
    for (const id of requestIds(listOf(body))) this.#inFlight.delete(id);
  }
}

/** The body of a request, as far as it is known. */
export interface HttpBody {
  readonly parsed?: unknown;
  readonly call?: PlainCall | undefined;
}

/** Revisions whose requests are all read in the same way. */
export const legacyVersions: ReadonlySet<string> = new Set(["2025-03-26", "2025-06-18", "2025-11-25"]);

/** A client that lost its connection has this long to come back. */
const lostAfterMs = 2500;

/** What every host says when it comes; one that says no more has not used its session. */
function isGreeting(body: unknown): boolean {
  const { method } = Object(body) as { method?: unknown };
  return method === "initialize" || method === "notifications/initialized";
}
