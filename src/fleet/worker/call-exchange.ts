import { ToolExecutionError } from "../../contract/errors.js";
import { messageOf } from "../../contract/message-of.js";
import { maxAskMs, type Exchange } from "../../mcp/server/exchange.js";
import type { Bus } from "../bus/open-bus.js";
import { answerSchema, type CallMessage } from "../protocol.js";

const noSupport = { elicitForm: false, elicitUrl: false, sample: false };

/** The MCP host of a call, reached through the front that the call came from. */
export function callExchange(bus: Bus, call: CallMessage): Exchange {
  const { callId, proof, front, client } = call;
  return {
    supports: client?.supports ?? noSupport,
    capabilities: client?.capabilities ?? {},
    ...(client?.logLevel !== undefined && { logLevel: client.logLevel }),
    ...(client?.parks !== undefined && { parks: client.parks }),
    async ask(method, params, signal) {
      const subject = bus.names.toFront(front, "ask", callId);
      const body = JSON.stringify({ callId, proof, method, params });
      const reply = await abortable(
        bus.connection.request(subject, body, { timeout: maxAskMs, noMux: true }),
        signal,
      );
      const { value, error } = answerSchema.parse(reply.json());
      if (error !== undefined) throw new ToolExecutionError(error.message, { code: "INTERACTION_FAILED" });
      return Object(value) as Record<string, unknown>;
    },
    notify(method, params) {
      const body = JSON.stringify({ callId, proof, method, params });
      if (bus.isOnline()) bus.connection.publish(bus.names.toFront(front, "note", callId), body);
    },
  };
}

function abortable<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason as Error);
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
    work
      .then(resolve, (cause: unknown) =>
        reject(
          new ToolExecutionError(`The host cannot be asked: ${messageOf(cause)}`, {
            code: "INTERACTION_FAILED",
          }),
        ),
      )
      .finally(() => signal.removeEventListener("abort", stop));
  });
}
