import type { ClientDoor } from "../contract/ports/client.js";
import type { Call } from "./call.js";

/** The host's door for one call: while its person thinks, the call's time stands still. */
export function pausedDoor(door: ClientDoor, call: Call): ClientDoor {
  return {
    can: door.can,
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
