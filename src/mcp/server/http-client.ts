import { answerText } from "./answer-text.js";
import type { ServerResponse } from "node:http";
import type { McpHttpHandler } from "@modelcontextprotocol/server";
import { ToolCancelledError } from "../../contract/errors.js";
import type { WireMessage } from "../../wire/json-rpc.js";
import type { ConnectedHost } from "./connected-hosts.js";
import { toServerEvent } from "./change-notice.js";
import type { McpServer, Sdk } from "./create-mcp-server.js";
import { EventStream, eventOf } from "./event-stream.js";
import { isListen } from "./http-requests.js";
import { answerModernCall, type PlainCall } from "./plain-call.js";

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
  readonly #running = new Set<AbortController>();
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

  /** A request came; the result says that it is over. @param message Of the SDK, which may be a subscription. */
  begin(message?: unknown): () => void {
    this.#requests++;
    const listening = isListen(message) ? 1 : 0;
    this.subscriptions += listening;
    const unfollow = message === undefined ? undefined : this.mcp.connection.follow(message);
    return () => {
      this.#requests--;
      this.subscriptions -= listening;
      unfollow?.();
      this.lastSeen = Date.now();
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

  /**
   * Make a plain call without the SDK's transport, which makes a protocol server for each request. The answer is one
   * JSON text, or a stream of events where the call has something to say before it is done.
   */
  async answer(call: PlainCall, response: ServerResponse): Promise<void> {
    const done = this.begin();
    const controller = new AbortController();
    this.#running.add(controller);
    const stream = new EventStream(response, {
      maxBytes: this.#options.maxUnread,
      onClose: () => {
        done();
        if (this.#running.delete(controller)) controller.abort(new ToolCancelledError("The host is gone."));
      },
    });
    let isStream = false;
    const notify = async (notification: object): Promise<void> => {
      if (!isStream) stream.open();
      isStream = true;
      stream.write(eventOf(JSON.stringify({ jsonrpc: "2.0", ...notification })), false);
    };
    const { connection } = this.mcp;
    const answer = await answerModernCall(connection, call, { signal: controller.signal, notify });
    if (!this.#running.delete(controller)) return; // nobody is there to read it
    const text = answerText(answer);
    if (isStream) stream.end(eventOf(text));
    else stream.answer(statusOf(answer), text);
  }

  /** End its session; what runs for it is cancelled. */
  async close(reason?: string): Promise<void> {
    this.#options.onEnd();
    for (const controller of this.#running)
      controller.abort(new ToolCancelledError("The server is closing."));
    await this.#handler?.close();
    await this.mcp.close(reason);
  }

  end(): void {
    this.close("its host is gone").catch((error: Error) => this.mcp.connection.options.onError?.(error));
  }
}

/** A host that cannot do what a call needs is told by the status too. */
const lacksCapability = -32021;

function statusOf({ error }: WireMessage): number {
  return (Object(error) as { code?: unknown }).code === lacksCapability ? 400 : 200;
}
