import { createRequire } from "node:module";
import { setImmediate as nextTurn } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

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

/**
 * Wait until a connection that was closed is gone, with its descriptors. Node ends the statements of a
 * connection with it; the package has no way to end one but to collect it, and until then the file stays open.
 */
export async function endStatements(): Promise<void> {
  if (hasBuiltIn(process.versions.node)) return;
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  collect();
  // Their ends run in a later turn of the loop.
  await nextTurn();
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
