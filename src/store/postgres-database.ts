import type pg from "pg";
import { ToolInternalError } from "../contract/errors.js";
import type { Clock } from "../contract/ports/clock.js";
import type { PostgresPool } from "./postgres-driver.js";
import { codeOf, isCollision, isLost, toPostgresError } from "./postgres-error.js";
import { isWrite, refuseNul, toNumbered } from "./sql-text.js";
import type { Sql, SqlDatabase, SqlValue } from "./sql.js";
import { closedError, overError } from "./sqlite-database.js";
import { createTurns } from "./turns.js";
import type { Turns } from "./turns.js";

export interface PostgresOptions {
  readonly pool: PostgresPool;
  readonly clock: Clock;
}

// A server that restarts is back within seconds; longer than that a call should not hang.
const patienceMs = 10_000;

/**
 * One workspace's schema on a PostgreSQL server. Writers take turns by a lock of the server, as they do in
 * a file: the same statements have the same outcome in both, and nothing has to be run twice for order's sake.
 */
export function openPostgresDatabase({ pool, clock }: PostgresOptions): SqlDatabase {
  const parts: Parts = { pool, clock, turns: createTurns(), texts: new Map(), open: true };
  const query: Query = (sql, parameters) =>
    isWrite(sql)
      ? transaction(parts, (tx) => tx(sql, parameters), { durable: false })
      : again(parts, () => onClient(parts, (client) => runOn(parts, client, { sql, parameters })));
  return {
    ...createSql(query),
    name: pool.name,
    transaction: (work, { durable = false } = {}) =>
      transaction(parts, (tx) => work(createSql(tx)), { durable }),
    snapshot: (work) => again(parts, () => snapshot(parts, work)),
    async close() {
      if (!parts.open) return;
      parts.open = false;
      await pool.end();
    },
  };
}

interface Parts extends PostgresOptions {
  /** Writers of this process queue here, with no connection in their hands. */
  readonly turns: Turns;
  /** Statements as PostgreSQL wants them, by how they are written. */
  readonly texts: Map<string, string>;
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
  { texts }: Parts,
  client: pg.PoolClient,
  { sql, parameters }: Statement,
): Promise<pg.QueryResult> {
  refuseNul(parameters);
  let text = texts.get(sql);
  if (text === undefined) texts.set(sql, (text = toNumbered(sql)));
  return client.query(text, [...parameters]);
}

async function onClient<Result>(
  { pool }: Parts,
  work: (client: pg.PoolClient) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect();
  let broken = false;
  try {
    return await work(client);
  } catch (error) {
    broken = isLost(error);
    throw error;
  } finally {
    client.release(broken);
  }
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
  } catch (error) {
    if (!isLost(error)) await client.query("ROLLBACK");
    throw error;
  } finally {
    over = true;
  }
}

function snapshot<Result>(parts: Parts, work: (tx: Sql) => Promise<Result>): Promise<Result> {
  return onClient(parts, async (client) => {
    // Whoever reads at leisure is in nobody's way.
    await client.query(`BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;
      SET LOCAL idle_in_transaction_session_timeout = 0`);
    const result = await within(parts, client, (tx) => work(createSql(tx)));
    await client.query("COMMIT");
    return result;
  });
}

async function transaction<Result>(
  parts: Parts,
  work: (tx: Query) => Promise<Result>,
  options: { readonly durable: boolean },
): Promise<Result> {
  await parts.turns.enter();
  try {
    return await again(parts, () => write(parts, work, options));
  } finally {
    parts.turns.leave();
  }
}

async function write<Result>(
  parts: Parts,
  work: (tx: Query) => Promise<Result>,
  { durable }: { readonly durable: boolean },
): Promise<Result> {
  let number: string | undefined;
  let result: { readonly of: Result } | undefined;
  try {
    return await onClient(parts, async (client) => {
      const begun = await client.query<{ number: string }>(beginning(parts.pool, durable));
      number = (begun as unknown as pg.QueryResult<{ number: string }>[]).at(-1)?.rows[0]?.number;
      const done = await within(parts, client, work);
      result = { of: done };
      const { command } = await client.query("COMMIT");
      if (command !== "COMMIT") throw swallowedError();
      return done;
    });
  } catch (error) {
    if (result === undefined || number === undefined || !isLost(error)) throw error;
    // The connection broke while committing: only the server knows whether it did.
    if (await wasCommitted(parts, number)) return result.of;
    throw error;
  }
}

function beginning({ writeLock }: PostgresPool, durable: boolean): string {
  return `
    BEGIN ISOLATION LEVEL READ COMMITTED;
    ${durable ? "SET LOCAL synchronous_commit = on;" : ""}
    SELECT pg_advisory_xact_lock(${writeLock});
    SELECT pg_current_xact_id()::text AS number`;
}

async function wasCommitted(parts: Parts, number: string): Promise<boolean> {
  return again(parts, async () => {
    const status = await statusOf(parts, number);
    if (status === "in progress") throw Object.assign(new Error("its end is awaited"), { code: "08007" });
    return status === "committed";
  });
}

async function statusOf(parts: Parts, number: string): Promise<string | null | undefined> {
  try {
    const { rows } = await onClient(parts, (client) =>
      client.query<{ status: string | null }>("SELECT pg_xact_status($1::xid8) AS status", [number]),
    );
    return rows[0]?.status;
  } catch (error) {
    // "In the future": nothing of it was on disk when the server fell, and its number is given out anew.
    if (codeOf(error) === "22023") return "aborted";
    throw error;
  }
}

/** Run something again where the connection was lost under it, or another transaction was in the way. */
async function again<Result>(parts: Parts, attempt: () => Promise<Result>): Promise<Result> {
  const { clock, pool } = parts;
  const started = clock.monotonic();
  for (let wait = 10; ; wait = Math.min(wait * 2, 500)) {
    if (!parts.open) throw closedError();
    try {
      return await attempt();
    } catch (error) {
      const passing = isLost(error) || isCollision(error);
      if (!passing || clock.monotonic() > started + patienceMs) throw toPostgresError(error, pool.name);
      await clock.sleep(wait);
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
