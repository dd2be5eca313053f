import type { TenonEvents } from "../contract/events.js";
import type { Clock } from "../contract/ports/clock.js";
import type { KeysOf } from "../schema/check-keys.js";
import type { CallStats } from "./registry-stats.js";
import type { HealthOptions } from "./tool-life.js";
import type { ToolsetDefinition } from "./toolsets.js";

type RegistryEvent = "TOOL_REGISTERED" | "TOOL_UNREGISTERED" | "TOOL_STATE_CHANGED";

/** What a registry is made with; all of it can be left out. */
export interface RegistryOptions {
  /** @default the system's clock */
  readonly clock?: Pick<Clock, "now">;
  /** Gets every event of the registry; what it throws is dropped. */
  readonly emit?: <N extends RegistryEvent>(name: N, payload: TenonEvents[N]) => void;
  /** Whether anybody listens to an event that every call would cause; if not, it is not emitted. @default always */
  readonly isHeard?: (name: RegistryEvent) => boolean;
  /** Where `getStats` takes the numbers of calls from. @default none */
  readonly callStats?: () => Readonly<Record<string, CallStats>>;
  readonly health?: HealthOptions;
  /** Toolsets besides the built-in ones. */
  readonly toolsets?: Readonly<Record<string, ToolsetDefinition>>;
}

/** All options; one that is missing here does not compile. */
export const optionKeys: KeysOf<RegistryOptions> = {
  clock: true,
  emit: true,
  isHeard: true,
  callStats: true,
  health: true,
  toolsets: true,
};
