import type { Sql } from "./sql.js";

/** The id of the newest iteration: all that a start needs of the work stores, so that it need not load them. */
export async function newestIteration(sql: Sql): Promise<string | undefined> {
  return (await sql.get<{ id: string }>("SELECT id FROM iterations ORDER BY number DESC LIMIT 1"))?.id;
}
