import { ToolCancelledError, ToolError, ToolUnavailableError } from "../contract/errors.js";
import type { HeldLocks, LockOptions, LockRequest, LockStore } from "../contract/ports/locks.js";
import { createLockRows, dropSql } from "./lock-rows.js";
import type { Blocker, LockRows } from "./lock-rows.js";
import { livenessOf, toIdentity } from "./process-identity.js";
import type { StateParts } from "./state-parts.js";

const defaultTimeoutMs = 20_000;
const heartbeatMs = 2_500;
/** Without a heartbeat for this long, a holder has lost its locks to whoever waits for them. */
const staleMs = 10_000;
// A clock that jumped, or a whole machine that was suspended, makes all hearts look still at once; the
// living ones beat again within this time.
const confirmMs = 3_000;
const longestWaitMs = 25;

/** Locks whose holder can give all of them back when the state closes. */
export interface OwnedLocks extends LockStore {
  close(): Promise<void>;
}

/**
 * Locks as a queue of tickets: a ticket holds its locks once no earlier ticket wants one that conflicts.
 * Order is total and all keys of a ticket stand in it together, so nobody starves and no two tickets
 * wait for each other. A ticket whose process died, or gave no sign of life, is thrown out by whoever waits
 * behind it; its number, which is never given out again, is the fence by which the holder notices.
 */
export function createLocks(parts: StateParts): OwnedLocks {
  const rows = createLockRows(parts);
  const queue: Queue = { ...parts, rows, mine: new Map(), given: new Set(), bell: new AbortController() };
  return {
    async acquire(requests, options = {}) {
      const deadline = parts.clock.monotonic() + (options.timeoutMs ?? defaultTimeoutMs);
      for (;;) {
        if (options.signal?.aborted === true) throw toCancelled(options.signal);
        const ticket = await takeTicket(queue, requests);
        try {
          if (await waitForTurn(queue, ticket, { ...options, deadline })) return heldLocks(queue, ticket);
        } catch (error) {
          await drop(queue, ticket.id);
          throw error;
        }
        // This process was stopped for so long that it was thrown out of the queue: it stands at the end again.
        forget(queue, ticket.id);
      }
    },
    list: () => rows.list(),
    async close() {
      for (const id of queue.mine.keys()) await drop(queue, id);
      clearInterval(queue.heart);
    },
  };
}

/** A ticket of this process. */
interface Ticket {
  readonly id: number;
  readonly requests: readonly LockRequest[];
  /** When it was last known to stand in the queue, by this process's steady clock. */
  seenAt: number;
  readonly lost: AbortController;
}

/** This process's part in the queue. */
interface Queue extends StateParts {
  readonly rows: LockRows;
  readonly mine: Map<number, Ticket>;
  /** Tickets that are being given back. */
  readonly given: Set<number>;
  /** Rung when a ticket of this process goes: waiters here need not wait for their next look. */
  bell: AbortController;
  heart?: NodeJS.Timeout;
}

async function takeTicket(queue: Queue, requests: readonly LockRequest[]): Promise<Ticket> {
  const seenAt = queue.clock.monotonic();
  const id = await queue.rows.draw(requests);
  if (queue.mine.size === 0) queue.heart = setInterval(() => beat(queue), heartbeatMs).unref();
  const ticket: Ticket = { id, requests, seenAt, lost: new AbortController() };
  queue.mine.set(id, ticket);
  return ticket;
}

interface Wait extends LockOptions {
  readonly deadline: number;
}

