import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ignoring } from "../contract/errno.js";
import { ToolUnavailableError } from "../contract/errors.js";
import type { Sql } from "./sql.js";
import type { StateParts } from "./state-parts.js";

/** The length of a workspace's log at a time. */
export interface LogMark {
  readonly seq: number;
  readonly hash: string;
  readonly at: number;
}

/** A time of which the database knows nothing, because it was put back to an earlier state. */
export interface LostTime {
  /** Of the last mark that it had; 0 where it had none. */
  readonly from: number;
  readonly until: number;
  readonly foundAt: number;
}

/** What lies beside the log: the last mark that the database has had, and the ids that it had given out. */
interface MarkFile extends LogMark {
  readonly ids: Readonly<Record<string, number>>;
}

const fileName = "database-mark.json";
/** More than are given out between two marks. */
const idGap = 1000;

/**
 * The log stays with its worker and its head goes to the database, which may be restored from a backup one day. The
 * mark that both have tells: a database with an older one than the file beside the log has lost what came after. New
 * ids then go on above those that the log knows.
 */
export class LogMarks {
  readonly #parts: StateParts;
  readonly #file: string;
  #last: number;
  /** Those whose commit may have succeeded without an answer. */
  readonly #attempted = new Set<number>();

  /** @param dir The folder of the log. */
  static async open(parts: StateParts, dir: string): Promise<LogMarks> {
    const file = join(dir, fileName);
    const kept = ignoring("ENOENT", () => JSON.parse(readFileSync(file, "utf8")) as MarkFile);
    const last = await parts.database.transaction(async (tx) => {
      const known = await readMark(tx);
      if (kept === undefined || (known?.seq ?? 0) >= kept.seq) return known?.seq ?? 0;
      await raiseIds(tx, kept.ids);
      const lost: LostTime = { from: known?.at ?? 0, until: kept.at, foundAt: parts.clock.now() };
      await write(tx, "lost_times", [...(await lostTimes(tx)), lost].slice(-maxLost));
      await write(tx, "log_mark", { seq: kept.seq, hash: kept.hash, at: kept.at });
      return kept.seq;
    });
    return new LogMarks(parts, file, last);
  }

  private constructor(parts: StateParts, file: string, last: number) {
    this.#parts = parts;
    this.#file = file;
    this.#last = last;
  }

  /** Throws where the database is not the one that this process has written to: it was put back. */
  check(seq: number): void {
    if (seq !== this.#last && !this.#attempted.has(seq)) throw putBack();
  }

  /**
   * Keep how far the log has come, in the database and then beside the log.
   * @param owner Throws where the workspace was lost, or the database was put back.
   */
  async note(
    { seq, hash }: Pick<LogMark, "seq" | "hash">,
    owner: { require(tx: Sql): Promise<void> },
  ): Promise<void> {
    const { database, clock } = this.#parts;
    const mark: LogMark = { seq, hash, at: clock.now() };
    this.#attempted.add(seq);
    const ids = await database.transaction(async (tx) => {
      await owner.require(tx);
      if (seq !== this.#last) await write(tx, "log_mark", mark);
      return givenIds(tx);
      // One that a server lost when it crashed would look like a database from a backup.
    }, durable);
    if (seq !== this.#last) writeMarkFile(this.#file, { ...mark, ids });
    this.#last = seq;
    this.#attempted.clear();
  }
}

const durable = { durable: true };
const maxLost = 20;

/** The last mark that the database has. */
export async function readMark(sql: Sql): Promise<LogMark | undefined> {
  return (await read(sql, "log_mark")) as LogMark | undefined;
}

export async function lostTimes(sql: Sql): Promise<readonly LostTime[]> {
  return ((await read(sql, "lost_times")) ?? []) as readonly LostTime[];
}

async function read(sql: Sql, key: string): Promise<unknown> {
  const row = await sql.get<{ value: string }>("SELECT value FROM meta WHERE key = ?", [key]);
  return row === undefined ? undefined : JSON.parse(row.value);
}

async function write(tx: Sql, key: string, value: unknown): Promise<void> {
  const sql =
    "INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value";
  await tx.run(sql, [key, JSON.stringify(value)]);
}

/** The last id of each table that counts. */
async function givenIds(tx: Sql): Promise<Readonly<Record<string, number>>> {
  if (tx.dialect === "sqlite") return {};
  const sql = `SELECT sequencename AS name, last_value AS last FROM pg_sequences
    WHERE schemaname = current_schema() AND last_value IS NOT NULL`;
  const rows = await tx.all<{ name: string; last: number }>(sql);
  return Object.fromEntries(rows.map(({ name, last }) => [name, last]));
}

async function raiseIds(tx: Sql, ids: MarkFile["ids"]): Promise<void> {
  const now = await givenIds(tx);
  for (const [name, last] of Object.entries(ids))
    if (last > (now[name] ?? 0))
      await tx.get("SELECT setval(quote_ident(?)::regclass, ?)", [name, last + idGap]);
}

/** Written atomically: a file that cannot be read would stop the next owner. */
function writeMarkFile(file: string, mark: MarkFile): void {
  writeFileSync(`${file}.new`, JSON.stringify(mark), { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

function putBack(): ToolUnavailableError {
  return new ToolUnavailableError(
    "The database was put back to an earlier state, so this worker opens the workspace again.",
    { code: "STATE_BUSY", hint: "Call again in a few seconds. `tenon doctor` tells what is missing." },
  );
}
