import type { Lock } from "./locks.js";
import type { Ticket } from "./ticket.js";

/** The limits of one tool version; the object itself is the tool's identity. */
export interface ToolLimits {
  /** Calls that run at the same time. @default no limit */
  readonly max?: number;
  /** Calls that may wait. @default no limit of its own */
  readonly queue?: number;
}

/** A call that wants to run. */
export interface Job {
  readonly limits: ToolLimits;
  /** Higher starts first among calls that are ready. */
  readonly priority: number;
  readonly locks: readonly Lock[];
  /** The call that makes this one; its locks and slot are inherited. */
  readonly parent?: Ticket | undefined;
  /** Subscribe to cancellation while the call waits; returns how to unsubscribe. Neither may throw. */
  readonly onAbort?: (cancel: () => void) => () => void;
}

export interface SchedulerOptions {
  /** Calls that run at the same time. @default 10 */
  readonly maxConcurrent?: number;
  /** Calls that may wait. @default 100000 */
  readonly maxQueued?: number;
  readonly monotonic: () => number;
}

/** The current numbers. */
export interface SchedulerStats {
  /** Calls that hold a slot; nested calls share their parent's and are not counted. */
  readonly running: number;
  /** Calls that wait for earlier ones or for a slot, nested ones not counted. */
  readonly waiting: number;
  readonly peakRunning: number;
  readonly peakWaiting: number;
  readonly nestedRunning: number;
  readonly nestedWaiting: number;
  readonly maxConcurrent: number;
}

/** The current numbers of one tool, nested calls not counted. */
export interface ToolLoad {
  readonly running: number;
  readonly waiting: number;
  readonly peakRunning: number;
  readonly max: number;
}
