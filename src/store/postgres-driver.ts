import { createHash } from "node:crypto";
import { createRequire } from "node:module";
import type pg from "pg";
import { settlesWithin } from "../contract/system-clock.js";
import { ToolUnavailableError } from "../contract/errors.js";

export interface PostgresAddress {
  /** With its secrets: never logged, nor part of a message. */
  readonly url: string;
  /** One workspace's schema. */
  readonly schema: string;
  /** Nobody else may have the state open meanwhile. @default false */
  readonly exclusive?: boolean;
  /** How long a call waits for its turn, a connection or an answer, each. @default 9000 */
  readonly patienceMs?: number | undefined;
}

/** Connections to one schema of a server. */
export interface PostgresPool {
  /** The server without its secrets, for people. */
  readonly name: string;
  /** The number of the schema's writers in the server's advisory locks. */
  readonly writeLock: string;
  /** Take a connection; one that comes after the signal fired is given back by itself. */
  connect(signal?: AbortSignal): Promise<pg.PoolClient>;
  /** How long a call waits for its turn, a connection or an answer, each. */
  readonly patienceMs: number;
  end(): Promise<void>;
}

// One writes, the others read; more would only queue in the server.
const maxConnections = 4;

// A server that restarts is back within seconds; what takes longer is told within ten.
const defaultPatienceMs = 9_000;

/** How long to wait for others' locks: the server must tell before its answer is overdue, as if it were down. */
export function maxLockWait(patienceMs: number): number {
  return patienceMs * 0.9;
}

/** Prepare connections; the first one is made when it is needed. */
export function createPostgresPool(address: PostgresAddress): PostgresPool {
  const { url, schema, exclusive = false, patienceMs = defaultPatienceMs } = address;
  const name = publicName(url);
  const { Pool, types } = createRequire(import.meta.url)("pg") as typeof pg;
  const settings = connectionSettings({ schema, exclusive, patienceMs });
  const max = exclusive ? 1 : maxConnections;
  const pool = makeSafely(name, () => {
    return new Pool({
      connectionString: url,
      max,
      connectionTimeoutMillis: patienceMs,
      idleTimeoutMillis: 30_000,
      // A network that swallows packets must not hang a call for ever.
      query_timeout: patienceMs,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
      allowExitOnIdle: true,
      application_name: "tenon",
      types: { getTypeParser: parserOf(types) as typeof types.getTypeParser },
    });
  });
  // A connection that breaks while it is unused is replaced by the next one.
  pool.on("error", () => {});
  const clients = new Set<pg.PoolClient>();
  pool
    .on("connect", (client) => void clients.add(client))
    .on("remove", (client) => void clients.delete(client));
  const ready = new WeakSet<pg.PoolClient>();
  const makeReady = async (client: pg.PoolClient): Promise<pg.PoolClient> => {
    if (ready.has(client)) return client;
    // Its user learns of the end from the query; without a listener the error would end the process.
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
  };
  return {
    name,
    writeLock: lockNumber(`write ${schema}`),
    async connect(signal) {
      const client = await makeReady(await pool.connect());
      if (signal?.aborted !== true) return client;
      client.release();
      throw signal.reason;
    },
    patienceMs,
    end: () => endPool(pool, clients),
  };
}

const maxEndMs = 2_000;

/** A server that does not answer does not say goodbye either: its connections are dropped then. */
async function endPool(pool: pg.Pool, clients: ReadonlySet<pg.PoolClient>): Promise<void> {
  if (await settlesWithin(pool.end(), maxEndMs)) return;
  for (const client of clients) streamOf(client).destroy();
}

function streamOf(client: pg.PoolClient): { destroy(): void } {
  return (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream;
}

// A process that is stopped in the middle of a transaction holds all writers up until then.
const maxIdleMs = 5_000;

/** Each connection marks the state as open, so that it is not replaced meanwhile. */
function connectionSettings({
  schema,
  exclusive,
  patienceMs,
}: Omit<Required<PostgresAddress>, "url">): string {
  const lock = exclusive ? "pg_try_advisory_lock" : "pg_try_advisory_lock_shared";
  return `
    SET search_path TO ${schema};
    SET lock_timeout = '${maxLockWait(patienceMs ?? defaultPatienceMs)}ms';
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
