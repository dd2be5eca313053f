import type { ToolError } from "../contract/errors.js";
import type { TenonEvent } from "../contract/events.js";
import type { CallSession } from "../contract/session.js";
import type { Toolset } from "../registry/toolsets.js";
import type { BatchBudget } from "./batch-budget.js";
import type { Call } from "./call.js";

/** What comes with a request but is not the caller's word. */
export interface CallOrigin {
  readonly session: CallSession;
  readonly toolset?: Toolset | undefined;
  /** The call that made this one: it lends its locks and slot, and takes this one along when it stops. */
  readonly parent?: Call | undefined;
  /** The failed call in whose place this one answers. */
  readonly fallbackFor?: Call | undefined;
  /** A look at what would be decided: it is no call, so nobody hears of it. */
  readonly hypothetical?: boolean;
  /** Why no call can run at all. */
  readonly fault?: ToolError | undefined;
  /** Stops the call, besides the signal of the request itself. */
  readonly leaving?: AbortSignal | undefined;
  /** The tokens that it shares with the others of its batch. */
  readonly batch?: BatchBudget | undefined;
  /** Where a stream wants to see this call's events. */
  readonly onEvent?: ((event: TenonEvent) => void) | undefined;
}
