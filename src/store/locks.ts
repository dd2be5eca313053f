import { ToolCancelledError, ToolError, ToolUnavailableError } from "../contract/errors.js";
import type { HeldLocks, LockOptions, LockRequest, LockStore } from "../contract/ports/locks.js";
import { createLockRows, dropSql, type Blocker, type LockRows } from "./lock-rows.js";
import { livenessOf, toIdentity } from "./process-identity.js";
import type { StateParts } from "./state-parts.js";

const defaultTimeoutMs = 20_000;
const heartbeatMs = 2_500;
/** Without a heartbeat for this long, a holder loses its locks to the processes that wait for them. */
const staleMs = 10_000;
// After a clock jump or a suspend all heartbeats look old; live processes send another one within this time.
const confirmMs = 3_000;
const maxWaitMs = 25;

/** Locks whose holder can give all of them back when the state closes. */
export interface OwnedLocks extends LockStore {
  close(): Promise<void>;
}

/**
 * Locks as a queue of tickets: a ticket holds its locks once no earlier ticket has a conflicting one. The order is total
 * and all keys of a ticket are queued together, so there is no starvation and no deadlock. A ticket whose process died or
 * sends no heartbeats is removed by the processes that wait for it; its number, which is never reused, is the fence by
 * which the holder notices.
 */
export function createLocks(parts: StateParts): OwnedLocks {
  const rows = createLockRows(parts);
  const queue: Queue = {
    ...parts,
    rows,
    mine: new Map(),
    releasing: new Set(),
  };
  return {
    async acquire(requests, options = {}) {
      const deadline = parts.clock.monotonic() + (options.timeoutMs ?? defaultTimeoutMs);
      for (;;) {
        if (options.signal?.aborted === true) throw toCancelled(options.signal);
        const { ticket, blockers } = await takeTicket(queue, requests);
        try {
          if (await waitForTurn(queue, ticket, { ...options, deadline, blockers }))
            return heldLocks(queue, ticket);
        } catch (error) {
          await releaseTicket(queue, ticket.id);
          throw error;
        }
        // This process was stopped for so long that its ticket was removed: it queues again at the end.
        forgetTicket(queue, ticket.id);
      }
    },
    list: () => rows.list(),
    async close() {
      // What cannot be released expires, and other processes drop it at once when this process ends.
      for (const id of queue.mine.keys()) await releaseTicket(queue, id).catch(() => forgetTicket(queue, id));
      clearInterval(queue.heartbeatTimer);
    },
  };
}

interface Ticket {
  readonly id: number;
  readonly requests: readonly LockRequest[];
  /** When it was last known to stand in the queue, by this process's steady clock. */
  seenAt: number;
  /** Why the locks were lost. */
  fault?: Error;
  /** Created when its signal is first requested. */
  lost?: AbortController;
}

/** This process's part in the queue. */
interface Queue extends StateParts {
  readonly rows: LockRows;
  readonly mine: Map<number, Ticket>;
  /** Tickets that are being released. */
  readonly releasing: Set<number>;
  /** Aborted when a ticket of this process is released, so that waiters in this process check at once; absent without any. */
  wakeUp?: AbortController | undefined;
  heartbeatTimer?: NodeJS.Timeout;
}

async function takeTicket(
  queue: Queue,
  requests: readonly LockRequest[],
): Promise<{ readonly ticket: Ticket; readonly blockers: readonly Blocker[] }> {
  const seenAt = queue.clock.monotonic();
  const { id, blockers } = await queue.rows.draw(requests);
  if (queue.mine.size === 0)
    queue.heartbeatTimer = setInterval(() => sendHeartbeat(queue), heartbeatMs).unref();
  const ticket: Ticket = { id, requests, seenAt };
  queue.mine.set(id, ticket);
  return { ticket, blockers };
}

interface WaitOptions extends LockOptions {
  readonly deadline: number;
  /** Whom the ticket waited for when it was drawn. */
  readonly blockers: readonly Blocker[];
}

/** `false` if the ticket was removed from the queue in the meantime. */
async function waitForTurn(
  queue: Queue,
  ticket: Ticket,
  { deadline, signal, blockers: first }: WaitOptions,
): Promise<boolean> {
  const { rows, clock } = queue;
  const watched: Watched = new Map();
  let blockers = first;
  for (let ms = 1; ; ms = Math.min(ms * 1.5, maxWaitMs), blockers = await rows.blockers(ticket.id)) {
    // A ticket that is gone has no blockers either.
    if (blockers.length === 0) return isInQueue(queue, ticket);
    const gone = blockers.filter((blocker) => isGone(queue, blocker, watched));
    if (gone.length > 0) {
      for (const blocker of gone) await rows.dropSilent(blocker);
      continue;
    }
    if (clock.monotonic() >= deadline) throw toTimeout(blockers[0]);
    await pause(queue, ms, signal);
  }
}

