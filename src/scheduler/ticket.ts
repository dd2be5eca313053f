import type { Claim, ConflictGraph } from "./conflict-graph.js";
import type { HeapItem } from "./heap.js";
import type { ToolSlots } from "./slots.js";

/** The right to run, from `Scheduler.acquire` until `Scheduler.release`; what is in it is the scheduler's own. */
export interface Ticket {
  /** Milliseconds spent waiting for earlier calls and a free slot. */
  readonly waitedMs: number;
}

/** A ticket as the scheduler sees it. */
export class CallTicket implements Ticket {
  waitedMs = 0;
  released = false;
  /** Nested calls that are not done yet. */
  children = 0;
  waitingChildren = 0;
  claim: Claim<CallTicket> | undefined = undefined;
  waiter: Waiter | undefined = undefined;
  /** The conflicts among the calls below this one. */
  family: ConflictGraph<CallTicket> | undefined = undefined;
  /** Undefined for a nested call, which runs in its parent's slot. */
  readonly tool: ToolSlots | undefined;
  readonly parent: CallTicket | undefined;

  constructor(tool: ToolSlots | undefined, parent: CallTicket | undefined) {
    this.tool = tool;
    this.parent = parent;
  }
}

/** What is kept of a call only while it waits. */
export interface Waiter extends HeapItem {
  readonly ticket: CallTicket;
  readonly priority: number;
  /** Its place in the order of arrival. */
  readonly order: number;
  readonly since: number;
  readonly resolve: (ticket: Ticket) => void;
  readonly reject: (error: unknown) => void;
  unsubscribe: (() => void) | undefined;
}
