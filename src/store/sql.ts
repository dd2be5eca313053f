/** What a statement can take as a parameter. Booleans are 0 and 1, JSON is text, times are milliseconds. */
export type SqlValue = null | number | string | Uint8Array;

/** The two databases that the state can live in. */
export type SqlDialect = "sqlite" | "postgres";

/**
 * Statements in the SQL that SQLite and PostgreSQL share: `?` placeholders, `ON CONFLICT … DO UPDATE`. What
 * differs is in `dialect.ts`. Text with a NUL is refused.
 *
 * `get` and `all` read. Only inside a transaction they may also write, with `RETURNING`: the drivers of
 * SQLite drop the error of a commit that comes when a row was read, so that what was read may never have
 * been kept. Elsewhere a write there is refused.
 */
export interface Sql {
  readonly dialect: SqlDialect;
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the SQL text decides the row's type
  get<Row>(sql: string, parameters?: readonly SqlValue[]): Promise<Row | undefined>;
  all<Row>(sql: string, parameters?: readonly SqlValue[]): Promise<Row[]>;
  /** Run a statement; tells how many rows changed. */
  run(sql: string, parameters?: readonly SqlValue[]): Promise<{ readonly changes: number }>;
}

export interface TransactionOptions {
  /** Synced to disk before it resolves, not only handed to the system. @default false */
  readonly durable?: boolean;
}

/** A workspace's database. Statements outside a transaction wait for a running transaction of this process. */
export interface SqlDatabase extends Sql {
  /** What a person knows it by: the file, or the server without its secrets. */
  readonly name: string;
  /**
   * All or nothing, one writer at a time (across processes too). Use only `tx` inside, and wait for
   * nothing but it: the write lock is held meanwhile. The work may be run again where another process was in
   * the way, so it must not leave anything behind outside the database. A statement that fails ends it: do
   * not catch its error and go on.
   */
  transaction<Result>(work: (tx: Sql) => Promise<Result>, options?: TransactionOptions): Promise<Result>;
  /** Several reads of one state of the data. The work may run again if the connection is lost. */
  snapshot<Result>(work: (tx: Sql) => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
}
