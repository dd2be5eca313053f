import { ToolInternalError, ToolUnavailableError } from "../contract/errors.js";
import type { Clock } from "../contract/ports/clock.js";
import { identityOf, refuseLost } from "./file-identity.js";
import { isWrite, refuseNul, refuseWrite } from "./sql-text.js";
import type { Sql, SqlDatabase, SqlValue } from "./sql.js";
import {
  connectSqlite,
  endStatements,
  type SqliteConnection,
  type SqliteStatement,
} from "./sqlite-driver.js";
import { isBusy, isCorrupt, toStateError } from "./state-error.js";
import { createMutex, type Mutex } from "./mutex.js";

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
const defaultPatienceMs = 9_000;
/** How long a call waits where others have waited in vain before it. */
const leastPatienceMs = 500;

/** Settings of a connection; the second of them turns a new file into one with a write-ahead log. */
export const connectionSettings = `
  PRAGMA busy_timeout = ${busyTimeoutMs};
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;
  PRAGMA foreign_keys = ON;
  PRAGMA trusted_schema = OFF;
  PRAGMA journal_size_limit = 8388608;
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
    ...createSql((body) => patiently(() => inTurn(parts, body), parts), parts, "alone"),
    dialect: "sqlite",
    name: options.file,
    exec: (sql) => guarded(parts, () => connection.exec(sql)),
    transaction: (work, { durable = false } = {}) =>
      transaction(parts, work, { durable, begin: "BEGIN IMMEDIATE" }),
    snapshot: (work) => transaction(parts, work, { durable: false, begin: "BEGIN" }),
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
  readonly prepared: Map<string, SqliteStatement>;
  readonly busy: Busy;
  /** Which file was opened; nothing where there is none. */
  readonly identity: string | undefined;
  open: boolean;
}

type Around = <Result>(body: () => Result) => Promise<Result>;

/** Where statements stand: each for itself, in a transaction, or among reads of one state of the data. */
type Within = "alone" | "transaction" | "snapshot";

/** Statements of one connection, each run at once within what is around it. */
function createSql(around: Around, parts: Parts, within: Within): Sql {
  const prepare = (sql: string, parameters: readonly SqlValue[]): SqliteStatement => {
    refuseNul(parameters);
    const known = parts.prepared.get(sql);
    if (known) return known;
    const statement = parts.connection.prepare(sql);
    parts.prepared.set(sql, statement);
    return statement;
  };
  const none: readonly SqlValue[] = [];
  const read = (sql: string, parameters: readonly SqlValue[]): unknown[] => {
    if (within !== "transaction") refuseWrite(sql);
    return prepare(sql, parameters).all(...parameters);
  };
  const first = (sql: string, parameters: readonly SqlValue[]): unknown => {
    // A write is stepped to its end: its error may come after its first row.
    if (isWrite(sql)) return read(sql, parameters)[0];
    return prepare(sql, parameters).get(...parameters);
  };
  const change = (sql: string, parameters: readonly SqlValue[]): { changes: number } => {
    if (within === "snapshot") refuseWrite(sql);
    const statement = prepare(sql, parameters);
    const run = (): { changes: number } => ({ changes: Number(statement.run(...parameters).changes) });
    return within === "alone" && isWrite(sql) ? committed(parts, run) : run();
  };
  return {
    dialect: "sqlite",
    // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the SQL text decides the row's type
    get: <Row>(sql: string, parameters = none) => around(() => first(sql, parameters) as Row | undefined),
    all: <Row>(sql: string, parameters = none) => around(() => read(sql, parameters) as Row[]),
    run: (sql, parameters = none) => around(() => change(sql, parameters)),
  };
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

/** Run something that does not wait, behind the transaction that is under way. */
function inTurn<Result>(parts: Parts, body: () => Result): Result | Promise<Result> {
  if (!parts.turns.taken) return guarded(parts, body);
  return (async () => {
    await parts.turns.enter();
    try {
      return guarded(parts, body);
    } finally {
      parts.turns.leave();
    }
  })();
}

interface Begin {
  readonly durable: boolean;
  readonly begin: "BEGIN" | "BEGIN IMMEDIATE";
}

async function transaction<Result>(
  parts: Parts,
  work: (tx: Sql) => Promise<Result>,
  { durable, begin }: Begin,
): Promise<Result> {
  const { connection, turns } = parts;
  await patiently(async () => {
    // Not across the wait for another process: reads of this one go on meanwhile.
    await turns.enter();
    try {
      guarded(parts, () => {
        if (durable) connection.exec("PRAGMA synchronous = FULL");
        connection.exec(begin);
        // A reader's view begins with its first read, not before.
        if (begin === "BEGIN") connection.exec("SELECT 1 FROM sqlite_master LIMIT 1");
      });
    } catch (error) {
      rollBack(connection);
      leaveTransaction(parts, durable);
      throw error;
    }
  }, parts);
  let over = false;
  const around: Around = async (body) => {
    if (over) throw overError();
    return guarded(parts, body);
  };
  try {
    const within = begin === "BEGIN" ? "snapshot" : "transaction";
    if (within === "transaction") parts.busy.since = undefined;
    const result = await work(createSql(around, parts, within));
    over = true;
    guarded(parts, () => {
      if (within === "transaction") refuseLost(parts);
      connection.exec("COMMIT");
    });
    return result;
  } catch (error) {
    over = true;
    rollBack(connection);
    throw error;
  } finally {
    leaveTransaction(parts, durable);
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

/** Since when another process has held the file, by the steady clock, with no write of this one in between. */
export interface Busy {
  since: number | undefined;
}

type Patience = Pick<SqliteOptions, "file" | "clock" | "patienceMs"> & { readonly busy?: Busy };

/** Try again while another process writes. All waiting calls give up together; later ones give up sooner. */
export async function patiently<Result>(
  attempt: () => Result | Promise<Result>,
  { file, clock, patienceMs = defaultPatienceMs, busy = { since: undefined } }: Patience,
): Promise<Result> {
  let least: number | undefined;
  for (let wait = 1; ; wait = Math.min(wait * 2, 100)) {
    try {
      const result = await attempt();
      if (least !== undefined) busy.since = undefined;
      return result;
    } catch (error) {
      if (!isBusy(error)) throw toStateError(error, file);
      // The clock is looked at only where there is something to wait for: its first look costs milliseconds.
      const now = clock.monotonic();
      least ??= now + Math.min(leastPatienceMs, patienceMs);
      busy.since ??= now;
      if (now > Math.max(least, busy.since + patienceMs)) throw toStateError(error, file);
      await clock.sleep(wait);
    }
  }
}

function guarded<Result>(parts: Parts, body: () => Result): Result {
  if (!parts.open) throw closedError();
  try {
    return body();
  } catch (error) {
    if (isCorrupt(error)) parts.onCorrupt?.();
    throw toStateError(error, parts.file);
  }
}

/** The state was closed before. */
export function closedError(): ToolUnavailableError {
  return new ToolUnavailableError("The state is closed.", {
    code: "RUNTIME_CLOSED",
    hint: "Open it again.",
    retryable: false,
  });
}

/** A transaction's handle was kept beyond its end. */
export function overError(): ToolInternalError {
  return new ToolInternalError("A transaction was used after its end.", {
    code: "INTERNAL",
    hint: "Await every statement inside the transaction's work.",
  });
}
