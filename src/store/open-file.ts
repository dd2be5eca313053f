import {
  closeSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Clock } from "../contract/ports/clock.js";
import { migrate, migrations, refuseNewer, type Versioned } from "./migrations.js";
import { patiently } from "./patiently.js";
import { connectionSettings, openSqlite, type SqliteDatabase } from "./sqlite-database.js";
import { connectSqlite } from "./sqlite-driver.js";
import { isThere, privateFile } from "./state-dir.js";
import { corruptError, toStateError } from "./state-error.js";

export interface OpenFileOptions {
  readonly file: string;
  readonly clock: Clock;
  readonly patienceMs?: number | undefined;
  /** Told when a damaged file was set aside. */
  readonly onWarning: (message: string) => void;
}

/** Open the database of the state, set a damaged one aside, refuse one from the future, migrate an old one. */
export async function openFile(options: OpenFileOptions): Promise<SqliteDatabase> {
  const { file } = options;
  try {
    return await openSound(options);
  } catch (error) {
    const failure = toStateError(error, file);
    if (failure.code !== "STATE_CORRUPT") throw failure;
    await setAside(options, failure.message);
    return openSound(options);
  }
}

async function openSound(options: OpenFileOptions): Promise<SqliteDatabase> {
  for (;;) {
    const database = await openOnce(options);
    if (database !== undefined) return database;
  }
}

/** `undefined` where the file was replaced, by a restore, while it was opened. */
async function openOnce(options: OpenFileOptions): Promise<SqliteDatabase | undefined> {
  const { file } = options;
  // Read by hand first: SQLite itself would already touch a file from a newer Tenon.
  checkHeader(file);
  privateFile(file);
  const { ino } = statSync(file);
  const suspect = `${file}.suspect`;
  const database = openSqlite({ ...options, onCorrupt: () => writeFileSync(suspect, "", { mode: 0o600 }) });
  try {
    await patiently(() => database.exec(connectionSettings), options);
    // From here on, a process that wants to replace the file sees this connection.
    if (statSync(file, { throwIfNoEntry: false })?.ino !== ino) {
      await database.close();
      return undefined;
    }
    if (isThere(suspect)) {
      await checkWhole(database);
      rmSync(suspect, { force: true });
    }
    const version = versionOf(file);
    const current = await version.version(database);
    if (current !== migrations.length) await database.transaction((tx) => migrate(tx, version));
    // Damage in the table of tables shows here, not in the middle of a later call.
    await database.get("SELECT count(*) FROM sqlite_master");
    await database.get("SELECT value FROM meta WHERE key = ?", ["workspace"]);
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** A file has a number of its own for the version. */
export function versionOf(file: string): Versioned {
  return {
    name: file,
    version: async (sql) =>
      (await sql.get<{ user_version: number }>("PRAGMA user_version"))?.user_version ?? 0,
    setVersion: async (sql, version) => void (await sql.run(`PRAGMA user_version = ${version}`)),
  };
}

/** Too slow for every start; done when a query of an earlier run met damage. */
async function checkWhole(database: SqliteDatabase): Promise<void> {
  const row = await database.get<{ quick_check: string }>("PRAGMA quick_check(1)");
  if (row?.quick_check !== "ok") {
    throw corruptError(database.name, row?.quick_check ?? "its check gave no answer");
  }
}

const magic = "SQLite format 3\0";
const userVersionOffset = 60;

/** Judge a database file by its first 100 bytes, without SQLite. */
function checkHeader(file: string): void {
  const header = readHead(file, 100);
  if (header === undefined || header.length === 0) return;
  if (header.length < 100 || !isSqlite(header)) throw corruptError(file, "it is not an SQLite database");
  refuseNewer(header.readUInt32BE(userVersionOffset), file);
}

/** The magic text, and three bytes behind it that are the same in every database. */
function isSqlite(header: Buffer): boolean {
  return header.toString("latin1", 0, 16) === magic && header.readUIntBE(21, 3) === 0x402020;
}

function readHead(file: string, length: number): Buffer | undefined {
  if (!isThere(file)) return undefined;
  const fd = openSync(file, "r");
  try {
    const buffer = Buffer.alloc(length);
    return buffer.subarray(0, readSync(fd, buffer, 0, length, 0));
  } finally {
    closeSync(fd);
  }
}

/**
 * Give the damaged files another name. A second database serves as the lock for that: the system frees
 * it when its holder dies, and the next process checks again and finds an intact file.
 */
async function setAside(options: OpenFileOptions, reason: string): Promise<void> {
  const { file, clock, onWarning } = options;
  const lockFile = `${file}.lock`;
  privateFile(lockFile);
  const lock = connectSqlite(lockFile);
  try {
    await patiently(() => lock.exec("PRAGMA busy_timeout = 50; BEGIN EXCLUSIVE"), { file: lockFile, clock });
    if (await isSound(options)) return;
    const kept = moveAside(file, "damaged", clock);
    rmSync(`${file}.suspect`, { force: true });
    onWarning(
      `${reason} It was set aside as ${kept} and a new state was created: ` +
        "remembered rules, sessions, pending approvals and the undo history start empty.",
    );
  } catch (error) {
    throw toStateError(error, file);
  } finally {
    lock.close();
  }
}

/** The damaged databases that lie beside a database file, oldest first. */
export function damagedBeside(file: string): readonly string[] {
  const beginning = `${basename(file)}.damaged-`;
  return readdirSync(dirname(file))
    .filter((name) => name.startsWith(beginning) && !/-(?:wal|shm)$/.test(name))
    .toSorted()
    .map((name) => join(dirname(file), name));
}

/** Give a database file, and the log that belongs to it, another name that nobody has; returns it. */
export function moveAside(file: string, why: string, clock: Clock): string {
  const kept = freeName(`${file}.${why}-${new Date(clock.now()).toISOString().replaceAll(/[:.]/g, "-")}`);
  for (const part of ["", "-wal", "-shm"]) {
    if (isThere(file + part)) renameSync(file + part, kept + part);
  }
  return kept;
}

async function isSound(options: OpenFileOptions): Promise<boolean> {
  try {
    const database = await openSound(options);
    await database.close();
    return true;
  } catch (error) {
    if (toStateError(error, options.file).code === "STATE_CORRUPT") return false;
    throw error;
  }
}

function freeName(wanted: string): string {
  for (let n = 1, name = wanted; ; n += 1, name = `${wanted}-${n}`) if (!isThere(name)) return name;
}
