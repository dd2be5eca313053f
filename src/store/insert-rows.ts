import type { Sql, SqlValue } from "./sql.js";

export interface Insert {
  readonly table: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly SqlValue[])[];
  /** What follows the values. @default nothing */
  readonly suffix?: string;
}

// Each number of rows is a statement of its own to prepare; both databases take many more parameters.
const rowsAtOnce = 50;

/** Insert rows, many in one statement: over a network each statement is a journey. */
export async function insertRows(tx: Sql, { table, columns, rows, suffix = "" }: Insert): Promise<void> {
  const tuple = `(${columns.map(() => "?").join(", ")})`;
  for (let first = 0; first < rows.length; first += rowsAtOnce) {
    const some = rows.slice(first, first + rowsAtOnce);
    const tuples = some.map(() => tuple).join(", ");
    await tx.run(`INSERT INTO ${table} (${columns.join(", ")}) VALUES ${tuples} ${suffix}`, some.flat());
  }
}
