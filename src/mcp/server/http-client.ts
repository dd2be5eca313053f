import type { ServerResponse } from "node:http";
import type { McpHttpHandler } from "@modelcontextprotocol/server";
import { LinkedList } from "../../contract/linked-list.js";
import type { ConnectedHost } from "./connected-hosts.js";
import { toServerEvent } from "./change-notice.js";
import { ClientCall, type ClientCallOptions } from "./client-call.js";
import type { McpServer, Sdk } from "./create-mcp-server.js";
import { isListen } from "./http-requests.js";
import { answerModernCall, type PlainCall } from "./plain-call.js";
import type { RunningCall } from "./running-calls.js";

export interface HttpClientOptions {
  readonly principal: string;
  readonly address: string;
  readonly maxUnread: number;
  readonly maxBodyBytes: number;
  readonly onEnd: () => void;
}

/** A client of 2026-07-28, which has no sessions: all that comes with one token and one name. */
export class HttpClient implements ConnectedHost {
  readonly used = true;
  lastSeen = Date.now();
  readonly mcp: McpServer;
  readonly #options: HttpClientOptions;
  readonly #running = new LinkedList<RunningCall>();
  readonly #callOptions: ClientCallOptions;
  /** Streams of changes that it has open. */
  subscriptions = 0;
  readonly #sdk: Sdk;
  /** Made for the first request that is not a plain call. */
  #handler: McpHttpHandler | undefined;
  #requests = 0;

  constructor(sdk: Sdk, mcp: McpServer, options: HttpClientOptions) {
    this.#sdk = sdk;
    this.mcp = mcp;
    this.#options = options;
    this.#callOptions = { maxUnread: options.maxUnread, onClose: () => this.#ended() };
  }

  get principal(): string {
    return this.#options.principal;
  }

  get address(): string {
    return this.#options.address;
  }

  get busy(): boolean {
    return this.#requests > 0;
  }

  /** A request for the SDK came, which may be a subscription; the result says that it is over. */
  begin(message: unknown): () => void {
    this.#requests++;
    const listening = isListen(message) ? 1 : 0;
    this.subscriptions += listening;
    const unfollow = this.mcp.connection.follow(message);
    return () => {
      this.subscriptions -= listening;
      unfollow();
      this.#ended();
    };
  }

  /** Answer a request by the SDK. */
  fetch(request: Request, parsedBody: unknown): Promise<Response> {
    this.#handler ??= this.#createHandler();
    return this.#handler.fetch(request, { parsedBody });
  }

  /** One for each client: what a server tells one of them is not for the others. */
  #createHandler(): McpHttpHandler {
    const { connection } = this.mcp;
    const { onError } = connection.options;
    const handler = this.#sdk.createMcpHandler(() => this.mcp.createServer(false), {
      legacy: "reject",
      maxRequestBodySize: this.#options.maxBodyBytes,
      ...(onError && { onerror: onError }),
    });
    connection.publish = (notice) => handler.bus.publish(toServerEvent(notice));
    return handler;
  }

  /** Make a plain call without the SDK's transport, which makes a protocol server for each request. */
  async answer(call: PlainCall, response: ServerResponse): Promise<void> {
    this.#requests++;
    const asked = new ClientCall(response, this.#callOptions);
    const place = this.#running.add(asked.running);
    const answer = await answerModernCall(this.mcp.connection, call, asked);
    this.#running.remove(place);
    asked.finish(answer);
  }

  #ended(): void {
    this.#requests--;
    this.lastSeen = Date.now();
  }

  /** End its session; what runs for it is cancelled. */
  async close(reason?: string): Promise<void> {
    this.#options.onEnd();
    for (const running of this.#running) running.abort("The server is closing.");
    await this.#handler?.close();
    await this.mcp.close(reason);
  }

  end(): void {
    this.close("its host is gone").catch((error: Error) => this.mcp.connection.options.onError?.(error));
  }
}
