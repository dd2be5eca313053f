import { randomUUID } from "node:crypto";
import type { TenonEvent } from "../contract/events.js";
import { messageOf } from "../contract/message-of.js";
import type { ApprovalRequest } from "../contract/ports/interact.js";
import type { Tenon } from "../runtime/tenon.js";
import type { PendingApproval } from "./api.js";

export interface SharedQueueOptions {
  readonly tenon: Tenon;
  readonly now: () => number;
  /** How many pages are open, and when one last was. */
  readonly pages: () => { readonly open: number; readonly seenAt: number };
  /** Told of requests of other processes as of one's own. */
  readonly onEvent: (event: TenonEvent) => void;
  readonly onFault: (cause: unknown) => void;
  /** How often it looks. @default 400 */
  readonly everyMs?: number | undefined;
}

/** What waits for consent, in this process and in all others on the same state. */
export interface SharedQueue {
  /** Oldest first. */
  list(): Promise<readonly PendingApproval[]>;
  /** The server is open at this address: other processes may send their people here. */
  open(url: string): void;
  close(): Promise<void>;
}

const beatEveryMs = 1000;

/** Look after the requests of other processes: show them, and tell when they come and go. */
export function createSharedQueue(options: SharedQueueOptions): SharedQueue {
  const { tenon, now, pages, onEvent, onFault } = options;
  const id = randomUUID();
  let known = new Map<string, ApprovalRequest>();
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> | undefined;
  let beatAt = -Infinity;
  let url = "";
  let failing = false;

  const look = async (): Promise<void> => {
    const found = new Map((await tenon.approvals.elsewhere()).map((one) => [one.id, one] as const));
    for (const request of found.values()) {
      const before = known.get(request.id);
      const isKnown = before !== undefined && before.fault === request.fault;
      if (isKnown && before.approvedBy?.length === request.approvedBy?.length) continue;
      onEvent({ type: "APPROVAL_REQUESTED", time: now(), payload: request });
    }
    for (const request of known.values()) {
      if (!found.has(request.id)) onEvent(await ended(request));
    }
    known = found;
    if (now() - beatAt < beatEveryMs) return;
    beatAt = now();
    const { open, seenAt } = pages();
    await tenon.syncRules();
    await tenon.approvals.announce({ id, url, pages: open, pageSeenAt: seenAt, seenAt: now() });
  };
  const ended = async (request: ApprovalRequest): Promise<TenonEvent> => {
    const { id: approvalId, callId, sessionId, toolName, requestedAt } = request;
    const told = await tenon.approvals.outcome(approvalId);
    const { resolvedAt = now(), ...how } = told ?? { verdict: "cancelled" as const };
    const waitedMs = Math.max(0, resolvedAt - requestedAt);
    const common = { id: approvalId, callId, sessionId, toolName, requestedAt, resolvedAt, waitedMs };
    return { type: "APPROVAL_RESOLVED", time: now(), payload: { ...common, ...how } };
  };
  const turn = (): void => {
    looking ??= look()
      .then(() => void (failing = false))
      .catch((cause: unknown) => {
        // Told once, until it works again.
        if (!failing) onFault(cause);
        failing = true;
      })
      .finally(() => (looking = undefined));
  };
  return {
    async list() {
      const own: readonly PendingApproval[] = tenon.approvals.waiting();
      const others = (await tenon.approvals.elsewhere()).map((one) => ({ ...one, elsewhere: true as const }));
      return [...own, ...others].sort((one, other) => one.requestedAt - other.requestedAt);
    },
    open(where) {
      url = where;
      timer = setInterval(turn, options.everyMs ?? 400);
      timer.unref();
      turn();
    },
    async close() {
      clearInterval(timer);
      await looking;
      await tenon.approvals.leave(id).catch((cause: unknown) => onFault(messageOf(cause)));
    },
  };
}
