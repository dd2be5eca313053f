import { ToolCancelledError, ToolError, ToolUnavailableError } from "../contract/errors.js";
import type { HeldLocks, LockInfo, LockOptions, LockRequest, LockStore } from "../contract/ports/locks.js";
import { dialectOf } from "./dialect.js";
import { insertRows } from "./insert-rows.js";
import { fromIdentity, livenessOf, toIdentity } from "./process-identity.js";
import type { Sql } from "./sql.js";
import type { StateParts } from "./state-parts.js";

interface Blocker {
  id: number;
  owner: string;
  pid: number;
  /** Since its heart last beat. */
  silent_ms: number;
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
  const queue: Queue = {
    ...parts,
    owner: fromIdentity(parts.self),
    now: dialectOf(parts.database.dialect).now,
    mine: new Set(),
    given: new Set(),
    bell: new AbortController(),
  };
  return {
    async acquire(requests, options = {}) {
      if (options.signal?.aborted === true) throw toCancelled(options.signal);
      const ticket = await parts.database.transaction((tx) => draw(tx, queue, requests));
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
    async list() {
      const rows = await parts.database.all<Omit<LockInfo, "tree"> & { tree: number }>(listSql);
      return rows.map((row) => ({ ...row, tree: row.tree === 1 }));
    },
    async close() {
      for (const ticket of queue.mine) await drop(queue, ticket);
      clearInterval(queue.heart);
    },
  };
}

/** This process's part in the queue. */
interface Queue extends StateParts {
  readonly owner: string;
  /** The time, as the database tells it: clocks of machines that share it may differ. */
  readonly now: string;
  readonly mine: Set<number>;
  /** Tickets that are being given back. */
  readonly given: Set<number>;
  /** Rung when a ticket of this process goes: waiters here need not wait for their next look. */
  bell: AbortController;
  heart?: NodeJS.Timeout;
}

async function draw(tx: Sql, queue: Queue, requests: readonly LockRequest[]): Promise<number> {
  const { owner, self, clock, now } = queue;
  const ticket = await tx.get<{ id: number }>(
    `INSERT INTO lock_tickets (owner, pid, since, heartbeat) VALUES (?, ?, ?, ${now}) RETURNING id`,
    [owner, self.pid, clock.now()],
  );
  const id = ticket?.id ?? 0;
  const rows = requests.map(({ key, mode, tree }) => [
    id,
    normalKey(key),
    mode === "exclusive" ? 1 : 0,
    tree === true ? 1 : 0,
  ]);
  await insertRows(tx, { table: "lock_keys", columns: ["ticket", "key", "exclusive", "tree"], rows });
  return id;
}

async function waitForTurn(queue: Queue, ticket: number, options: LockOptions): Promise<void> {
  const { database, clock } = queue;
  const deadline = clock.monotonic() + (options.timeoutMs ?? defaultTimeoutMs);
  for (let ms = 1; ; ms = Math.min(ms * 1.5, longestWaitMs)) {
    const blockers = await database.all<Blocker>(blockersSql(queue.now), [ticket]);
    if (blockers.length === 0) return;
    const gone = blockers.filter((blocker) => isGone(queue, blocker));
    if (gone.length > 0) {
      // A ticket's number is never given out twice, so this can only hit the dead one.
      for (const blocker of gone) await database.run(dropSql, [blocker.id]);
      continue;
    }
    if (clock.monotonic() >= deadline) throw toTimeout(blockers[0]);
    await pause(queue, ms, options.signal);
  }
}

function isGone({ self, database }: Queue, blocker: Blocker): boolean {
  const liveness = livenessOf(toIdentity(blocker.owner), self, database.dialect);
  return liveness === "dead" || (liveness === "unknown" && blocker.silent_ms > staleMs);
}

async function pause({ clock, bell }: Queue, ms: number, signal: AbortSignal | undefined): Promise<void> {
  const ends = signal === undefined ? bell.signal : AbortSignal.any([bell.signal, signal]);
  await clock.sleep(ms, ends).catch(() => {});
  if (signal?.aborted === true) throw toCancelled(signal);
}

async function drop(queue: Queue, ticket: number): Promise<void> {
  queue.given.add(ticket);
  await queue.database.run(dropSql, [ticket]);
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
  const { database, owner, now } = queue;
  const given = [...queue.given];
  database
    .transaction(async (tx) => {
      await tx.run(`UPDATE lock_tickets SET heartbeat = ${now} WHERE owner = ?`, [owner]);
      for (const ticket of given) await tx.run(dropSql, [ticket]);
    })
    .then(() => given.forEach((ticket) => forget(queue, ticket)))
    .catch(() => {});
}

const dropSql = "DELETE FROM lock_tickets WHERE id = ?";

const blockersSql = (now: string): string => `
  SELECT t.id, t.owner, t.pid, ${now} - t.heartbeat AS silent_ms, o.key
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
