import { ToolUnavailableError } from "../contract/errors.js";
import type { Clock } from "../contract/ports/clock.js";
import { connectSqlite } from "./sqlite-driver.js";
import type { SqliteConnection, SqliteStatement, SqlValue } from "./sqlite-driver.js";
import { isBusy, isCorrupt, toStateError } from "./state-error.js";

/**
 * A thin typed layer over prepared statements. The statements are plain SQL that PostgreSQL takes too;
 * a query builder was measured at 200 ms of start-up, more than all the rest together.
 */
export interface Database {
  readonly file: string;
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the SQL text decides the row's type
  get<Row>(sql: string, ...parameters: SqlValue[]): Row | undefined;
  all<Row>(sql: string, ...parameters: SqlValue[]): Row[];
  /** Run a statement; returns how many rows changed. Only inside `write`. */
  run(sql: string, ...parameters: SqlValue[]): number;
  /** Run an insert; returns the new row's id. Only inside `write`. */
  insert(sql: string, ...parameters: SqlValue[]): number;
  /** One transaction. `durable`: synced to disk before it resolves, not only handed to the system. */
  write<Result>(body: () => Result, options?: { readonly durable?: boolean }): Promise<Result>;
  /** Run statements as they are, outside any transaction of `write`. */
  exec(sql: string): void;
  close(): void;
}

export interface DatabaseOptions {
  readonly file: string;
  readonly clock: Clock;
  /** Told when a query meets damage, so that the next start can look closely. */
  readonly onCorrupt?: () => void;
}

// A writer holds the lock for microseconds. Waiting inside SQLite blocks the event loop, so it is
// short, and the rest of the patience is spent between turns of the loop.
const busyTimeoutMs = 50;
const busyPatienceMs = 15_000;

/** Open a database file: write-ahead log, foreign keys, checked by nobody yet. */
export function openDatabase({ file, clock, onCorrupt }: DatabaseOptions): Database {
  const connection = connectSqlite(file);
  const statements = new Map<string, SqliteStatement>();
  let open = true;

  const guarded = <Result>(body: () => Result): Result => {
    if (!open) throw closedError();
    try {
      return body();
    } catch (error) {
      if (isCorrupt(error)) onCorrupt?.();
      throw toStateError(error, file);
    }
  };
  const prepare = (sql: string): SqliteStatement => {
    const known = statements.get(sql);
    if (known) return known;
    const statement = connection.prepare(sql);
    statements.set(sql, statement);
    return statement;
  };
  return {
    file,
    // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the SQL text decides the row's type
    get: <Row>(sql: string, ...parameters: SqlValue[]) =>
      guarded(() => prepare(sql).get(...parameters) as Row | undefined),
    all: <Row>(sql: string, ...parameters: SqlValue[]) =>
      guarded(() => prepare(sql).all(...parameters) as Row[]),
    run: (sql, ...parameters) => guarded(() => Number(prepare(sql).run(...parameters).changes)),
    insert: (sql, ...parameters) => guarded(() => Number(prepare(sql).run(...parameters).lastInsertRowid)),
    exec: (sql) => guarded(() => connection.exec(sql)),
    write: (body, options = {}) =>
      patiently(
        () => {
          if (!open) throw closedError();
          return transaction(connection, body, options.durable ?? false);
        },
        { file, clock },
      ),
    close() {
      if (!open) return;
      open = false;
      statements.clear();
      connection.close();
    },
  };
}

/** Settings of a connection; the first of them turns a new file into one with a write-ahead log. */
export const connectionSettings = `
  PRAGMA busy_timeout = ${busyTimeoutMs};
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;
  PRAGMA foreign_keys = ON;
  PRAGMA trusted_schema = OFF;
  PRAGMA journal_size_limit = 8388608;
`;

/** Try again while another process writes, with the event loop free in between. */
export async function patiently<Result>(attempt: () => Result, options: DatabaseOptions): Promise<Result> {
  const deadline = options.clock.monotonic() + busyPatienceMs;
  for (let wait = 1; ; wait = Math.min(wait * 2, 100)) {
    try {
      return attempt();
    } catch (error) {
      if (!isBusy(error) || options.clock.monotonic() > deadline) throw toStateError(error, options.file);
      await options.clock.sleep(wait);
    }
  }
}

function transaction<Result>(connection: SqliteConnection, body: () => Result, durable: boolean): Result {
  if (durable) connection.exec("PRAGMA synchronous = FULL");
  try {
    connection.exec("BEGIN IMMEDIATE");
    try {
      const result = body();
      connection.exec("COMMIT");
      return result;
    } catch (error) {
      rollback(connection);
      throw error;
    }
  } finally {
    if (durable) connection.exec("PRAGMA synchronous = NORMAL");
  }
}

function rollback(connection: SqliteConnection): void {
  try {
    connection.exec("ROLLBACK");
  } catch {
    // SQLite has rolled back by itself already (full disk, I/O error); the first error counts.
  }
}

function closedError(): ToolUnavailableError {
  return new ToolUnavailableError("The state is closed.", {
    code: "RUNTIME_CLOSED",
    hint: "Open it again.",
    retryable: false,
  });
}
