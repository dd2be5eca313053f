import type { RuleGroup } from "../../config/load-config.js";
import type { ResolvedConfig } from "../../config/resolve-config.js";
import type { Clock } from "../../contract/ports/clock.js";
import type { EventBus } from "../../record/event-bus.js";
import type { LazyState } from "./lazy-state.js";

/** What most parts of the runtime share; each takes what it needs of it. */
export interface RuntimeBase {
  readonly config: ResolvedConfig;
  readonly rules: readonly RuleGroup[];
  /** The environment of the host. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly workspace: string;
  readonly stateDir: string;
  readonly state: LazyState;
  readonly clock: Clock;
  readonly events: EventBus;
  readonly redact: <T>(value: T) => T;
}
