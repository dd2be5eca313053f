import type { Server } from "@modelcontextprotocol/server";
import type { WireMessage } from "../../wire/json-rpc.js";
import { answerPieces } from "./answer-text.js";
import { withStop } from "./call-tool.js";
import type { Connection } from "./connection.js";
import { anyResult, maxAskMs, supportedRequests, type Exchange } from "./exchange.js";
import { answerLegacyCall, answerModernCall, readPlainCall, type PlainCall } from "./plain-call.js";
import { RunningCalls, type RunningCall } from "./running-calls.js";
import type { StdioTransport } from "./stdio-transport.js";

/**
 * Answers plain `tools/call` requests on stdio without the SDK, whose validation of every message costs more than
 * the call itself. Anything that is not plain is left to the SDK.
 */
export class DirectCalls {
  readonly #connection: Connection;
  readonly #transport: StdioTransport;
  readonly #running = new RunningCalls();
  #exchange: Exchange | undefined;
  #server: Server | undefined;
  /** The host speaks 2026-07-28. */
  #modern = false;

  constructor(connection: Connection, transport: StdioTransport) {
    this.#connection = connection;
    this.#transport = transport;
    void transport.closed.then(() => this.#running.stopAll());
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
    this.#connection.enter(this.#exchange);
    // oxlint-disable-next-line typescript/no-deprecated -- the 2025 revisions say it once
    this.#connection.describeClientBy(() => server.getClientVersion());
    this.#server = server;
  }

  /** Handle a call or its cancellation; `false` leaves the message to the SDK. */
  handle(message: WireMessage): boolean {
    if (message.method === "notifications/cancelled") return this.#running.cancel(message.params);
    const call = readPlainCall(message);
    if (call === undefined || call.modern !== this.#modern) return false;
    // oxlint-disable-next-line typescript/no-deprecated -- set once the host has sent `initialize`
    if (!this.#modern && this.#server?.getClientCapabilities() === undefined) return false;
    void this.#run(call);
    return true;
  }

  async #run(call: PlainCall): Promise<void> {
    const running = this.#running.start(call.id);
    const answer = await this.#answer(call, running);
    this.#running.end(call.id, running);
    if (running.aborted) return; // a cancelled request gets no answer
    this.#transport.sendPieces(call.id, answerPieces(answer));
  }

  #answer(call: PlainCall, running: RunningCall): Promise<WireMessage> {
    if (this.#exchange !== undefined && !call.modern)
      return answerLegacyCall(this.#connection, this.#exchange, {
        call: withStop(call.call, call.id, running),
        id: call.id,
      });
    const notify = (notification: object): Promise<void> =>
      this.#transport.send({ jsonrpc: "2.0", ...notification });
    return answerModernCall(this.#connection, call, { running, notify });
  }
}
