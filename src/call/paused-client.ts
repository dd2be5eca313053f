import type { ClientConnection } from "../contract/ports/client.js";
import type { CallState } from "./call-state.js";

/** The host's client for one call: its time limit is paused while a person answers. */
export function pausedClient(client: ClientConnection, call: CallState): ClientConnection {
  return {
    supports: client.supports,
    async elicit(request, signal) {
      const resume = call.pauseClock();
      try {
        return await client.elicit(request, signal);
      } finally {
        resume();
      }
    },
    sample: (request, signal) => client.sample(request, signal),
    ...(client.request !== undefined && { request: client.request.bind(client) }),
    log: (level, data, logger) => client.log(level, data, logger),
  };
}
