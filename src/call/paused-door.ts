import type { ClientConnection } from "../contract/ports/client.js";
import type { CallState } from "./call-state.js";

/** The host's client for one call: its time limit is paused while a person answers. */
export function pausedDoor(door: ClientConnection, call: CallState): ClientConnection {
  return {
    supports: door.supports,
    async elicit(request, signal) {
      const resume = call.pauseClock();
      try {
        return await door.elicit(request, signal);
      } finally {
        resume();
      }
    },
    sample: (request, signal) => door.sample(request, signal),
    ...(door.request !== undefined && { request: door.request.bind(door) }),
    log: (level, data, logger) => door.log(level, data, logger),
  };
}
