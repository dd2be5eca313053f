import type { Sql, SqlValue } from "./sql.js";

export interface Insert {
  readonly table: string;
  readonly columns: readonly string[];
  /** The part of the statement after the values. @default nothing */
  readonly suffix?: string;
}

/** Inserts rows, many in one statement: over a network each statement is a round trip. */
export type InsertRows = (tx: Sql, rows: Iterable<readonly SqlValue[]>) => Promise<void>;

// Each number of rows is a statement of its own to prepare; both databases take many more parameters.
const rowsAtOnce = 50;

/** Make the function that inserts rows into a table. They are taken a few at a time, so that they can be made while they are written. */
export function createInsert({ table, columns, suffix = "" }: Insert): InsertRows {
  const tuple = `(${columns.map(() => "?").join(", ")})`;
  const textFor = (count: number): string =>
    `INSERT INTO ${table} (${columns.join(", ")}) VALUES ${Array<string>(count).fill(tuple).join(", ")} ${suffix}`;
  const oneRow = textFor(1);
  return async (tx, rows) => {
    let some: (readonly SqlValue[])[] = [];
    for (const row of rows) {
      some.push(row);
      if (some.length < rowsAtOnce) continue;
      await tx.run(textFor(some.length), some.flat());
      some = [];
    }
    const [first] = some;
    if (first === undefined) return;
    await (some.length === 1 ? tx.run(oneRow, first) : tx.run(textFor(some.length), some.flat()));
  };
}
