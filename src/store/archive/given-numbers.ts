import type { Sql, SqlDialect } from "../sql.js";

/** The highest number that was ever given out in each table, by the name of the table. */
export type GivenNumbers = Readonly<Record<string, number>>;

/** What reads rows: a transaction, or a connection that is not open as a state. */
export interface RowReader {
  readonly dialect: SqlDialect;
  all<Row>(sql: string): Promise<readonly Row[]>;
}

/** The key in `meta` under which the highest number of an iteration before a restore is kept. */
export const givenIterationsKey = "given_iterations";

/** The numbers given out so far, also to rows deleted since; tables that an older schema lacks are left out. */
export async function readGiven(rows: RowReader): Promise<GivenNumbers> {
  const given: Record<string, number> = {};
  if (rows.dialect === "sqlite") {
    const found = await rows.all<{ name: string; seq: number }>("SELECT name, seq FROM sqlite_sequence");
    for (const { name, seq } of found) given[name] = seq;
  } else {
    for (const { table, sequence } of await countedColumns(rows)) {
      const [row] = await rows.all<{ number: number }>(
        `SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END AS number FROM ${sequence}`,
      );
      given[table] = row?.number ?? 0;
    }
  }
  if (await hasIterations(rows)) given["iterations"] = await lastIteration(rows);
  return given;
}

/** Never give out a number again that one of the sources or a row has. */
export async function raiseGiven(tx: Sql, sources: readonly GivenNumbers[]): Promise<void> {
  const highest = (table: string): number => Math.max(0, ...sources.map((given) => given[table] ?? 0));
  if (tx.dialect === "sqlite") await raiseFile(tx, highest);
  else await raiseServer(tx, highest);
  await tx.run("INSERT INTO meta (key, value) VALUES (?, ?)", [
    givenIterationsKey,
    String(highest("iterations")),
  ]);
}

/** A file has noted the highest row by itself. */
async function raiseFile(tx: Sql, highest: (table: string) => number): Promise<void> {
  const own = await readGiven(tx);
  const tables = await tx.all<{ name: string }>(
    "SELECT name FROM sqlite_master WHERE type = 'table' AND sql LIKE '%AUTOINCREMENT%'",
  );
  for (const { name } of tables) {
    if (highest(name) <= (own[name] ?? 0)) continue;
    await tx.run("DELETE FROM sqlite_sequence WHERE name = ?", [name]);
    await tx.run("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", [name, highest(name)]);
  }
}

/** A server counts on from where it was, not from the rows that were put in. */
async function raiseServer(tx: Sql, highest: (table: string) => number): Promise<void> {
  for (const { table, column, sequence } of await countedColumns(tx)) {
    await tx.get(
      `SELECT setval('${sequence}', greatest(coalesce(max(${column}), 0), CAST(? AS BIGINT)) + 1, false) FROM ${table}`,
      [highest(table)],
    );
  }
}

interface CountedColumn {
  readonly table: string;
  readonly column: string;
  readonly sequence: string;
}

function countedColumns(rows: RowReader): Promise<readonly CountedColumn[]> {
  return rows.all<CountedColumn>(
    `SELECT table_name AS "table", column_name AS "column",
       pg_get_serial_sequence(table_name, column_name) AS sequence
     FROM information_schema.columns WHERE table_schema = current_schema() AND is_identity = 'YES'`,
  );
}

async function hasIterations(rows: RowReader): Promise<boolean> {
  const sql =
    rows.dialect === "sqlite"
      ? "SELECT 1 AS one FROM sqlite_master WHERE type = 'table' AND name = 'iterations'"
      : "SELECT 1 AS one WHERE to_regclass('iterations') IS NOT NULL";
  return (await rows.all(sql)).length > 0;
}

/** Their ids are counted too, and may be ahead of their numbers. */
async function lastIteration(rows: RowReader): Promise<number> {
  const known = await rows.all<{ number: number; id: string }>("SELECT number, id FROM iterations");
  const [before] = await rows.all<{ value: string }>(
    `SELECT value FROM meta WHERE key = '${givenIterationsKey}'`,
  );
  const numbers = known.flatMap(({ number, id }) => {
    const own = Number(/^iteration-(\d{1,15})$/.exec(id)?.[1] ?? 0);
    // An id that a session chose itself may be any number.
    return own <= number + known.length ? [number, own] : [number];
  });
  return numbers.reduce((most, number) => Math.max(most, number), Number(before?.value ?? 0));
}
