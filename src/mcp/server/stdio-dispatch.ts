import { randomUUID } from "node:crypto";
import { once } from "../../contract/once.js";
import { rpcError, rpcErrors, type WireMessage } from "../../wire/json-rpc.js";
import type { StdioTransport } from "./stdio-transport.js";

/** Answers a message, or returns `false` to pass it on. */
export type MessageHandler = (message: WireMessage) => boolean;

/** Handlers besides the SDK: the ready answers while Tenon is loading, and plain tool calls afterwards. */
export type HandlerName = "ready" | "calls";

/**
 * Where each message on stdio goes: to the handler named here, while there is one and it accepts the message, else to
 * the SDK. A method that is not listed always goes to the SDK.
 */
const routes: ReadonlyMap<string, HandlerName> = new Map([
  ["initialize", "ready"],
  ["notifications/initialized", "ready"],
  ["server/discover", "ready"],
  ["tools/list", "ready"],
  ["ping", "ready"],
  ["tools/call", "calls"],
  ["notifications/cancelled", "calls"],
  ["subscriptions/listen", "calls"],
]);

/** Routes every message of a stdio connection. To the SDK it is the transport. */
export class StdioDispatch {
  /** Set by the SDK. */
  onmessage: ((message: never) => void) | undefined;
  onclose: (() => void) | undefined;
  onerror: ((error: Error) => void) | undefined;
  /** Called for each message that has to wait for the SDK. */
  onWaiting: (() => void) | undefined;
  readonly handlers: Partial<Record<HandlerName, MessageHandler>> = {};
  readonly transport: StdioTransport;
  /** Whether the SDK accepts a request; it drops anything else without an answer. */
  accepts: ((request: WireMessage) => boolean) | undefined;
  /** Called with each request that the SDK is about to get. */
  onRequest: ((request: WireMessage) => void) | undefined;
  readonly #waiting: { readonly message: WireMessage; readonly answered: boolean }[] = [];
  /** The id of requests that were answered before the SDK was loaded; no host can guess it. Made after that: randomness loads `node:crypto`. */
  readonly #answeredId = once(() => `tenon:${randomUUID()}`);
  #started = false;

  constructor(transport: StdioTransport) {
    this.transport = transport;
    transport.onMessage = (message) => this.dispatch(message);
    transport.onError = (error) => this.onerror?.(error);
    void transport.closed.then(() => {
      this.#waiting.length = 0;
      this.onclose?.();
    });
  }

  dispatch(message: WireMessage): void {
    const name = routes.get(message.method ?? "");
    if (name !== undefined && this.handlers[name]?.(message) === true) return;
    this.#toSdk(message);
    if (!this.#started) this.onWaiting?.();
  }

  /** Pass a message that was answered already to the SDK, so that it knows of it; its answer is not sent. */
  replay(message: WireMessage): void {
    this.#toSdk(message, true);
  }

  async start(): Promise<void> {
    this.transport.open();
    this.#started = true;
    for (const { message, answered } of this.#waiting.splice(0)) this.#toSdk(message, answered);
  }

  send(message: unknown): Promise<void> {
    const outgoing = message as WireMessage;
    if (outgoing.method === undefined && outgoing.id === this.#answeredId()) return Promise.resolve();
    return this.transport.send(outgoing);
  }

  async close(): Promise<void> {
    this.transport.close();
  }

  #toSdk(received: WireMessage, answered = false): void {
    if (!this.#started) return void this.#waiting.push({ message: received, answered });
    const message =
      answered && received.id !== undefined ? { ...received, id: this.#answeredId() } : received;
    const id = message.method === undefined ? undefined : (message.id ?? undefined);
    if (id !== undefined && this.accepts?.(message) === false) {
      void this.send(rpcError(id, rpcErrors.invalidRequest, "The message is not a valid MCP request."));
      return;
    }
    if (id !== undefined) this.onRequest?.(message);
    try {
      this.onmessage?.(message as never);
    } catch (error) {
      this.onerror?.(error instanceof Error ? error : new Error(String(error)));
      if (id !== undefined)
        void this.send(rpcError(id, rpcErrors.internal, "The message could not be handled."));
    }
  }
}