/** The last heartbeat of each blocker, and since when it is unchanged by the monotonic clock of this process. */
type Watched = Map<number, { readonly heartbeat: number; readonly since: number }>;

function isGone(queue: Queue, blocker: Blocker, watched: Watched): boolean {
  const { self, database, clock, mine } = queue;
  if (mine.has(blocker.id)) return false;
  if (livenessOf(toIdentity(blocker.owner), self, database.dialect) === "dead") return true;
  const now = clock.monotonic();
  const before = watched.get(blocker.id);
  if (before?.heartbeat !== blocker.heartbeat) {
    watched.set(blocker.id, { heartbeat: blocker.heartbeat, since: now });
    return false;
  }
  const still = now - before.since;
  return still > staleMs || (still > confirmMs && blocker.silent_ms > staleMs);
}

async function pause(queue: Queue, ms: number, signal: AbortSignal | undefined): Promise<void> {
  const wakeUp = (queue.wakeUp ??= new AbortController());
  const ends = signal === undefined ? wakeUp.signal : AbortSignal.any([wakeUp.signal, signal]);
  await queue.clock.sleep(ms, ends).catch(() => {});
  if (signal?.aborted === true) throw toCancelled(signal);
}

/** Whether a ticket is still in the queue; if that is not certain, a heartbeat is sent. */
async function isInQueue({ rows, clock }: Queue, ticket: Ticket): Promise<boolean> {
  if (ticket.fault !== undefined) return false;
  const now = clock.monotonic();
  // No ticket is removed before it was silent for `confirmMs`.
  if (now - ticket.seenAt < heartbeatMs) return true;
  if (!(await rows.touch(ticket.id))) return false;
  ticket.seenAt = now;
  return true;
}

async function releaseTicket(queue: Queue, id: number): Promise<void> {
  queue.releasing.add(id);
  await queue.database.run(dropSql, [id]);
  forgetTicket(queue, id);
}

function forgetTicket(queue: Queue, id: number): void {
  queue.releasing.delete(id);
  queue.mine.delete(id);
  if (queue.mine.size === 0) clearInterval(queue.heartbeatTimer);
  queue.wakeUp?.abort();
  queue.wakeUp = undefined;
}

/** A missed heartbeat, or a ticket that could not be released, is made up for by the next heartbeat. */
function sendHeartbeat(queue: Queue): void {
  const releasing = [...queue.releasing];
  const tickets = [...queue.mine.values()];
  const now = queue.clock.monotonic();
  queue.rows
    .beat(releasing)
    .then((standing) => {
      releasing.forEach((id) => forgetTicket(queue, id));
      for (const ticket of tickets) {
        if (standing.has(ticket.id)) ticket.seenAt = now;
        else if (queue.mine.has(ticket.id)) lose(ticket);
      }
    })
    .catch(() => {});
}

function heldLocks(queue: Queue, ticket: Ticket): HeldLocks {
  let dropped: Promise<void> | undefined;
  return {
    fence: ticket.id,
    get lost() {
      return lostSignal(ticket);
    },
    async check() {
      if (!(await isInQueue(queue, ticket))) throw lose(ticket);
    },
    isAlone: async () => ticket.fault === undefined && (await queue.rows.isLast(ticket.id)),
    release() {
      dropped ??= releaseTicket(queue, ticket.id);
      return dropped;
    },
  };
}

/** Note that the locks are lost; returns the reason. */
function lose(ticket: Ticket): Error {
  ticket.fault ??= lockLost(`on "${ticket.requests[0]?.key ?? ""}"`);
  ticket.lost?.abort(ticket.fault);
  return ticket.fault;
}

function lostSignal(ticket: Ticket): AbortSignal {
  ticket.lost ??= new AbortController();
  if (ticket.fault !== undefined) ticket.lost.abort(ticket.fault);
  return ticket.lost.signal;
}

/** The holder sent no heartbeat for so long that its locks were given to another process. */
export function lockLost(which: string): ToolUnavailableError {
  return new ToolUnavailableError(
    `The lock ${which} was taken over: this process did not respond for more than ${staleMs / 1000} s.`,
    { code: "STATE_BUSY", hint: "Check the current state, then call again." },
  );
}

function toTimeout(blocker: Blocker | undefined): ToolUnavailableError {
  return new ToolUnavailableError(
    `Process ${blocker?.pid} holds a lock on "${blocker?.key}" and did not release it in time.`,
    { code: "STATE_BUSY", hint: "Wait for it to end, or stop it, and call again." },
  );
}

function toCancelled(signal: AbortSignal): ToolError {
  if (signal.reason instanceof ToolError) return signal.reason;
  return new ToolCancelledError("Waiting for a lock was cancelled.", { cause: signal.reason });
}
