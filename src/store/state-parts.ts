import type { Clock } from "../contract/ports/clock.js";
import type { ProcessIdentity } from "./process-identity.js";
import type { SqlDatabase } from "./sql.js";

export interface StateParts {
  readonly database: SqlDatabase;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly self: ProcessIdentity;
}
