import type { ToolError } from "../contract/errors.js";
import type { TenonEvent } from "../contract/events.js";
import type { CallSession } from "../contract/session.js";
import type { Toolset } from "../registry/toolsets.js";
import type { BatchBudget } from "./batch-budget.js";
import type { ReceivedCall } from "./receive.js";

/** Facts about a request that do not come from the caller. */
export interface CallOrigin {
  readonly session: CallSession;
  readonly toolset?: Toolset | undefined;
  /** The call that made this one: it shares its locks and slot, and this one stops with it. */
  readonly parent?: ReceivedCall | undefined;
  /** The failed call in whose place this one answers. */
  readonly fallbackFor?: ReceivedCall | undefined;
  /** The call only asks what would be decided, so no events are sent. */
  readonly hypothetical?: boolean;
  /** Why no call can run at all. */
  readonly fault?: ToolError | undefined;
  /** Stops the call, besides the signal of the request itself. */
  readonly leaving?: AbortSignal | undefined;
  /** The tokens that it shares with the others of its batch. */
  readonly batch?: BatchBudget | undefined;
  /** Receives this call's events for a stream. */
  readonly onEvent?: ((event: TenonEvent) => void) | undefined;
}
