import { statSync } from "node:fs";
import { ToolUnavailableError } from "../contract/errors.js";
import type { Clock } from "../contract/ports/clock.js";
import { isWrite, refuseNul, writeRefused } from "./sql-text.js";
import type { Sql, SqlDatabase, SqlValue } from "./sql.js";
import {
  connectSqlite,
  endStatements,
  type SqliteConnection,
  type SqliteStatement,
} from "./sqlite-driver.js";
import { closedError, isCorrupt, overError, toStateError } from "./state-error.js";
import { createMutex, type Mutex } from "./mutex.js";
import { patiently, type Busy } from "./patiently.js";

/** A database file, for callers that depend on that. */
export interface SqliteDatabase extends SqlDatabase {
  readonly dialect: "sqlite";
  /** Run statements as they are, at once. */
  exec(sql: string): void;
}

export interface SqliteOptions {
  readonly file: string;
  readonly clock: Clock;
  /** How long a call waits for another process that writes. @default 9000 */
  readonly patienceMs?: number | undefined;
  /** Told when a query meets damage, so that the next start can look closely. */
  readonly onCorrupt?: () => void;
}

// A writer holds the lock for microseconds. Waiting inside SQLite blocks the event loop, and with it a
// writer of this same process, so it is short; the rest of the patience is spent between turns of the loop.
const busyTimeoutMs = 2;

/** Settings of a connection; the second of them turns a new file into one with a write-ahead log. */
export const connectionSettings = `
  PRAGMA busy_timeout = ${busyTimeoutMs};
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;
  PRAGMA foreign_keys = ON;
  PRAGMA trusted_schema = OFF;
  PRAGMA journal_size_limit = 8388608;
  PRAGMA temp_store = MEMORY;
`;

/** Open a database file. The caller applies its settings and checks it. */
export function openSqlite(options: SqliteOptions): SqliteDatabase {
  const connection = connectSqlite(options.file);
  const parts: Parts = {
    ...options,
    connection,
    turns: createMutex(),
    prepared: new Map(),
    busy: { since: undefined },
    identity: identityOf(options.file),
    open: true,
  };
  return {
    ...createSql((...statement) => patiently(() => inTurn(parts, statement), parts)),
    dialect: "sqlite",
    name: options.file,
    exec(sql) {
      if (!parts.open) throw closedError();
      try {
        connection.exec(sql);
      } catch (error) {
        throw toGuarded(parts, error);
      }
    },
    transaction: (work, { durable = false } = {}) =>
      transaction(parts, work, { durable, within: "transaction" }),
    snapshot: (work) => transaction(parts, work, { durable: false, within: "snapshot" }),
    async close() {
      await parts.turns.enter();
      try {
        if (!parts.open) return;
        parts.open = false;
        const hasStatements = parts.prepared.size > 0;
        parts.prepared.clear();
        connection.close();
        if (hasStatements) await endStatements();
      } finally {
        parts.turns.leave();
      }
    },
  };
}

interface Parts extends SqliteOptions {
  readonly connection: SqliteConnection;
  /** Held by the transaction that is under way. */
  readonly turns: Mutex;
  readonly prepared: Map<string, Prepared>;
  readonly busy: Busy;
  /** Which file was opened; nothing where there is none. */
  readonly identity: string | undefined;
  open: boolean;
}

/** How a statement is run: for its first row, for all rows, or for the number of changed rows. */
type Wanted = "get" | "all" | "run";

/** Runs a prepared statement, alone or within a transaction. */
type Execute = (wanted: Wanted, sql: string, parameters: readonly SqlValue[]) => Promise<unknown>;

const none: readonly SqlValue[] = [];

function createSql(execute: Execute): Sql {
  return {
    dialect: "sqlite",
    // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the SQL text decides the row's type
    get: <Row>(sql: string, parameters = none) => execute("get", sql, parameters) as Promise<Row | undefined>,
    all: <Row>(sql: string, parameters = none) => execute("all", sql, parameters) as Promise<Row[]>,
    run: (sql, parameters = none) => execute("run", sql, parameters) as ReturnType<Sql["run"]>,
  };
}

/** A statement of the connection, and whether it may change something. */
interface Prepared {
  readonly statement: SqliteStatement;
  readonly writes: boolean;
}

function prepare({ prepared, connection }: Parts, sql: string): Prepared {
  const known = prepared.get(sql);
  if (known) return known;
  const made = { statement: connection.prepare(sql), writes: isWrite(sql) };
  prepared.set(sql, made);
  return made;
}

/** Where a statement runs: by itself, in a transaction, or in a snapshot of the data. */
type Within = "alone" | "transaction" | "snapshot";

