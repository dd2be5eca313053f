import { createHash } from "node:crypto";
import { createRequire } from "node:module";
import type pg from "pg";
import { ToolUnavailableError } from "../contract/errors.js";

export interface PostgresAddress {
  /** With its secrets: never logged, nor part of a message. */
  readonly url: string;
  /** One workspace's schema. */
  readonly schema: string;
  /** Nobody else may have the state open meanwhile. @default false */
  readonly exclusive?: boolean;
}

/** Connections to one schema of a server. */
export interface PostgresPool {
  /** The server without its secrets, for people. */
  readonly name: string;
  /** Number that stands for the schema's writers in the server's locks. */
  readonly writeLock: string;
  connect(): Promise<pg.PoolClient>;
  end(): Promise<void>;
}

// One writes, the others read; more would only queue in the server.
const mostConnections = 4;

/** Prepare connections; the first one is made when it is needed. */
export function createPostgresPool({ url, schema, exclusive = false }: PostgresAddress): PostgresPool {
  const name = publicName(url);
  const { Pool, types } = createRequire(import.meta.url)("pg") as typeof pg;
  const settings = connectionSettings(schema, exclusive);
  const pool = makeSafely(name, () => {
    return new Pool({
      connectionString: url,
      max: exclusive ? 1 : mostConnections,
      connectionTimeoutMillis: 10_000,
      idleTimeoutMillis: 30_000,
      // A network that swallows packets must not hang a call for ever.
      query_timeout: 120_000,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
      allowExitOnIdle: true,
      application_name: "tenon",
      types: { getTypeParser: parserOf(types) as typeof types.getTypeParser },
    });
  });
  // A connection that dies while nobody uses it is simply replaced by the next one.
  pool.on("error", () => {});
  const ready = new WeakSet<pg.PoolClient>();
  return {
    name,
    writeLock: lockNumber(`write ${schema}`),
    async connect() {
      const client = await pool.connect();
      if (ready.has(client)) return client;
      // Whoever uses it learns of its end from the query; without a listener it would end the process.
      client.on("error", () => {});
      try {
        const results = (await client.query(settings)) as unknown as pg.QueryResult<{ open: number }>[];
        if (results.at(-1)?.rows[0]?.open !== 1) throw openError(name, exclusive);
        ready.add(client);
        return client;
      } catch (error) {
        client.release(true);
        throw error;
      }
    },
    end: () => pool.end(),
  };
}

// A process that is stopped in the middle of a transaction holds all writers up until then.
const maxIdleMs = 5_000;

/** Each connection says that the state is open, so that nobody replaces it meanwhile. */
function connectionSettings(schema: string, exclusive: boolean): string {
  const lock = exclusive ? "pg_try_advisory_lock" : "pg_try_advisory_lock_shared";
  return `
    SET search_path TO ${schema};
    SET lock_timeout = '15s';
    SET idle_in_transaction_session_timeout = '${maxIdleMs}ms';
    SET client_min_messages = warning;
    SELECT ${lock}(${lockNumber(`open ${schema}`)}) AS open`;
}

/** Rows as SQLite gives them: whole numbers as numbers, true and false as 1 and 0. */
function parserOf(types: typeof pg.types) {
  const own = new Map<number, (text: string) => number>([
    [types.builtins.INT8, Number],
    [types.builtins.NUMERIC, Number],
    [types.builtins.BOOL, (text) => (text === "t" ? 1 : 0)],
  ]);
  const usual = types.getTypeParser as (oid: number, format?: "text" | "binary") => (text: string) => unknown;
  return (oid: number, format?: "text" | "binary") => own.get(oid) ?? usual(oid, format);
}

function lockNumber(text: string): string {
  return createHash("sha256").update(`tenon ${text}`).digest().readBigInt64BE(0).toString();
}

/** Where it is, without who one is there. */
function publicName(url: string): string {
  const found = URL.canParse(url) ? new URL(url) : undefined;
  return `postgres://${found?.host ?? ""}${found?.pathname ?? ""}`;
}

function makeSafely<Result>(name: string, make: () => Result): Result {
  try {
    return make();
  } catch {
    // What the parser says holds the address with its password.
    throw new ToolUnavailableError(`The state ${name} cannot be used: its address is malformed.`, {
      code: "STATE_UNAVAILABLE",
      hint: 'Write "database" as postgres://user:password@host:5432/name; percent-encode special characters.',
      retryable: false,
    });
  }
}

function openError(name: string, exclusive: boolean): ToolUnavailableError {
  const what = exclusive ? "is open in another process" : "is being restored by another process";
  return new ToolUnavailableError(`The state ${name} ${what}.`, {
    code: "STATE_BUSY",
    hint: "Wait for it to end and try again.",
  });
}
