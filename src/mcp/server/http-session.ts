import { randomUUID } from "node:crypto";
import type { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server";
import { idOf } from "../../wire/json-rpc.js";
import type { McpServer, Sdk } from "./create-mcp-server.js";
import type { ConnectedHost } from "./connected-hosts.js";
import { refuse } from "./http-answers.js";
import { pacedBody } from "./paced-body.js";
import type { SessionEvents } from "./resumable-events.js";

export interface HttpSessionOptions {
  readonly principal: string;
  readonly address: string;
  /** What was sent on its streams lately. */
  readonly events: SessionEvents;
  readonly maxUnread?: number | undefined;
  readonly onOpen: (sessionId: string) => void;
  readonly onClose: (sessionId: string) => void;
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
  readonly #inFlight = new Set<string | number>();
  /** Answers that somebody reads, or could. */
  #streams = 0;
  /** Streams that took up one that broke off. */
  #resumed = 0;

  static async open(sdk: Sdk, mcp: McpServer, options: HttpSessionOptions): Promise<HttpSession> {
    const transport = new sdk.WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: options.onOpen,
      eventStore: options.events,
      retryInterval: 1000,
    });
    const session = new HttpSession(transport, mcp, options);
    const server = mcp.createServer(true);
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the SDK has no events
    server.onclose = () => {
      if (transport.sessionId !== undefined) options.onClose(transport.sessionId);
      options.events.close();
      mcp.close().catch((error: Error) => mcp.connection.options.onError?.(error));
    };
    await server.connect(transport);
    return session;
  }

  private constructor(
    transport: WebStandardStreamableHTTPServerTransport,
    mcp: McpServer,
    options: HttpSessionOptions,
  ) {
    this.principal = options.principal;
    this.address = options.address;
    this.#options = options;
    this.#mcp = mcp;
    this.#transport = transport;
    const send = transport.send.bind(transport);
    transport.send = (message, options) => {
      if (!("method" in message) && message.id !== undefined) this.#inFlight.delete(message.id);
      return send(message, options);
    };
  }

  /** Whether the host was greeted, so that it can come back. */
  get opened(): boolean {
    return this.#transport.sessionId !== undefined;
  }

  /** Something runs or somebody listens. */
  get busy(): boolean {
    return this.#inFlight.size > 0 || this.#streams > 0;
  }

  async fetch(request: Request, parsedBody: unknown): Promise<Response> {
    this.lastSeen = Date.now();
    if (!isGreeting(parsedBody)) this.used = true;
    const lastEvent = request.headers.get("last-event-id");
    if (request.method === "GET" && lastEvent !== null && !this.#options.events.knows(lastEvent))
      return refuse(400, -32000, `The event ${JSON.stringify(lastEvent.slice(0, 40))} is not kept any more.`);
    const taken = this.#take(parsedBody);
    if (taken !== undefined)
      return refuse(
        400,
        -32600,
        `The id ${JSON.stringify(taken)} belongs to a request that still runs.`,
        taken,
      );
    const response = await this.#transport.handleRequest(request, { parsedBody });
    // What the transport refused will never be answered.
    if (response.status >= 400) this.#release(parsedBody);
    if (response.status !== 200 || response.body === null) return response;
    this.#streams++;
    const resumes = request.method === "GET" && lastEvent !== null;
    if (resumes) this.#resumed++;
    const ids = request.method === "GET" ? [] : requestIds(listOf(parsedBody));
    const onEnd = (): void => {
      this.#streams--;
      if (resumes) this.#resumed--;
      this.lastSeen = Date.now();
      this.#watchCaller(ids);
    };
    return pacedBody(response, { maxBytes: this.#options.maxUnread, onEnd });
  }

  /** An answer that nobody reads any more, and that nobody comes back for, leaves its requests without a caller. */
  #watchCaller(ids: readonly (string | number)[]): void {
    if (ids.length === 0) return;
    const check = (): void => {
      const open = ids.filter((id) => this.#inFlight.has(id));
      if (open.length === 0) return;
      if (this.#resumed > 0) return void setTimeout(check, lostAfterMs).unref();
      for (const id of open) this.#mcp.connection.lost(id);
    };
    setTimeout(check, lostAfterMs).unref();
  }

  close(): Promise<void> {
    return this.#transport.close();
  }

  end(): void {
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
    for (const id of ids) this.#inFlight.add(id);
    return undefined;
  }

  #release(body: unknown): void {
    for (const id of requestIds(listOf(body))) this.#inFlight.delete(id);
  }
}

/** A client that lost its connection has this long to come back. */
const lostAfterMs = 2500;

/** What every host says when it comes; one that says no more has not used its session. */
function isGreeting(body: unknown): boolean {
  const { method } = Object(body) as { method?: unknown };
  return method === "initialize" || method === "notifications/initialized";
}

const mostInBatch = 1000;

function listOf(body: unknown): readonly unknown[] {
  if (!Array.isArray(body)) return body === undefined ? [] : [body];
  return body.length > mostInBatch ? [] : body; // the transport refuses it
}

function requestIds(messages: readonly unknown[]): readonly (string | number)[] {
  return messages.flatMap((message) => {
    const id = idOf(message);
    return id === undefined || (Object(message) as { method?: unknown }).method === undefined ? [] : [id];
  });
}
