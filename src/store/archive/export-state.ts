import { ToolUnavailableError } from "../../contract/errors.js";
import type { BlobStore } from "../../contract/ports/blobs.js";
import type { Clock } from "../../contract/ports/clock.js";
import { migrations, tablesOf } from "../migrations.js";
import type { SqlDatabase, Sql, SqlValue } from "../sql.js";
import { createArchiveWriter, toArchiveValue } from "./archive-lines.js";
import { readGiven } from "./given-numbers.js";

export interface ExportParts {
  readonly database: SqlDatabase;
  readonly blobs: BlobStore;
  readonly clock: Clock;
  readonly place: string;
  readonly workspace: string;
}

export interface ExportOptions {
  /** With the contents that an undo needs. @default false */
  readonly contents?: boolean;
}

export interface Exported {
  readonly rows: number;
  readonly contents: number;
  /** Contents that were dropped by another process while the archive was written. */
  readonly missing: number;
}

const pieceBytes = 3 << 18;

/** Write all that lasts as an archive, as it was at one moment; others may go on working meanwhile. */
export async function exportState(
  parts: ExportParts,
  write: (text: string) => Promise<void>,
  options: ExportOptions = {},
): Promise<Exported> {
  const writer = createArchiveWriter(write);
  let begun = false;
  const hashes = await parts.database.snapshot(async (tx) => {
    if (begun) throw lostError(parts.database.name);
    begun = true;
    const { workspace, clock } = parts;
    const given = await readGiven(tx);
    const head = { tenon: "state", format: 1, schema: migrations.length } as const;
    await writer.add({ ...head, workspace, time: clock.now(), given });
    const needed = new Set<string>();
    for (const table of tablesOf(migrations.length)) {
      for await (const row of tableRows(tx, queryOf(table, parts.place))) {
        if (table === "journal_entries") row["place"] = "";
        // Replaced files that lie in the store under their own names stay on this machine.
        const hash = table === "journal_blobs" ? String(row["hash"]) : "kept:";
        if (!hash.startsWith("kept:")) needed.add(hash);
        const values = Object.entries(row).map(([column, value]) => [column, toArchiveValue(value)]);
        await writer.add({ table, row: Object.fromEntries(values) });
      }
    }
    return needed;
  });
  let missing = 0;
  for (const hash of options.contents === true ? hashes : []) {
    if (!parts.blobs.has(hash)) missing += 1;
    else for await (const piece of piecesOf(parts.blobs, hash)) await writer.add(piece);
  }
  const { rows, contents } = await writer.end();
  return { rows, contents, missing };
}

/** The journal of this place only, and nothing of it that is half done: its files are elsewhere by then. */
function queryOf(table: string, place: string): TableQuery {
  const finished = "phase = 'done' AND place = ?";
  if (table === "journal_entries") return { table, where: { sql: finished, parameters: [place] } };
  if (!table.startsWith("journal_")) return { table };
  const sql = `entry IN (SELECT id FROM journal_entries WHERE ${finished})`;
  return { table, where: { sql, parameters: [place] } };
}

async function* piecesOf(blobs: BlobStore, hash: string) {
  const reader = blobs.open(hash);
  try {
    const buffer = Buffer.alloc(pieceBytes);
    for (let at = 0; ;) {
      const read = reader.readInto(buffer, at);
      at += read;
      const last = at >= reader.size || read === 0;
      yield { content: hash, base64: buffer.toString("base64", 0, read), last };
      if (last) return;
    }
  } finally {
    reader.close();
  }
}

function lostError(name: string): ToolUnavailableError {
  return new ToolUnavailableError(`The connection to ${name} was lost while its rows were read.`, {
    code: "STATE_UNAVAILABLE",
    hint: "Begin again.",
  });
}

interface TableQuery {
  readonly table: string;
  /** Which rows. @default all */
  readonly where?: { readonly sql: string; readonly parameters: readonly SqlValue[] };
}

type Row = Record<string, unknown>;

const rowsAtOnce = 500;

/** All rows of a table within a snapshot, those that others refer to first, never many in memory. */
function tableRows(tx: Sql, query: TableQuery): AsyncGenerator<Row> {
  return tx.dialect === "sqlite" ? pagedRows(tx, query) : cursorRows(tx, query);
}

async function* pagedRows(tx: Sql, { table, where }: TableQuery): AsyncGenerator<Row> {
  const sql = `SELECT rowid AS row_id, t.* FROM ${table} t
    WHERE rowid > ? AND (${where?.sql ?? "TRUE"}) ORDER BY rowid LIMIT ${rowsAtOnce}`;
  for (let last = -1; ;) {
    const rows = await tx.all<Row & { row_id: number }>(sql, [last, ...(where?.parameters ?? [])]);
    for (const { row_id, ...row } of rows) {
      yield row;
      last = row_id;
    }
    if (rows.length < rowsAtOnce) return;
  }
}

async function* cursorRows(tx: Sql, { table, where }: TableQuery): AsyncGenerator<Row> {
  const key = await tx.all<{ name: string }>(
    `SELECT a.attname AS name FROM pg_index i
     JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = ANY (i.indkey)
     WHERE i.indrelid = to_regclass(?) AND i.indisprimary ORDER BY array_position(i.indkey::int2[], a.attnum)`,
    [table],
  );
  const order = key.length === 0 ? "" : `ORDER BY ${key.map(({ name }) => `t.${name}`).join(", ")}`;
  await tx.run(
    `DECLARE table_rows NO SCROLL CURSOR FOR SELECT * FROM ${table} t WHERE ${where?.sql ?? "TRUE"} ${order}`,
    where?.parameters ?? [],
  );
  for (;;) {
    const rows = await tx.all<Row>(`FETCH ${rowsAtOnce} FROM table_rows`);
    yield* rows;
    if (rows.length < rowsAtOnce) break;
  }
  await tx.run("CLOSE table_rows");
}
