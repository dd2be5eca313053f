import type { Sql, SqlValue } from "../sql.js";

export interface TableQuery {
  readonly table: string;
  /** Which rows. @default all */
  readonly where?: { readonly sql: string; readonly parameters: readonly SqlValue[] };
}

type Row = Record<string, unknown>;

const rowsAtOnce = 500;

/** All rows of a table within a snapshot, those that others refer to first, never many in memory. */
export function tableRows(tx: Sql, query: TableQuery): AsyncGenerator<Row> {
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
