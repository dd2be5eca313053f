import { randomUUID } from "node:crypto";
import type pg from "pg";
import { ToolInternalError } from "../contract/errors.js";
import type { Clock } from "../contract/ports/clock.js";
import { createCircuit, type Circuit } from "./postgres-circuit.js";
import { beginWrite, commitWrite, wasCommitted } from "./postgres-commit.js";
import { maxLockWait, type PostgresPool } from "./postgres-driver.js";
import {
  isCollision,
  isCrowded,
  isLost,
  timeoutError,
  toPostgresError,
  unknownCommitError,
} from "./postgres-error.js";
import { closedError, overError } from "./state-error.js";
import { isWrite, refuseNul, toNumbered, writeRefused } from "./sql-text.js";
import type { Sql, SqlDatabase, SqlValue } from "./sql.js";
import { createMutex, type Mutex } from "./mutex.js";

export interface PostgresOptions {
  readonly pool: PostgresPool;
  readonly clock: Clock;
}

/**
 * One workspace's schema on a PostgreSQL server. Writers take turns by a lock of the server, as they do in
 * a file: the same statements have the same outcome in both, and nothing has to be run twice for order's sake.
 * Nothing waits longer than the pool's patience for a turn, a connection or an answer.
 */
export function openPostgresDatabase({ pool, clock }: PostgresOptions): SqlDatabase {
  const probe = async (): Promise<void> => {
    const client = await pool.connect();
    await client.query("SELECT 1").then(
      () => client.release(),
      (error: unknown) => {
        client.release(true);
        throw error;
      },
    );
  };
  const circuit = createCircuit({ clock, probe });
  const parts: Parts = {
    pool,
    clock,
    circuit,
    turns: createMutex(),
    texts: new Map(),
    self: randomUUID(),
    commits: 0,
    answeredAt: clock.monotonic(),
    open: true,
  };
  const read: Query = (sql, parameters) =>
    again(parts, (until) => onClient(parts, until, (client) => runOn(parts, client, { sql, parameters })));
  const query: Query = (sql, parameters) =>
    isWrite(sql)
      ? transaction(parts, (tx) => tx(sql, parameters), { durable: false })
      : read(sql, parameters);
  const readOnly: Query = async (sql, parameters) => {
    if (isWrite(sql)) throw writeRefused(sql);
    return read(sql, parameters);
  };
  return {
    ...createSql(readOnly),
    run: (sql, parameters) => createSql(query).run(sql, parameters),
    name: pool.name,
    transaction: (work, { durable = false } = {}) =>
      transaction(parts, (tx) => work(createSql(tx)), { durable }),
    snapshot: (work) => again(parts, (until) => snapshot(parts, until, work)),
    async close() {
      if (!parts.open) return;
      parts.open = false;
      circuit.close();
      await pool.end();
    },
  };
}

interface Parts extends PostgresOptions {
  readonly circuit: Circuit;
  /** Writers of this process queue here, with no connection in their hands. */
  readonly turns: Mutex;
  /** Statements as PostgreSQL wants them, by how they are written. */
  readonly texts: Map<string, string>;
  /** Stands for this opening among all that write there. */
  readonly self: string;
  /** How many commits were tried: the number of each is written with it. */
  commits: number;
  /** When the server last answered anything, by the steady clock. */
  answeredAt: number;
  open: boolean;
}

type Query = (sql: string, parameters: readonly SqlValue[]) => Promise<pg.QueryResult>;

function createSql(query: Query): Sql {
  return {
    dialect: "postgres",
    // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the SQL text decides the row's type
    get: async <Row>(sql: string, parameters: readonly SqlValue[] = []) =>
      (await query(sql, parameters)).rows[0] as Row | undefined,
    all: async <Row>(sql: string, parameters: readonly SqlValue[] = []) =>
      (await query(sql, parameters)).rows as Row[],
    run: async (sql, parameters = []) => ({ changes: (await query(sql, parameters)).rowCount ?? 0 }),
  };
}

interface Statement {
  readonly sql: string;
  readonly parameters: readonly SqlValue[];
}

async function runOn(
  parts: Parts,
  client: pg.PoolClient,
  { sql, parameters }: Statement,
): Promise<pg.QueryResult> {
  refuseNul(parameters);
  let text = parts.texts.get(sql);
  if (text === undefined) parts.texts.set(sql, (text = toNumbered(sql)));
  const result = await client.query(text, [...parameters]);
  parts.answeredAt = parts.clock.monotonic();
  return result;
}

async function onClient<Result>(
  parts: Parts,
  until: number,
  work: (client: pg.PoolClient) => Promise<Result>,
): Promise<Result> {
  const { pool, circuit } = parts;
  const late = (): unknown => toLate(parts, until);
  const client = (await circuit.wait((signal) => pool.connect(signal), { until, late })) as pg.PoolClient;
  let broken = false;
  try {
    return await work(client);
  } catch (error) {
    if (!isLost(error)) parts.answeredAt = parts.clock.monotonic();
    broken = isLost(error) || !(await isUsable(client));
    throw error;
  } finally {
    client.release(broken);
  }
}

