import type { Dialect } from "../dialect.js";
import type { Sql } from "../sql.js";

/**
 * One step forward of the schema: a file `NNN-name.ts` beside this one, listed in `../migrations.ts`.
 * A step that was released is never changed; the next one is added behind it.
 */
export interface Migration {
  readonly name: string;
  /**
   * The tables it adds whose rows belong in a backup, those that others refer to first. Left out: what
   * means nothing to another process, and indexes that are made of other rows.
   */
  readonly tables: readonly string[];
  /** Statements one by one, in the order they are run, inside one transaction with all other steps. */
  statements(dialect: Dialect): readonly string[];
  /** Make what was left out of a backup again from the rows that were in it, after a restore. */
  rebuild?(tx: Sql): Promise<void>;
}
