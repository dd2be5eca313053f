import type { LockInfo, LockRequest } from "../contract/ports/locks.js";
import { dialectOf } from "./dialect.js";
import { createInsert } from "./insert-rows.js";
import { fromIdentity } from "./process-identity.js";
import type { SqlValue } from "./sql.js";
import type { StateParts } from "./state-parts.js";

/** A ticket that another one waits for. */
export interface Blocker {
  readonly id: number;
  readonly owner: string;
  readonly pid: number;
  /** Increases with every heartbeat. */
  readonly heartbeat: number;
  /** Milliseconds since its last heartbeat, by a clock that all processes share. */
  readonly silent_ms: number;
  readonly key: string;
}

/** The rows of the lock queue. */
export interface LockRows {
  /** Add a ticket to the end of the queue; returns its number, which is never reused, and whom it waits for. */
  draw(
    requests: readonly LockRequest[],
  ): Promise<{ readonly id: number; readonly blockers: readonly Blocker[] }>;
  blockers(id: number): Promise<readonly Blocker[]>;
  /** Whether a ticket is in the queue, as the last one. */
  isLast(id: number): Promise<boolean>;
  /** Send a heartbeat for one ticket; `false` if it was removed. */
  touch(id: number): Promise<boolean>;
  /** Send a heartbeat for all tickets of this process and remove some; returns those that are left. */
  beat(given: readonly number[]): Promise<ReadonlySet<number>>;
  /** Remove a ticket, unless it sent a heartbeat since. */
  dropSilent(blocker: Blocker): Promise<void>;
  list(): Promise<readonly LockInfo[]>;
}

export function createLockRows({ database, clock, self }: StateParts): LockRows {
  const owner = fromIdentity(self);
  const { now } = dialectOf(database.dialect);
  // The server's time, as clocks of machines differ; in a file the system's steady one, as its clock may be set.
  const time = now ?? "?";
  const timeValues = (): number[] => (now === undefined ? [sharedSteadyTime()] : []);
  const findBlockers = blockersSql(time);
  const touchSql = `UPDATE lock_tickets SET heartbeat = ${time} WHERE`;
  return {
    draw: (requests) =>
      database.transaction(async (tx) => {
        const ticket = await tx.get<{ id: number }>(
          `INSERT INTO lock_tickets (owner, pid, since, heartbeat) VALUES (?, ?, ?, ${time}) RETURNING id`,
          [owner, self.pid, clock.now(), ...timeValues()],
        );
        const id = ticket?.id ?? 0;
        await insertKeys(tx, toKeyRows(id, requests));
        return { id, blockers: await tx.all<Blocker>(findBlockers, [...timeValues(), id]) };
      }),
    blockers: (id) => database.all<Blocker>(findBlockers, [...timeValues(), id]),
    isLast: async (id) => (await database.get<{ last: number | null }>(lastSql))?.last === id,
    touch: async (id) => (await database.run(`${touchSql} id = ?`, [...timeValues(), id])).changes > 0,
    beat: (given) =>
      database.transaction(async (tx) => {
        for (const id of given) await tx.run(dropSql, [id]);
        await tx.run(`${touchSql} owner = ?`, [...timeValues(), owner]);
        const rows = await tx.all<{ id: number }>("SELECT id FROM lock_tickets WHERE owner = ?", [owner]);
        return new Set(rows.map(({ id }) => id));
      }),
    async dropSilent({ id, heartbeat }) {
      await database.run(`${dropSql} AND heartbeat = ?`, [id, heartbeat]);
    },
    async list() {
      const rows = await database.all<Omit<LockInfo, "tree"> & { tree: number }>(listSql);
      return rows.map((row) => ({ ...row, tree: row.tree === 1 }));
    },
  };
}

const insertKeys = createInsert({ table: "lock_keys", columns: ["ticket", "key", "exclusive", "tree"] });

function* toKeyRows(id: number, requests: readonly LockRequest[]): Generator<readonly SqlValue[]> {
  for (const { key, mode, tree } of requests)
    yield [id, normalKey(key), mode === "exclusive" ? 1 : 0, tree === true ? 1 : 0];
}

export const dropSql = "DELETE FROM lock_tickets WHERE id = ?";

/** Whether a ticket is in the queue, as a transaction sees it. */
export const standingSql = "SELECT 1 AS one FROM lock_tickets WHERE id = ?";

const lastSql = "SELECT max(id) AS last FROM lock_tickets";

const blockersSql = (time: string): string => `
  SELECT t.id, t.owner, t.pid, t.heartbeat, ${time} - t.heartbeat AS silent_ms, o.key
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

/** Milliseconds of a steady clock that all processes of this running system share; it never jumps. */
function sharedSteadyTime(): number {
  return Number(process.hrtime.bigint() / 1_000_000n);
}
