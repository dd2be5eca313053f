import { createRequire } from "node:module";

export type SqlValue = null | number | string | Uint8Array;

/** The part of `node:sqlite` that Tenon uses; `@photostructure/sqlite` has the same. */
export interface SqliteStatement {
  run(...parameters: SqlValue[]): { changes: number | bigint; lastInsertRowid: number | bigint };
  get(...parameters: SqlValue[]): unknown;
  all(...parameters: SqlValue[]): unknown[];
}

export interface SqliteConnection {
  exec(sql: string): void;
  prepare(sql: string): SqliteStatement;
  close(): void;
}

interface SqliteModule {
  readonly DatabaseSync: new (path: string) => SqliteConnection;
}

/** Open a database file with the SQLite inside Node, or the package where Node has none. */
export function connectSqlite(path: string): SqliteConnection {
  const { DatabaseSync } = loadSqlite();
  return new DatabaseSync(path);
}

/** Loaded when first used: it costs 10 ms that many commands never need. */
function loadSqlite(): SqliteModule {
  const require = createRequire(import.meta.url);
  if (!hasBuiltIn(process.versions.node)) return require("@photostructure/sqlite") as SqliteModule;
  return withoutExperimentalWarning(() => require("node:sqlite") as SqliteModule);
}

/** Without a flag since 22.13, and since 23.4 on the line above it. */
export function hasBuiltIn(version: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  if (major === 22) return minor >= 13;
  if (major === 23) return minor >= 4;
  return major > 23;
}

/** Node announces its SQLite as experimental on stderr, where a command's own output goes. */
function withoutExperimentalWarning<Result>(load: () => Result): Result {
  const own = Object.getOwnPropertyDescriptor(process, "emitWarning");
  process.emitWarning = () => {};
  try {
    return load();
  } finally {
    if (own) Object.defineProperty(process, "emitWarning", own);
  }
}
