import type { Clock } from "../../contract/ports/clock.js";
import { openPostgresDatabase } from "../postgres-database.js";
import { createPostgresPool } from "../postgres-driver.js";
import { versionOf } from "../open-postgres.js";
import type { ArchiveLine } from "./archive-lines.js";
import { readGiven, type GivenNumbers } from "./given-numbers.js";
import { loadRows } from "./load-rows.js";

export interface ReplaceSchemaOptions {
  readonly url: string;
  readonly schema: string;
  readonly place: string;
  readonly lines: () => AsyncIterable<ArchiveLine>;
  readonly force: boolean;
  readonly clock: Clock;
}

/** Fill a new schema with the lines in the place of the present one; tells the name that one has now. */
export async function replaceSchema(options: ReplaceSchemaOptions): Promise<string | undefined> {
  const { url, schema, place, clock, force } = options;
  const pool = createPostgresPool({ url, schema, exclusive: !force });
  const database = openPostgresDatabase({ pool, clock });
  const time = new Date(clock.now()).toISOString().replaceAll(/\D/g, "").slice(0, 17);
  const kept = `${schema}_before_${time}`;
  try {
    return await database.transaction(async (tx) => {
      const present = await tx.get("SELECT 1 AS one FROM pg_namespace WHERE nspname = ?", [schema]);
      const given = present === undefined ? {} : await readGiven(tx);
      const former = async (): Promise<GivenNumbers> => given;
      if (present !== undefined) await tx.run(`ALTER SCHEMA ${schema} RENAME TO ${kept}`);
      await tx.run(`CREATE SCHEMA ${schema}`);
      await loadRows(tx, { lines: options.lines(), versioned: versionOf(pool.name), place, former });
      return present === undefined ? undefined : `${pool.name}, schema ${kept}`;
    });
  } finally {
    await database.close();
  }
}
