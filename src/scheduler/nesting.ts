import { Claim, ConflictGraph } from "./conflict-graph.js";
import type { Lock } from "./locks.js";
import type { CallTicket, Ticket } from "./ticket.js";

/**
 * Put a nested call behind the conflicting calls below its own parent. In the graphs further out it is
 * only announced: it waits for nobody there, but whoever comes later waits for it.
 */
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

/** The nearest call above that still runs; one that ended can hand nothing down. */
export function unreleased(parent: Ticket | undefined): CallTicket | undefined {
  let ticket = parent as CallTicket | undefined;
  while (ticket !== undefined && ticket.released) ticket = ticket.parent;
  return ticket;
}

/** Count a child out; returns the parent when that was the last thing it waited for. */
export function orphaned(parent: CallTicket | undefined): CallTicket | undefined {
  if (parent === undefined) return undefined;
  parent.children--;
  return parent.released && parent.children === 0 ? parent : undefined;
}
