import { Claim, ConflictGraph } from "./conflict-graph.js";
import type { HeapItem } from "./heap.js";
import type { Lock } from "./locks.js";
import type { ToolSlots } from "./slots.js";

/** The right to run, from `Scheduler.acquire` until `Scheduler.release`. */
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

/** What is only needed of a call while it waits. */
export interface Waiter extends HeapItem {
  readonly ticket: CallTicket;
  readonly priority: number;
  /** Its position in the order of arrival. */
  readonly order: number;
  readonly since: number;
  readonly resolve: (ticket: Ticket) => void;
  readonly reject: (error: unknown) => void;
  unsubscribe: (() => void) | undefined;
}

/** Queue a nested call behind conflicting calls of its parent; outer graphs only make later calls wait for it. */
export function enterFamilies(
  ticket: CallTicket,
  locks: readonly Lock[],
  outermost: ConflictGraph<CallTicket>,
): void {
  const claim = new Claim(ticket);
  ticket.claim = claim;
  const { parent } = ticket;
  if (parent === undefined) return;
  familyOf(parent).enter(claim, locks);
  for (let above = parent.parent; above !== undefined; above = above.parent) {
    familyOf(above).announce(claim, locks);
  }
  outermost.announce(claim, locks);
}

function familyOf(ticket: CallTicket): ConflictGraph<CallTicket> {
  ticket.family ??= new ConflictGraph();
  return ticket.family;
}

/** The nearest call above that is still running; one that ended has no locks or slot to share. */
export function nearestRunning(parent: Ticket): CallTicket | undefined {
  let ticket: CallTicket | undefined = parent as CallTicket;
  while (ticket !== undefined && ticket.released) ticket = ticket.parent;
  return ticket;
}

/** Remove a child from its parent; returns the parent if it was released and has no other children. */
export function leaveParent(parent: CallTicket): CallTicket | undefined {
  parent.children--;
  return parent.released && parent.children === 0 ? parent : undefined;
}
