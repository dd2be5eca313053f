import { dialectOf } from "../dialect.js";
import { createInsert } from "../insert-rows.js";
import { migrate, migrations, refuseNewer, tablesOf, type Versioned } from "../migrations.js";
import type { Sql, SqlValue } from "../sql.js";
import { badArchive, fromArchiveValue, type ArchiveLine, type ArchiveRow } from "./archive-lines.js";
import { raiseGiven, type GivenNumbers } from "./given-numbers.js";

export interface LoadOptions {
  readonly lines: AsyncIterable<ArchiveLine>;
  readonly versioned: Versioned;
  /** Whose files the journal is about from now on. */
  readonly place: string;
  /** The numbers that were given out by what the rows take the place of; asked last. */
  readonly former: () => Promise<GivenNumbers>;
}

const rowsAtOnce = 50;

/** Make the schema that an archive's rows are from in an empty database, fill it, and bring it up to date. */
export async function loadRows(tx: Sql, { lines, versioned, place, former }: LoadOptions): Promise<void> {
  let version: number | undefined;
  let inArchive: GivenNumbers = {};
  let waiting: ArchiveRow[] = [];
  let columns = new Map<string, ReadonlySet<string>>();
  const flush = async (): Promise<void> => {
    const rows = waiting;
    waiting = [];
    if (rows.length > 0) await insert(tx, rows, columns);
  };
  for await (const line of lines) {
    if ("tenon" in line) {
      version = line.schema;
      inArchive = line.given ?? {};
      refuseNewer(version, "in the backup");
      await migrate(tx, versioned, migrations.slice(0, version));
      columns = await columnsOf(tx, tablesOf(version));
    }
    if (!("table" in line)) continue;
    const row = line.table === "journal_entries" ? { ...line, row: { ...line.row, place } } : line;
    const [last] = waiting;
    if (last !== undefined && (waiting.length >= rowsAtOnce || !isAlike(last, row))) await flush();
    waiting.push(row);
  }
  await flush();
  await migrate(tx, versioned);
  for (const step of migrations.slice(0, version)) await step.rebuild?.(tx);
  await raiseGiven(tx, [inArchive, await former()]);
}

function isAlike(one: ArchiveRow, other: ArchiveRow): boolean {
  return one.table === other.table && Object.keys(one.row).join() === Object.keys(other.row).join();
}

/** The names come from a file: only those that the schema has become part of a statement. */
async function insert(
  tx: Sql,
  rows: readonly ArchiveRow[],
  known: ReadonlyMap<string, ReadonlySet<string>>,
): Promise<void> {
  const [{ table, row } = { table: "", row: {} }] = rows;
  const names = known.get(table);
  if (names === undefined) throw badArchive(`it has an unknown table "${table}"`);
  const columns = Object.keys(row);
  const unknown = columns.find((column) => !names.has(column));
  if (unknown !== undefined) throw badArchive(`its table "${table}" has an unknown column "${unknown}"`);
  const values = rows.map((each) =>
    columns.map((column): SqlValue => fromArchiveValue(each.row[column] ?? null)),
  );
  await createInsert({ table, columns })(tx, values);
}

async function columnsOf(tx: Sql, tables: readonly string[]): Promise<Map<string, ReadonlySet<string>>> {
  const found = new Map<string, ReadonlySet<string>>();
  const sql = dialectOf(tx.dialect).columns;
  for (const table of tables) {
    const columns = await tx.all<{ name: string }>(sql, [table]);
    found.set(table, new Set(columns.map(({ name }) => name)));
  }
  return found;
}
