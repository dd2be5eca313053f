import type pg from "pg";
import { codeOf } from "./postgres-error.js";

export interface BeginOptions {
  /** The number of the schema's writers in the server's advisory locks. */
  readonly lock: string;
  /** How long to wait for the other writers. */
  readonly lockTimeoutMs: number;
  readonly durable?: boolean;
}

/** A row that is written with a commit, so that its success can be checked later. */
export interface CommitToken {
  /** Which opening of the database commits. */
  readonly owner: string;
  /** Which of its commits it is. */
  readonly number: number;
  readonly time: number;
}

/** Begin a transaction that no other writer of the schema comes between. */
export async function beginWrite(client: pg.PoolClient, options: BeginOptions): Promise<void> {
  await client.query(`
    BEGIN ISOLATION LEVEL READ COMMITTED;
    ${options.durable === true ? "SET LOCAL synchronous_commit = on;" : ""}
    SET LOCAL lock_timeout = ${Math.max(1, Math.ceil(options.lockTimeoutMs))};
    SELECT pg_advisory_xact_lock(${options.lock})`);
}

/** End a transaction, with its token in it; `false` where the server had given it up before. */
export async function commitWrite(
  client: pg.PoolClient,
  { owner, number, time }: CommitToken,
): Promise<boolean> {
  const results = (await client.query(`
    ${number === 1 ? forgetTokensSql : ""}
    INSERT INTO meta (key, value) VALUES ('${tokenKey(owner)}', '${number}:${time}')
      ON CONFLICT (key) DO UPDATE SET value = excluded.value;
    COMMIT`)) as unknown as pg.QueryResult[];
  return results.at(-1)?.command === "COMMIT";
}

/**
 * Whether a transaction whose connection broke was committed. The lock is had only when that one is over; a
 * transaction number would not do, as a server that fell gives those out again that it had not written down.
 */
export async function wasCommitted(
  client: pg.PoolClient,
  { token, ...options }: BeginOptions & { readonly token: CommitToken },
): Promise<boolean> {
  await beginWrite(client, options);
  const found = await valueOf(client, token.owner);
  await client.query("ROLLBACK");
  return found?.split(":")[0] === String(token.number);
}

async function valueOf(client: pg.PoolClient, owner: string): Promise<string | undefined> {
  try {
    const sql = "SELECT value FROM meta WHERE key = $1";
    return (await client.query<{ value: string }>(sql, [tokenKey(owner)])).rows[0]?.value;
  } catch (error) {
    // The transaction was to make the very table.
    if (codeOf(error) === "42P01") return undefined;
    throw error;
  }
}

/** Forget the tokens of openings that committed nothing for a day, by the server's clock. */
const forgetTokensSql = `DELETE FROM meta WHERE key LIKE 'commit:%'
  AND CAST(split_part(value, ':', 2) AS BIGINT) < extract(epoch FROM clock_timestamp()) * 1000 - 86400000;`;

function tokenKey(owner: string): string {
  return `commit:${owner}`;
}
