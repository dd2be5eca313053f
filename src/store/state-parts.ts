import type { Clock } from "../contract/ports/clock.js";
import type { Database } from "./database.js";
import type { ProcessIdentity } from "./process-identity.js";

/** What every part of the state is made of. */
export interface StateParts {
  readonly database: Database;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly self: ProcessIdentity;
}
