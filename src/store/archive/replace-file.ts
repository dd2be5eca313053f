import { renameSync, rmSync } from "node:fs";
import { ToolUnavailableError } from "../../contract/errors.js";
import type { Clock } from "../../contract/ports/clock.js";
import { moveAside, versionOf } from "../open-file.js";
import { openSqlite } from "../sqlite-database.js";
import { connectSqlite, type SqliteConnection } from "../sqlite-driver.js";
import { isThere, privateFile } from "../state-dir.js";
import { isBusy, isCorrupt, toStateError } from "../state-error.js";
import type { ArchiveLine } from "./archive-lines.js";
import { readGiven, type GivenNumbers } from "./given-numbers.js";
import { loadRows } from "./load-rows.js";

export interface ReplaceFileOptions {
  readonly file: string;
  readonly lines: () => AsyncIterable<ArchiveLine>;
  readonly force: boolean;
  readonly clock: Clock;
  readonly newId: () => string;
}

/** Build a database of the lines beside the present one and take its place; tells where that one lies now. */
export async function replaceFile(options: ReplaceFileOptions): Promise<string | undefined> {
  const { file, clock, force } = options;
  const fresh = `${file}.restoring-${options.newId()}`;
  let present: SqliteConnection | undefined;
  try {
    // Before the work, so that it is not done in vain.
    present = isThere(file) && !force ? holdAlone(file) : undefined;
    const former = async (): Promise<GivenNumbers> =>
      present === undefined ? givenIn(file) : readFrom(present);
    await build(fresh, options, former);
    const kept = isThere(file) ? moveAside(file, "before-restore", clock) : undefined;
    renameSync(fresh, file);
    return kept;
  } catch (error) {
    throw toStateError(error, file);
  } finally {
    present?.close();
    for (const part of ["", "-wal", "-shm", "-journal"]) rmSync(fresh + part, { force: true });
  }
}

async function build(
  fresh: string,
  { lines, clock }: ReplaceFileOptions,
  former: () => Promise<GivenNumbers>,
): Promise<void> {
  privateFile(fresh);
  const database = openSqlite({ file: fresh, clock });
  try {
    database.exec("PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF");
    const load = { lines: lines(), versioned: versionOf(fresh), place: "", former };
    // Synced: what takes the place of a state must last as that one did.
    await database.transaction((tx) => loadRows(tx, load), { durable: true });
  } finally {
    await database.close();
  }
}

/** The numbers that were given out in a database file; none where there is no file or it is damaged. */
async function givenIn(file: string): Promise<GivenNumbers> {
  if (!isThere(file)) return {};
  const connection = connectSqlite(file);
  try {
    connection.exec("PRAGMA busy_timeout = 1000");
    return await readFrom(connection);
  } catch (error) {
    if (isCorrupt(error)) return {};
    throw toStateError(error, file);
  } finally {
    connection.close();
  }
}

async function readFrom(connection: SqliteConnection): Promise<GivenNumbers> {
  const isBegun = connection.prepare("SELECT 1 FROM sqlite_master WHERE name = 'sqlite_sequence'").get();
  if (isBegun === undefined) return {};
  return readGiven({
    dialect: "sqlite",
    // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the SQL text decides the row's type
    all: async <Row>(sql: string) => connection.prepare(sql).all() as Row[],
  });
}

/** Take the file for this process alone. A damaged one is nobody's: `undefined`. */
function holdAlone(file: string): SqliteConnection | undefined {
  const connection = connectSqlite(file);
  try {
    // Leaving the write-ahead log takes a lock that no other connection shares.
    connection.exec(
      "PRAGMA busy_timeout = 1000; PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = DELETE",
    );
    connection.exec("BEGIN EXCLUSIVE; COMMIT");
    return connection;
  } catch (error) {
    connection.close();
    if (isCorrupt(error)) return undefined;
    throw isBusy(error) ? openError(file) : error;
  }
}

function openError(file: string): ToolUnavailableError {
  return new ToolUnavailableError(`The state ${file} is open in another process.`, {
    code: "STATE_BUSY",
    hint: "Stop that process, or use force: what it writes from then on is lost.",
  });
}