/** `false` where the ticket was thrown out of the queue meanwhile. */
async function waitForTurn(queue: Queue, ticket: Ticket, { deadline, signal }: Wait): Promise<boolean> {
  const { rows, clock } = queue;
  const watched: Watched = new Map();
  for (let ms = 1; ; ms = Math.min(ms * 1.5, longestWaitMs)) {
    const blockers = await rows.blockers(ticket.id);
    // A ticket that is gone has no blockers either.
    if (blockers.length === 0) return isStanding(queue, ticket);
    const gone = blockers.filter((blocker) => isGone(queue, blocker, watched));
    if (gone.length > 0) {
      for (const blocker of gone) await rows.dropSilent(blocker);
      continue;
    }
    if (clock.monotonic() >= deadline) throw toTimeout(blockers[0]);
    await pause(queue, ms, signal);
  }
}

/** What was last seen of each blocker's heart, and since when by this process's steady clock. */
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

async function pause({ clock, bell }: Queue, ms: number, signal: AbortSignal | undefined): Promise<void> {
  const ends = signal === undefined ? bell.signal : AbortSignal.any([bell.signal, signal]);
  await clock.sleep(ms, ends).catch(() => {});
  if (signal?.aborted === true) throw toCancelled(signal);
}

/** Whether a ticket is in the queue still; a sign of life is given where that is not certain. */
async function isStanding({ rows, clock }: Queue, ticket: Ticket): Promise<boolean> {
  if (ticket.lost.signal.aborted) return false;
  const now = clock.monotonic();
  // Nobody throws a ticket out before it was still for `confirmMs`.
  if (now - ticket.seenAt < heartbeatMs) return true;
  if (!(await rows.touch(ticket.id))) return false;
  ticket.seenAt = now;
  return true;
}

async function drop(queue: Queue, id: number): Promise<void> {
  queue.given.add(id);
  await queue.database.run(dropSql, [id]);
  forget(queue, id);
}

function forget(queue: Queue, id: number): void {
  queue.given.delete(id);
  queue.mine.delete(id);
  if (queue.mine.size === 0) clearInterval(queue.heart);
  queue.bell.abort();
  queue.bell = new AbortController();
}

/** A missed beat is made up by the next one, and so is a ticket that could not be given back. */
function beat(queue: Queue): void {
  const given = [...queue.given];
  const tickets = [...queue.mine.values()];
  const now = queue.clock.monotonic();
  queue.rows
    .beat(given)
    .then((standing) => {
      given.forEach((id) => forget(queue, id));
      for (const ticket of tickets) {
        if (standing.has(ticket.id)) ticket.seenAt = now;
        else if (queue.mine.has(ticket.id)) ticket.lost.abort(lostError(ticket));
      }
    })
    .catch(() => {});
}

function heldLocks(queue: Queue, ticket: Ticket): HeldLocks {
  let dropped: Promise<void> | undefined;
  return {
    fence: ticket.id,
    lost: ticket.lost.signal,
    async check() {
      if (await isStanding(queue, ticket)) return;
      ticket.lost.abort(lostError(ticket));
      throw ticket.lost.signal.reason;
    },
    release() {
      dropped ??= drop(queue, ticket.id);
      return dropped;
    },
  };
}

function lostError({ requests }: Ticket): ToolUnavailableError {
  return lockLost(`on "${requests[0]?.key ?? ""}"`);
}

/** The holder was silent for so long that its locks went to another process. */
export function lockLost(which: string): ToolUnavailableError {
  return new ToolUnavailableError(
    `The lock ${which} was taken over: this process did not respond for more than ${staleMs / 1000} s.`,
    { code: "STATE_BUSY", hint: "Look at what is there now, and call again." },
  );
}

function toTimeout(blocker: Blocker | undefined): ToolUnavailableError {
  return new ToolUnavailableError(
    `Process ${blocker?.pid} holds a lock on "${blocker?.key}" and did not give it back in time.`,
    { code: "STATE_BUSY", hint: "Wait for it to end, or stop it, and call again." },
  );
}

function toCancelled(signal: AbortSignal): ToolError {
  if (signal.reason instanceof ToolError) return signal.reason;
  return new ToolCancelledError("Waiting for a lock was cancelled.", { cause: signal.reason });
}
