import { answerText } from "./answer-text.js";
import type { ServerResponse } from "node:http";
import type { McpHttpHandler } from "@modelcontextprotocol/server";
import { LinkedList } from "../../contract/linked-list.js";
import type { WireMessage } from "../../wire/json-rpc.js";
import type { ConnectedHost } from "./connected-hosts.js";
import { toServerEvent } from "./change-notice.js";
import type { McpServer, Sdk } from "./create-mcp-server.js";
import { EventStream, eventOf } from "./event-stream.js";
import { isListen } from "./http-requests.js";
import { sendWhole } from "./paced-response.js";
import { answerModernCall, type PlainCall } from "./plain-call.js";
import { RunningCall } from "./running-calls.js";

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
    const running = new RunningCall();
    const place = this.#running.add(running);
    let isOver = false;
    let isRead = true;
    const onClose = (): void => {
      done();
      isRead = false;
      if (!isOver) running.abort("The host is gone.");
    };
    if (response.closed || response.destroyed) queueMicrotask(onClose);
    else response.once("close", onClose);
    const { maxUnread } = this.#options;
    let stream: EventStream | undefined;
    const notify = async (notification: object): Promise<void> => {
      if (isOver) return;
      if (stream === undefined) (stream = new EventStream(response, maxUnread)).open();
      stream.write(eventOf(JSON.stringify({ jsonrpc: "2.0", ...notification })), false);
    };
    const answer = await answerModernCall(this.mcp.connection, call, { signal: running, notify });
    isOver = true;
    this.#running.remove(place);
    if (!isRead) return;
    const text = answerText(answer);
    if (stream !== undefined) stream.end(eventOf(text));
    else sendWhole(response, { status: statusOf(answer), headers: jsonHeaders, text, maxBytes: maxUnread });
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

const jsonHeaders: readonly string[] = ["content-type", "application/json"];

/** A host that cannot do what a call needs is told by the status too. */
const lacksCapability = -32021;

function statusOf({ error }: WireMessage): number {
  return (Object(error) as { code?: unknown }).code === lacksCapability ? 400 : 200;
}
