import type { ServerResponse } from "node:http";
import type { Server } from "@modelcontextprotocol/server";
import type { ClientConnection } from "../../contract/ports/client.js";
import { TransientMap } from "../../contract/transient-map.js";
import type { WireMessage } from "../../wire/json-rpc.js";
import { CallStream, type CallStreamOptions } from "./call-stream.js";
import { withStop } from "./call-tool.js";
import type { Connection } from "./connection.js";
import { anyResult, maxAskMs, supportedRequests, type Exchange } from "./exchange.js";
import { answerLegacyCall, type PlainCall } from "./plain-call.js";
import { RunningCall } from "./running-calls.js";

export interface HttpCallsOptions extends Pick<CallStreamOptions, "events" | "maxUnread"> {
  /** A response of a call is closed; `isOpen` where the call still runs. */
  readonly onLeave: (
    id: string | number,
    state: { readonly isOpen: boolean; readonly isResumed: boolean },
  ) => void;
  readonly onAnswer: (id: string | number) => void;
}

/** A call that runs, and the stream that its answer goes to; emptied when it ends, see `RunningCalls`. */
interface OpenCall {
  running: RunningCall | undefined;
  stream: CallStream | undefined;
}

/**
 * Answers plain `tools/call` requests of one session of the 2025 revisions without the SDK's transport, whose streams
 * and validation cost several times the call itself.
 */
export class HttpCalls {
  readonly #connection: Connection;
  readonly #server: Server;
  readonly #options: HttpCallsOptions;
  /** By the ids of their requests. */
  readonly #calls = new TransientMap<string | number, OpenCall>();
  /** Streams that may be taken up again, by their numbers: those of cancelled calls too. */
  readonly #open = new Map<number, CallStream>();

  constructor(connection: Connection, server: Server, options: HttpCallsOptions) {
    this.#connection = connection;
    this.#server = server;
    this.#options = options;
    // oxlint-disable-next-line typescript/no-deprecated -- the 2025 revisions say it once
    connection.describeClientBy(() => server.getClientVersion());
  }

  /** Make a call and answer it on the response. */
  async answer(
    { id, call }: PlainCall,
    response: ServerResponse,
    { sessionId, begins }: Pick<CallStreamOptions, "sessionId" | "begins">,
  ): Promise<void> {
    const connection = this.#connection;
    const running = new RunningCall();
    const stream = this.#openStream(id, response, { sessionId, begins });
    const open: OpenCall = { running, stream };
    this.#calls.set(id, open);
    const exchange = new StreamExchange(this.#server, id, stream);
    const entered = connection.enter(exchange);
    const answer = await answerLegacyCall(connection, exchange, { id, call: withStop(call, id, running) });
    connection.exit(entered);
    open.running = open.stream = undefined;
    if (this.#calls.get(id) === open) this.#calls.delete(id);
    // A cancelled request gets no answer; its stream ends with the connection.
    if (running.aborted && stream.isRead) return;
    this.#open.delete(stream.number);
    if (running.aborted) return;
    this.#options.onAnswer(id);
    stream.finish(answer);
  }

  /** Go on with the stream of a call that runs; `false` where there is none of that number. */
  resume(number: number, response: ServerResponse, lastEventId: string): boolean {
    const stream = this.#open.get(number);
    stream?.resume(response, lastEventId);
    return stream !== undefined;
  }

  /** Take a `notifications/cancelled`. */
  cancel(params: unknown): void {
    const { requestId, reason } = Object(params) as { requestId?: string | number; reason?: unknown };
    const open = requestId === undefined ? undefined : this.#calls.get(requestId);
    open?.running?.cancel(reason);
  }

  /** Send a message that belongs to one of these calls; `false` where it belongs to another request. */
  send(message: WireMessage, requestId: string | number | undefined): boolean {
    const stream = requestId === undefined ? undefined : this.#calls.get(requestId)?.stream;
    stream?.send(message);
    return stream !== undefined;
  }

  close(): void {
    for (const { running, stream } of this.#calls.values()) {
      running?.abort("The host has disconnected.");
      stream?.close();
    }
    for (const stream of this.#open.values()) stream.close();
    this.#open.clear();
    this.#calls.clear();
  }

  #openStream(
    id: string | number,
    response: ServerResponse,
    { sessionId, begins }: Pick<CallStreamOptions, "sessionId" | "begins">,
  ): CallStream {
    const { events, maxUnread } = this.#options;
    return new CallStream(id, response, {
      sessionId,
      begins,
      events,
      maxUnread,
      onOpen: this.#onOpen,
      onLeave: this.#onLeave,
    });
  }

  readonly #onOpen = (stream: CallStream): void => void this.#open.set(stream.number, stream);

  readonly #onLeave = (stream: CallStream, isResumed: boolean): void => {
    const isOpen = this.#calls.get(stream.id)?.stream === stream;
    if (!isOpen) this.#open.delete(stream.number);
    this.#options.onLeave(stream.id, { isOpen, isResumed });
  };
}

/** How to reach the host while one of these calls runs. */
class StreamExchange implements Exchange {
  readonly #server: Server;
  readonly #id: string | number;
  readonly #stream: CallStream;

  constructor(server: Server, id: string | number, stream: CallStream) {
    this.#server = server;
    this.#id = id;
    this.#stream = stream;
  }

  get supports(): ClientConnection["supports"] {
    return supportedRequests(this.capabilities);
  }

  get capabilities(): Readonly<Record<string, unknown>> {
    // oxlint-disable-next-line typescript/no-deprecated -- the 2025 revisions declare it once
    return Object(this.#server.getClientCapabilities()) as Record<string, unknown>;
  }

  async ask(
    method: string,
    params: Readonly<Record<string, unknown>> | undefined,
    signal: AbortSignal,
  ): Promise<Readonly<Record<string, unknown>>> {
    const request = { method: method as "elicitation/create", params };
    const options = { signal, timeout: maxAskMs, relatedRequestId: this.#id };
    return this.#server.request(request, anyResult, options);
  }

  notify(method: string, params: Readonly<Record<string, unknown>>): void {
    this.#stream.send({ jsonrpc: "2.0", method, params });
  }
}
