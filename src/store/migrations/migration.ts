import type { Dialect } from "../dialect.js";
import type { Sql } from "../sql.js";

/** One step of the schema, listed in `../migrations.ts`. A released step is never changed; add another one. */
export interface Migration {
  readonly name: string;
  /** The new tables that belong in a backup, referenced tables first. Indexes and per-process data are left out. */
  readonly tables: readonly string[];
  /** Statements one by one, in the order they are run, inside one transaction with all other steps. */
  statements(dialect: Dialect): readonly string[];
  /** Make what was left out of a backup again from the rows that were in it, after a restore. */
  rebuild?(tx: Sql): Promise<void>;
}
