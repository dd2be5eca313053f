import type { Server } from "@modelcontextprotocol/server";
import { ToolCancelledError } from "../../contract/errors.js";
import type { WireMessage } from "../../wire/json-rpc.js";
import { runTool } from "./call-tool.js";
import type { Connection } from "./connection.js";
import { anyResult, maxAskMs, supportedRequests, type Exchange } from "./exchange.js";
import { answerModernCall, readPlainCall, toRpcError, type PlainCall } from "./plain-call.js";
import type { StdioTransport } from "./stdio-transport.js";

/**
 * Answers plain `tools/call` requests on stdio without the SDK, whose validation of every message costs more than
 * the call itself. Anything that is not plain is left to the SDK.
 */
export class DirectCalls {
  readonly #connection: Connection;
  readonly #transport: StdioTransport;
  readonly #running = new Map<string | number, AbortController>();
  #exchange: Exchange | undefined;
  #server: Server | undefined;
  /** The host speaks 2026-07-28. */
  #modern = false;

  constructor(connection: Connection, transport: StdioTransport) {
    this.#connection = connection;
    this.#transport = transport;
    void transport.closed.then(() => this.#stopAll());
  }

  /** From now on the host speaks 2026-07-28, where nothing but its requests is needed. */
  attachModern(): void {
    this.#modern = true;
  }

  /** The SDK's server that handles `initialize`: requests to the host go through it. */
  attach(server: Server): void {
    const transport = this.#transport;
    this.#modern = false;
    this.#exchange = {
      get supports() {
        // oxlint-disable-next-line typescript/no-deprecated -- the 2025 revisions declare it once
        return supportedRequests(server.getClientCapabilities());
      },
      get capabilities() {
        // oxlint-disable-next-line typescript/no-deprecated -- the 2025 revisions declare it once
        return Object(server.getClientCapabilities()) as Record<string, unknown>;
      },
      async ask(method, params, signal) {
        const request = { method: method as "elicitation/create", params };
        return server.request(request, anyResult, { signal, timeout: maxAskMs });
      },
      notify: (method, params) =>
        void transport.send({ jsonrpc: "2.0", method, params }).catch(() => undefined),
    };
    this.#connection.keepExchange(this.#exchange);
    // oxlint-disable-next-line typescript/no-deprecated -- the 2025 revisions say it once
    this.#connection.describeClientBy(() => server.getClientVersion());
    this.#server = server;
  }

  /** Handle a call or its cancellation; `false` leaves the message to the SDK. */
  handle(message: WireMessage): boolean {
    if (message.method === "notifications/cancelled") return this.#cancel(message.params);
    const call = readPlainCall(message);
    if (call === undefined || call.modern !== this.#modern) return false;
    // oxlint-disable-next-line typescript/no-deprecated -- set once the host has sent `initialize`
    if (!this.#modern && this.#server?.getClientCapabilities() === undefined) return false;
    void this.#run(call);
    return true;
  }

  async #run(call: PlainCall): Promise<void> {
    const controller = new AbortController();
    this.#running.set(call.id, controller);
    const answer = await (call.modern
      ? answerModernCall(this.#connection, call, {
          signal: controller.signal,
          notify: (notification) => this.#transport.send({ jsonrpc: "2.0", ...notification }),
        })
      : this.#answer(call, controller.signal));
    if (this.#running.get(call.id) === controller) this.#running.delete(call.id);
    if (controller.signal.aborted) return; // a cancelled request gets no answer
    await this.#transport.send(answer).catch(() => undefined); // the host is gone
  }

  async #answer({ id, call }: PlainCall, signal: AbortSignal): Promise<WireMessage> {
    try {
      if (this.#exchange === undefined) throw new Error("The host has not sent initialize.");
      const result = await runTool(this.#connection, this.#exchange, { ...call, signal });
      return { jsonrpc: "2.0", id, result };
    } catch (error) {
      return { jsonrpc: "2.0", id, error: toRpcError(error) };
    }
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
