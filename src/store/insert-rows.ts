import type { Sql, SqlValue } from "./sql.js";

export interface Insert {
  readonly table: string;
  readonly columns: readonly string[];
  /** Taken a few at a time, so that they can be made while they are written. */
  readonly rows: Iterable<readonly SqlValue[]>;
  /** What follows the values. @default nothing */
  readonly suffix?: string;
}

// Each number of rows is a statement of its own to prepare; both databases take many more parameters.
const rowsAtOnce = 50;

/** Insert rows, many in one statement: over a network each statement is a round trip. */
export async function insertRows(tx: Sql, { table, columns, rows, suffix = "" }: Insert): Promise<void> {
  const tuple = `(${columns.map(() => "?").join(", ")})`;
  const insert = async (some: readonly (readonly SqlValue[])[]): Promise<void> => {
    const tuples = some.map(() => tuple).join(", ");
    await tx.run(`INSERT INTO ${table} (${columns.join(", ")}) VALUES ${tuples} ${suffix}`, some.flat());
  };
  let some: (readonly SqlValue[])[] = [];
  for (const row of rows) {
    some.push(row);
    if (some.length < rowsAtOnce) continue;
    await insert(some);
    some = [];
  }
  if (some.length > 0) await insert(some);
}
