import type { ClientDoor } from "../contract/ports/client.js";
import type { Call } from "./call.js";

/** The host's door for one call: while its person thinks, the call's time stands still. */
export function pausedDoor(door: ClientDoor, call: Call): ClientDoor {
  return {
    can: door.can,
    async elicit(params, signal) {
      const resume = call.pauseClock();
      try {
        return await door.elicit(params, signal);
      } finally {
        resume();
      }
    },
    sample: (params, signal) => door.sample(params, signal),
    ...(door.request !== undefined && { request: door.request.bind(door) }),
    log: (level, data, logger) => door.log(level, data, logger),
  };
}
