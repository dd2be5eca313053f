import { ToolUnavailableError } from "../contract/errors.js";
import type { Clock } from "../contract/ports/clock.js";
import { migrate, migrations, refuseNewer, type Versioned } from "./migrations.js";
import { openPostgresDatabase } from "./postgres-database.js";
import { createPostgresPool, type PostgresPool } from "./postgres-driver.js";
import { toPostgresError } from "./postgres-error.js";
import type { Sql, SqlDatabase } from "./sql.js";

export interface OpenPostgresOptions {
  readonly url: string;
  readonly schema: string;
  readonly clock: Clock;
  readonly patienceMs?: number | undefined;
}

const minVersion = 130_000;

/** Open the workspace's schema on a server, begin it where there is none, migrate an old one. */
export async function openPostgres({ clock, ...address }: OpenPostgresOptions): Promise<SqlDatabase> {
  const { schema } = address;
  const pool = createPostgresPool(address);
  const database = openPostgresDatabase({ pool, clock });
  try {
    // Not patient: an address that was never right should be told at once.
    const version = await readServerVersion(pool);
    refuseNewer(version, pool.name);
    if (version !== migrations.length) {
      await database.transaction(async (tx) => {
        await tx.run(`CREATE SCHEMA IF NOT EXISTS ${schema}`);
        await migrate(tx, versionOf(pool.name));
      });
    }
    return database;
  } catch (error) {
    await database.close();
    throw toPostgresError(error, pool.name);
  }
}

/** The version is a row: `meta` comes with the first step of the schema. */
export function versionOf(name: string): Versioned {
  return {
    name,
    version: async (sql) => ((await hasSchema(sql)) ? readVersion(sql) : 0),
    setVersion: async (sql, version) => {
      const text = `INSERT INTO meta (key, value) VALUES ('schema_version', ?)
        ON CONFLICT (key) DO UPDATE SET value = excluded.value`;
      await sql.run(text, [String(version)]);
    },
  };
}

interface ServerInfo {
  version: number;
  encoding: string;
  begun: number;
}

/** Whether the server will do, and the version of the schema there. */
async function readServerVersion(pool: PostgresPool): Promise<number> {
  const client = await pool.connect();
  try {
    const { rows } = await client.query<ServerInfo>(`
      SELECT current_setting('server_version_num')::int AS version,
        current_setting('server_encoding') AS encoding, to_regclass('meta') IS NOT NULL AS begun`);
    const [look] = rows;
    if (look === undefined || look.version < minVersion) throw tooOld(pool.name, look?.version ?? 0);
    if (look.encoding !== "UTF8") throw notUnicode(pool.name, look.encoding);
    if (look.begun !== 1) return 0;
    const found = await client.query<{ value: string }>(
      "SELECT value FROM meta WHERE key = 'schema_version'",
    );
    return Number(found.rows[0]?.value ?? 0);
  } finally {
    client.release();
  }
}

function tooOld(name: string, version: number): ToolUnavailableError {
  return new ToolUnavailableError(
    `The state ${name} cannot be used: the server has PostgreSQL ${Math.floor(version / 10_000)}.`,
    { code: "STATE_UNAVAILABLE", hint: "PostgreSQL 13 or later is required.", retryable: false },
  );
}

function notUnicode(name: string, encoding: string): ToolUnavailableError {
  return new ToolUnavailableError(
    `The state ${name} cannot be used: its database is encoded as ${encoding}.`,
    {
      code: "STATE_UNAVAILABLE",
      hint: "Create a database with ENCODING 'UTF8' for it.",
      retryable: false,
    },
  );
}

async function hasSchema(sql: Sql): Promise<boolean> {
  const row = await sql.get<{ begun: number }>("SELECT to_regclass('meta') IS NOT NULL AS begun");
  return row?.begun === 1;
}

async function readVersion(sql: Sql): Promise<number> {
  const row = await sql.get<{ value: string }>("SELECT value FROM meta WHERE key = 'schema_version'");
  return Number(row?.value ?? 0);
}
