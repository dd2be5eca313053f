import { linkSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { errnoOf } from "../contract/errno.js";
import type { Clock } from "../contract/ports/clock.js";
import { migrate } from "./migrations.js";
import { openFile, versionOf } from "./open-file.js";
import type { SqlDatabase } from "./sql.js";
import { connectionSettings, openSqlite } from "./sqlite-database.js";
import { workspaceKey } from "./state-dir.js";
import { toStateError } from "./state-error.js";

export interface OpenDatabaseOptions {
  /** "sqlite", ":memory:" or postgres://… */
  readonly address: string;
  /** The private directory of the workspace's state. */
  readonly dir: string;
  /** The workspace's real path. */
  readonly workspace: string;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly onWarning: (message: string) => void;
  /** The name that the rows of a PostgreSQL server go by. @default the workspace's path */
  readonly name?: string | undefined;
  /** How long a call waits for a server, or for another process that writes to the file. */
  readonly patienceMs?: number | undefined;
}

export interface OpenedDatabase {
  readonly database: SqlDatabase;
  /** Whose files the journal's entries are about. A file has one place only. */
  readonly place: string;
}

/** Open the database that the configuration names. */
export async function openDatabase(options: OpenDatabaseOptions): Promise<OpenedDatabase> {
  const { address, dir, clock, onWarning } = options;
  if (address === "sqlite") {
    const { patienceMs } = options;
    return { database: await openFile({ file: databaseFile(dir), clock, onWarning, patienceMs }), place: "" };
  }
  if (address === ":memory:") return { database: await openMemory(clock), place: "" };
  const { openPostgres } = await import("./open-postgres.js");
  const schema = schemaOf(options.name ?? options.workspace);
  const database = await openPostgres({ url: address, schema, clock, patienceMs: options.patienceMs });
  return { database, place: placeOf(options) };
}

/** The file in a workspace's state directory. */
export function databaseFile(dir: string): string {
  return join(dir, "state.db");
}

export function schemaOf(workspace: string): string {
  return `tenon_${workspaceKey(workspace)}`;
}

/** The id of this directory of contents: made once, the same for all processes that use it. */
export function placeOf({ dir, newId }: Pick<OpenDatabaseOptions, "dir" | "newId">): string {
  const file = join(dir, "place");
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if (errnoOf(error) !== "ENOENT") throw toStateError(error, dir);
  }
  const draft = `${file}.${newId()}.partial`;
  try {
    writeFileSync(draft, newId(), { mode: 0o600, flag: "wx", flush: true });
    linkSync(draft, file);
  } catch (error) {
    if (errnoOf(error) !== "EEXIST") throw toStateError(error, dir);
  } finally {
    rmSync(draft, { force: true });
  }
  return readFileSync(file, "utf8");
}

async function openMemory(clock: Clock): Promise<SqlDatabase> {
  const database = openSqlite({ file: ":memory:", clock });
  database.exec(connectionSettings);
  await database.transaction((tx) => migrate(tx, versionOf(":memory:")));
  return database;
}
