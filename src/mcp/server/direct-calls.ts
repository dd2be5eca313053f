import { isRecord } from "../../contract/is-record.js";
import type { Server } from "@modelcontextprotocol/server";
import { ToolCancelledError } from "../../contract/errors.js";
import { messageOf } from "../../contract/message-of.js";
import { hasProtocolMeta, metaOf, rpcError, rpcErrors, type WireMessage } from "../../wire/json-rpc.js";
import { keyOf, runTool, type WireCall } from "./call-tool.js";
import type { Connection } from "./connection.js";
import { maxAskMs, supportedRequests, type Exchange } from "./exchange.js";
import type { StdioTransport } from "./stdio-transport.js";

/**
 * Answers plain `tools/call` requests of the 2025 revisions on stdio without the SDK, whose validation of every
 * message costs more than the call itself. Anything that is not plain is left to the SDK.
 */
export class DirectCalls {
  readonly #connection: Connection;
  readonly #transport: StdioTransport;
  readonly #running = new Map<string | number, AbortController>();
  #exchange: Exchange | undefined;
  #server: Server | undefined;

  constructor(connection: Connection, transport: StdioTransport) {
    this.#connection = connection;
    this.#transport = transport;
    void transport.closed.then(() => this.#stopAll());
  }

  /** The SDK's server that handles `initialize`: requests to the host go through it. */
  attach(server: Server): void {
    const transport = this.#transport;
    this.#exchange = {
      get supports() {
        // oxlint-disable-next-line typescript/no-deprecated -- the 2025 revisions declare it once
        return supportedRequests(server.getClientCapabilities());
      },
      async ask(method, params, signal) {
        const request = { method: method as "elicitation/create", params };
        return server.request(request as never, { signal, timeout: maxAskMs });
      },
      notify: (method, params) =>
        void transport.send({ jsonrpc: "2.0", method, params }).catch(() => undefined),
      log: (level, data, logger) =>
        // oxlint-disable-next-line typescript/no-deprecated -- still part of the 2025 revisions
        void server.sendLoggingMessage({ level: level as "info", data, logger }).catch(() => undefined),
    };
    this.#connection.keepExchange(this.#exchange);
    // oxlint-disable-next-line typescript/no-deprecated -- the 2025 revisions say it once
    this.#connection.describeClientBy(() => server.getClientVersion());
    this.#server = server;
  }

  /** Handle a call or its cancellation; `false` leaves the message to the SDK. */
  handle(message: WireMessage): boolean {
    const { id, method, params } = message;
    if (method === "notifications/cancelled") return this.#cancel(params);
    if (method !== "tools/call" || id === undefined || id === null || this.#exchange === undefined)
      return false;
    // oxlint-disable-next-line typescript/no-deprecated -- set once the host has sent `initialize`
    if (this.#server?.getClientCapabilities() === undefined) return false;
    const meta = metaOf(message);
    if (meta === undefined || hasProtocolMeta(meta)) return false;
    const { name, arguments: args, _meta, ...others } = Object(params) as Record<string, unknown>;
    if (typeof name !== "string" || Object.keys(others).length > 0) return false;
    if (args !== undefined && !isRecord(args)) return false;
    const progressToken = meta["progressToken"] as string | number | undefined;
    const idempotencyKey = keyOf(meta);
    void this.#run(id, this.#exchange, { name, arguments: args, progressToken, idempotencyKey });
    return true;
  }

  async #run(id: string | number, exchange: Exchange, call: Omit<WireCall, "signal">): Promise<void> {
    const controller = new AbortController();
    this.#running.set(id, controller);
    let answer: WireMessage;
    try {
      const result = await runTool(this.#connection, exchange, { ...call, signal: controller.signal });
      answer = { jsonrpc: "2.0", id, result };
    } catch (error) {
      answer = rpcError(id, rpcErrors.internal, messageOf(error));
    }
    if (this.#running.get(id) === controller) this.#running.delete(id);
    if (controller.signal.aborted) return; // a cancelled request gets no answer
    await this.#transport.send(answer).catch(() => undefined); // the host is gone
  }

  #cancel(params: unknown): boolean {
    const { requestId, reason } = Object(params) as { requestId?: string | number; reason?: unknown };
    const controller = requestId === undefined ? undefined : this.#running.get(requestId);
    if (controller === undefined) return false;
    const why = typeof reason === "string" ? `: ${reason.slice(0, 200)}` : "";
    controller.abort(new ToolCancelledError(`The host cancelled the call${why}.`));
    return true;
  }

  #stopAll(): void {
    for (const controller of this.#running.values()) {
      controller.abort(new ToolCancelledError("The host is gone."));
    }
    this.#running.clear();
  }
}
