import type { ServerResponse } from "node:http";
import type { Server } from "@modelcontextprotocol/server";
import type { WireMessage } from "../../wire/json-rpc.js";
import { CallStream, type CallStreamOptions } from "./call-stream.js";
import type { Connection } from "./connection.js";
import { createPushExchange } from "./exchange.js";
import { answerLegacyCall, type PlainCall } from "./plain-call.js";
import { RunningCalls } from "./running-calls.js";

export interface HttpCallsOptions extends Pick<CallStreamOptions, "events" | "maxUnread"> {
  /** A response of a call is closed; `isOpen` where the call still runs. */
  readonly onLeave: (
    id: string | number,
    state: { readonly isOpen: boolean; readonly isResumed: boolean },
  ) => void;
  readonly onAnswer: (id: string | number) => void;
}

/**
 * Answers plain `tools/call` requests of one session of the 2025 revisions without the SDK's transport, whose streams
 * and validation cost several times the call itself.
 */
export class HttpCalls {
  readonly #connection: Connection;
  readonly #server: Server;
  readonly #options: HttpCallsOptions;
  readonly #running = new RunningCalls();
  /** Streams of calls that run, by the ids of their requests. */
  readonly #byId = new Map<string | number, CallStream>();
  /** Streams that may be read: those of cancelled calls too. */
  readonly #open = new Set<CallStream>();
  #lastStream = 0;

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
    options: Pick<CallStreamOptions, "sessionId" | "begins">,
  ): Promise<void> {
    const connection = this.#connection;
    const stream = this.#openStream(id, response, options);
    const running = this.#running.start(id);
    const exchange = this.#exchangeOf(id, stream);
    const wireCall = { ...call, requestId: id, signal: running };
    const answer = await connection.within(exchange, () =>
      answerLegacyCall(connection, exchange, { id, call: wireCall }),
    );
    this.#running.end(id, running);
    if (this.#byId.get(id) === stream) this.#byId.delete(id);
    // A cancelled request gets no answer; its stream ends with the connection.
    if (running.aborted && stream.isRead) return;
    this.#open.delete(stream);
    if (running.aborted) return;
    this.#options.onAnswer(id);
    stream.finish(answer);
  }

  /** Go on with the stream of a call that runs; `false` where there is none of that name. */
  resume(name: string, response: ServerResponse, lastEventId: string): boolean {
    const stream = [...this.#open].find((one) => one.name === name);
    stream?.resume(response, lastEventId);
    return stream !== undefined;
  }

  cancel(params: unknown): void {
    this.#running.cancel(params);
  }

  /** Send a message that belongs to one of these calls; `false` where it belongs to another request. */
  send(message: WireMessage, requestId: string | number | undefined): boolean {
    const stream = requestId === undefined ? undefined : this.#byId.get(requestId);
    stream?.send(message);
    return stream !== undefined;
  }

  close(): void {
    this.#running.stopAll();
    for (const stream of this.#open) stream.close();
    this.#open.clear();
    this.#byId.clear();
  }

  #openStream(
    id: string | number,
    response: ServerResponse,
    options: Pick<CallStreamOptions, "sessionId" | "begins">,
  ): CallStream {
    const { events, maxUnread, onLeave } = this.#options;
    const stream: CallStream = new CallStream(response, {
      ...options,
      events,
      maxUnread,
      name: `call-${++this.#lastStream}`,
      onLeave: (isResumed) => {
        const isOpen = this.#byId.get(id) === stream;
        if (!isOpen) this.#open.delete(stream);
        onLeave(id, { isOpen, isResumed });
      },
    });
    this.#byId.set(id, stream);
    this.#open.add(stream);
    return stream;
  }

  #exchangeOf(id: string | number, stream: CallStream): ReturnType<typeof createPushExchange> {
    const server = this.#server;
    // oxlint-disable-next-line typescript/no-deprecated -- the 2025 revisions declare it once
    const capabilities = server.getClientCapabilities();
    const mcpReq = {
      send: (request: never, schema: never, options: object) =>
        server.request(request, schema, { ...options, relatedRequestId: id }),
      notify: async (notification: object) => stream.send({ jsonrpc: "2.0", ...notification }),
    };
    return createPushExchange({ mcpReq: mcpReq as never }, capabilities);
  }
}
