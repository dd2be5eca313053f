import { ToolCancelledError, ToolError, ToolUnavailableError } from "../contract/errors.js";
import type { HeldLocks, LockInfo, LockOptions, LockRequest, LockStore } from "../contract/ports/locks.js";
import { fromIdentity, livenessOf, toIdentity } from "./process-identity.js";
import type { StateParts } from "./state-parts.js";

interface Blocker {
  id: number;
  owner: string;
  pid: number;
  heartbeat: number;
  key: string;
}

const defaultTimeoutMs = 30_000;
const heartbeatMs = 5_000;
// Only for owners that cannot be looked at (another container); a living one beats ten times in it.
const staleMs = 10 * heartbeatMs;
const longestWaitMs = 25;

/** Locks whose holder can give all of them back when the state closes. */
export interface OwnedLocks extends LockStore {
  close(): Promise<void>;
}

/**
 * Locks as a queue of tickets: a ticket holds its locks once no earlier ticket wants one that conflicts.
 * Order is total and all keys of a ticket stand in it together, so nobody starves and no two tickets
 * wait for each other. A ticket whose process died is thrown out by whoever waits behind it.
 */
export function createLocks(parts: StateParts): OwnedLocks {
  const owner = fromIdentity(parts.self);
  const queue: Queue = { ...parts, owner, mine: new Set(), given: new Set(), bell: new AbortController() };
  return {
    async acquire(requests, options = {}) {
      if (options.signal?.aborted === true) throw toCancelled(options.signal);
      const ticket = await parts.database.write(() => draw(queue, requests));
      if (queue.mine.size === 0) queue.heart = setInterval(() => beat(queue), heartbeatMs).unref();
      queue.mine.add(ticket);
      try {
        await waitForTurn(queue, ticket, options);
      } catch (error) {
        await drop(queue, ticket);
        throw error;
      }
      return heldLocks(() => drop(queue, ticket));
    },
    list: async () =>
      parts.database
        .all<Omit<LockInfo, "tree"> & { tree: number }>(listSql)
        .map((row) => ({ ...row, tree: row.tree === 1 })),
    async close() {
      for (const ticket of queue.mine) await drop(queue, ticket);
      clearInterval(queue.heart);
    },
  };
}

/** This process's part in the queue. */
interface Queue extends StateParts {
  readonly owner: string;
  readonly mine: Set<number>;
  /** Tickets that are being given back. */
  readonly given: Set<number>;
  /** Rung when a ticket of this process goes: waiters here need not wait for their next look. */
  bell: AbortController;
  heart?: NodeJS.Timeout;
}

function draw({ database, clock, owner, self }: Queue, requests: readonly LockRequest[]): number {
  const now = clock.now();
  const insert = "INSERT INTO lock_tickets (owner, pid, since, heartbeat) VALUES (?, ?, ?, ?)";
  const ticket = database.insert(insert, owner, self.pid, now, now);
  const sql = "INSERT INTO lock_keys (ticket, key, exclusive, tree) VALUES (?, ?, ?, ?)";
  for (const { key, mode, tree } of requests) {
    database.run(sql, ticket, normalKey(key), mode === "exclusive" ? 1 : 0, tree === true ? 1 : 0);
  }
  return ticket;
}

async function waitForTurn(queue: Queue, ticket: number, options: LockOptions): Promise<void> {
  const { database, clock } = queue;
  const deadline = clock.monotonic() + (options.timeoutMs ?? defaultTimeoutMs);
  for (let ms = 1; ; ms = Math.min(ms * 1.5, longestWaitMs)) {
    const blockers = database.all<Blocker>(blockersSql, ticket);
    if (blockers.length === 0) return;
    const gone = blockers.filter((blocker) => isGone(queue, blocker));
    if (gone.length > 0) {
      // A ticket's number is never given out twice, so this can only hit the dead one.
      await database.write(() => gone.forEach((blocker) => database.run(dropSql, blocker.id)));
      continue;
    }
    if (clock.monotonic() >= deadline) throw toTimeout(blockers[0]);
    await pause(queue, ms, options.signal);
  }
}

function isGone({ self, clock }: Queue, blocker: Blocker): boolean {
  const liveness = livenessOf(toIdentity(blocker.owner), self);
  return liveness === "dead" || (liveness === "unknown" && blocker.heartbeat < clock.now() - staleMs);
}

async function pause({ clock, bell }: Queue, ms: number, signal: AbortSignal | undefined): Promise<void> {
  const ends = signal === undefined ? bell.signal : AbortSignal.any([bell.signal, signal]);
  await clock.sleep(ms, ends).catch(() => {});
  if (signal?.aborted === true) throw toCancelled(signal);
}

async function drop(queue: Queue, ticket: number): Promise<void> {
  queue.given.add(ticket);
  await queue.database.write(() => queue.database.run(dropSql, ticket));
  forget(queue, ticket);
}

function forget(queue: Queue, ticket: number): void {
  queue.given.delete(ticket);
  queue.mine.delete(ticket);
  if (queue.mine.size === 0) clearInterval(queue.heart);
  queue.bell.abort();
  queue.bell = new AbortController();
}

/** A missed beat is made up by the next one, and so is a ticket that could not be given back. */
function beat(queue: Queue): void {
  const { database, clock, owner, given } = queue;
  database
    .write(() => {
      database.run("UPDATE lock_tickets SET heartbeat = ? WHERE owner = ?", clock.now(), owner);
      for (const ticket of given) database.run(dropSql, ticket);
    })
    .then(() => given.forEach((ticket) => forget(queue, ticket)))
    .catch(() => {});
}

const dropSql = "DELETE FROM lock_tickets WHERE id = ?";

const blockersSql = `
  SELECT t.id, t.owner, t.pid, t.heartbeat, o.key
  FROM lock_keys m
  JOIN lock_keys o ON o.ticket < m.ticket AND (o.exclusive = 1 OR m.exclusive = 1) AND (
    o.key = m.key
    OR (m.tree = 1 AND substr(o.key, 1, length(m.key) + 1) = m.key || '/')
    OR (o.tree = 1 AND substr(m.key, 1, length(o.key) + 1) = o.key || '/'))
  JOIN lock_tickets t ON t.id = o.ticket
  WHERE m.ticket = ?
  ORDER BY t.id`;

const listSql = `
  SELECT k.key, CASE k.exclusive WHEN 1 THEN 'exclusive' ELSE 'shared' END AS mode, k.tree, t.pid, t.since
  FROM lock_keys k JOIN lock_tickets t ON t.id = k.ticket
  ORDER BY t.id`;

/** Without slashes at the end, so that the root of the disk is an ancestor of all. */
function normalKey(key: string): string {
  let end = key.length;
  while (end > 0 && key[end - 1] === "/") end -= 1;
  return key.slice(0, end);
}

function heldLocks(drop: () => Promise<void>): HeldLocks {
  let dropped: Promise<void> | undefined;
  return {
    release() {
      dropped ??= drop();
      return dropped;
    },
  };
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