/** Run a statement at once. */
function step(
  parts: Parts,
  within: Within,
  [wanted, sql, parameters]: readonly [Wanted, string, readonly SqlValue[]],
): unknown {
  if (!parts.open) throw closedError();
  try {
    refuseNul(parameters);
    const { statement, writes } = prepare(parts, sql);
    if (writes && within !== "transaction" && (wanted !== "run" || within === "snapshot"))
      throw writeRefused(sql);
    if (wanted === "all") return statement.all(...parameters);
    // A write is stepped to its end: its error may come after its first row.
    if (wanted === "get") return writes ? statement.all(...parameters)[0] : statement.get(...parameters);
    if (writes && within === "alone") return committed(parts, () => changesOf(statement, parameters));
    return changesOf(statement, parameters);
  } catch (error) {
    throw toGuarded(parts, error);
  }
}

function changesOf(statement: SqliteStatement, parameters: readonly SqlValue[]): { changes: number } {
  return { changes: Number(statement.run(...parameters).changes) };
}

/** Run a statement in a transaction of its own, whose end tells whether it was kept. */
function committed<Result>(parts: Parts, body: () => Result): Result {
  const { connection } = parts;
  connection.exec("BEGIN IMMEDIATE");
  parts.busy.since = undefined;
  try {
    const result = body();
    refuseLost(parts);
    connection.exec("COMMIT");
    return result;
  } catch (error) {
    rollBack(connection);
    throw error;
  }
}

/** Which file a path names now; `undefined` where there is none. */
function identityOf(file: string): string | undefined {
  const found = statSync(file, { throwIfNoEntry: false });
  return found && `${found.dev} ${found.ino}`;
}

/** SQLite goes on writing to a file that was deleted or replaced under it, where nobody ever finds the rows. */
function refuseLost({ file, identity }: { file: string; identity: string | undefined }): void {
  if (identity === undefined || identityOf(file) === identity) return;
  throw new ToolUnavailableError(`The state ${file} was removed or replaced while it was open.`, {
    code: "STATE_UNAVAILABLE",
    hint: "Put it back, or start Tenon again. Nothing was changed.",
    retryable: false,
  });
}

/** Run a statement of its own, behind the transaction that is under way. */
function inTurn(parts: Parts, statement: readonly [Wanted, string, readonly SqlValue[]]): unknown {
  if (!parts.turns.taken) return step(parts, "alone", statement);
  return (async () => {
    await parts.turns.enter();
    try {
      return step(parts, "alone", statement);
    } finally {
      parts.turns.leave();
    }
  })();
}

interface Begin {
  readonly durable: boolean;
  readonly within: "transaction" | "snapshot";
}

async function transaction<Result>(
  parts: Parts,
  work: (tx: Sql) => Promise<Result>,
  { durable, within }: Begin,
): Promise<Result> {
  await patiently(() => begin(parts, { durable, within }), parts);
  let over = false;
  const execute: Execute = async (...statement) => {
    if (over) throw overError();
    return step(parts, within, statement);
  };
  try {
    if (within === "transaction") parts.busy.since = undefined;
    const result = await work(createSql(execute));
    over = true;
    commit(parts, within);
    return result;
  } catch (error) {
    over = true;
    rollBack(parts.connection);
    throw error;
  } finally {
    leaveTransaction(parts, durable);
  }
}

async function begin(parts: Parts, { durable, within }: Begin): Promise<void> {
  const { connection, turns } = parts;
  // Not across the wait for another process: reads of this one go on meanwhile.
  await turns.enter();
  try {
    if (!parts.open) throw closedError();
    if (durable) connection.exec("PRAGMA synchronous = FULL");
    // A reader's view begins with its first read, not before.
    connection.exec(
      within === "transaction" ? "BEGIN IMMEDIATE" : "BEGIN; SELECT 1 FROM sqlite_master LIMIT 1",
    );
  } catch (error) {
    rollBack(connection);
    leaveTransaction(parts, durable);
    throw toGuarded(parts, error);
  }
}

function commit(parts: Parts, within: Begin["within"]): void {
  if (!parts.open) throw closedError();
  try {
    if (within === "transaction") refuseLost(parts);
    parts.connection.exec("COMMIT");
  } catch (error) {
    throw toGuarded(parts, error);
  }
}

function leaveTransaction({ connection, turns, open }: Parts, durable: boolean): void {
  try {
    if (durable && open) connection.exec("PRAGMA synchronous = NORMAL");
  } finally {
    turns.leave();
  }
}

function rollBack(connection: SqliteConnection): void {
  try {
    connection.exec("ROLLBACK");
  } catch {
    // SQLite has rolled back by itself already (full disk, I/O error); the first error counts.
  }
}

/** An error of the driver as one of the state; one that tells of damage is passed on. */
function toGuarded(parts: Parts, error: unknown): Error {
  if (isCorrupt(error)) parts.onCorrupt?.();
  return toStateError(error, parts.file);
}