/** Whether the server gave any answer in all the time that was waited. */
function toLate({ pool, answeredAt }: Parts, until: number): Error {
  return timeoutError(pool.name, answeredAt > until - pool.patienceMs);
}

/** Whether a connection can go on after an error; a transaction that was under way is over then. */
function isUsable(client: pg.PoolClient): Promise<boolean> {
  return client.query("ROLLBACK").then(
    () => true,
    () => false,
  );
}

/** A transaction's statements, until it is over. */
async function within<Result>(
  parts: Parts,
  client: pg.PoolClient,
  work: (tx: Query) => Promise<Result>,
): Promise<Result> {
  let over = false;
  try {
    return await work(async (sql, parameters) => {
      if (over) throw overError();
      return runOn(parts, client, { sql, parameters });
    });
  } finally {
    over = true;
  }
}

function snapshot<Result>(parts: Parts, until: number, work: (tx: Sql) => Promise<Result>): Promise<Result> {
  return onClient(parts, until, async (client) => {
    // It holds no lock that a writer needs, so it may take its time between two reads.
    await client.query(`BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;
      SET LOCAL idle_in_transaction_session_timeout = 0`);
    const result = await within(parts, client, (tx) => work(createSql(tx)));
    await client.query("COMMIT");
    return result;
  });
}

interface WriteOptions {
  readonly durable: boolean;
}

async function transaction<Result>(
  parts: Parts,
  work: (tx: Query) => Promise<Result>,
  options: WriteOptions,
): Promise<Result> {
  const { turns, circuit, clock, pool } = parts;
  if (!parts.open) throw closedError();
  const until = clock.monotonic() + pool.patienceMs;
  try {
    circuit.check();
    await circuit.wait((signal) => turns.enter(signal), { until, late: () => toLate(parts, until) });
  } catch (error) {
    if (isLost(error)) circuit.open(() => toPostgresError(error, pool.name));
    throw toPostgresError(error, pool.name);
  }
  try {
    return await again(parts, () => write(parts, work, { ...options, until }), until);
  } finally {
    turns.leave();
  }
}

async function write<Result>(
  parts: Parts,
  work: (tx: Query) => Promise<Result>,
  { durable, until }: WriteOptions & { readonly until: number },
): Promise<Result> {
  const { pool, clock } = parts;
  const token = { owner: parts.self, number: (parts.commits += 1), time: clock.now() };
  let result: { readonly of: Result } | undefined;
  try {
    return await onClient(parts, until, async (client) => {
      const lockTimeoutMs = Math.min(until - clock.monotonic(), maxLockWait(pool.patienceMs));
      await beginWrite(client, { lock: pool.writeLock, lockTimeoutMs, durable });
      parts.answeredAt = clock.monotonic();
      const done = await within(parts, client, work);
      result = { of: done };
      if (!(await commitWrite(client, token))) throw swallowedError();
      return done;
    });
  } catch (error) {
    if (result === undefined || !isLost(error)) throw error;
    // The connection broke while committing: only the server knows whether it did.
    const lookUntil = Math.max(until, clock.monotonic() + leastLookMs);
    const look = (): Promise<boolean> =>
      onClient(parts, lookUntil, (client) => {
        const lockTimeoutMs = Math.min(lookUntil - clock.monotonic(), maxLockWait(pool.patienceMs));
        return wasCommitted(client, { lock: pool.writeLock, lockTimeoutMs, token });
      });
    const kept = await again(parts, look, lookUntil).catch(() => undefined);
    if (kept === undefined) throw unknownCommitError(pool.name);
    if (kept) return result.of;
    throw error;
  }
}

const leastLookMs = 1_000;

/** Run something again where the connection was lost under it, or another transaction was in the way. */
async function again<Result>(
  parts: Parts,
  attempt: (until: number) => Promise<Result>,
  until = parts.clock.monotonic() + parts.pool.patienceMs,
): Promise<Result> {
  const { clock, circuit, pool } = parts;
  for (let ms = 10; ; ms = Math.min(ms * 2, 500)) {
    if (!parts.open) throw closedError();
    try {
      circuit.check();
      return await attempt(until);
    } catch (error) {
      const passes = isLost(error) || isCollision(error) || isCrowded(error);
      if (!passes) throw toPostgresError(error, pool.name);
      if (clock.monotonic() + ms >= until) {
        if (isLost(error)) circuit.open(() => toPostgresError(error, pool.name));
        throw toPostgresError(error, pool.name);
      }
      await circuit.wait((signal) => clock.sleep(ms, signal), { until, late: () => error }).catch(() => {});
    }
  }
}

/** The work caught the error of a statement and went on; the server had given the transaction up by then. */
function swallowedError(): ToolInternalError {
  return new ToolInternalError("A transaction could not be committed: a statement in it had failed.", {
    code: "INTERNAL",
    hint: "Report it with the message.",
  });
}
