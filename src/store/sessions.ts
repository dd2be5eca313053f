import type { SessionState, SessionStore } from "../contract/ports/state.js";
import { parseColumn, toColumn } from "./json-column.js";
import type { Sql } from "./sql.js";
import type { StateParts } from "./state-parts.js";

interface SessionRow {
  env: string;
  data: string;
}

/** Named sessions that outlive their process. */
export function createSessions({ database, clock }: StateParts, maxSessions: number): SessionStore {
  return {
    async load(name) {
      const row = await database.get<SessionRow>("SELECT env, data FROM sessions WHERE name = ?", [name]);
      if (row === undefined) return undefined;
      const env = parseColumn<SessionState["env"]>(row.env, `session ${name}`, database.name);
      const data = parseColumn<SessionState["data"]>(row.data, `session ${name}`, database.name);
      return { env, data };
    },
    async save(name, state) {
      const [env, data] = [toColumn(state.env, "A session's env"), toColumn(state.data, "A session's data")];
      await database.transaction(async (tx) => {
        await tx.run(
          `INSERT INTO sessions (name, env, data, updated_at) VALUES (?, ?, ?, ?)
         ON CONFLICT (name) DO UPDATE
         SET env = excluded.env, data = excluded.data, updated_at = excluded.updated_at`,
          [name, env, data, clock.now()],
        );
        await dropOldest(tx, name, maxSessions);
      });
    },
    remove: async (name) => (await database.run("DELETE FROM sessions WHERE name = ?", [name])).changes > 0,
    async list() {
      const sql = "SELECT name, updated_at FROM sessions ORDER BY name";
      const rows = await database.all<{ name: string; updated_at: number }>(sql);
      return rows.map((row) => ({ name: row.name, updatedAt: row.updated_at }));
    },
  };
}

/** Those that were not changed for the longest time make room, with what they had seen. */
async function dropOldest(tx: Sql, kept: string, max: number): Promise<void> {
  const found = await tx.get<{ count: number }>("SELECT count(*) AS count FROM sessions");
  const surplus = (found?.count ?? 0) - max;
  if (surplus <= 0) return;
  const oldest = "SELECT name FROM sessions WHERE name <> ? ORDER BY updated_at, name LIMIT ?";
  for (const { name } of await tx.all<{ name: string }>(oldest, [kept, surplus])) {
    await tx.run("DELETE FROM sessions WHERE name = ?", [name]);
    for (const table of ["kv", "kv_usage"])
      await tx.run(`DELETE FROM ${table} WHERE namespace = ?`, [`session-seen:${name}`]);
  }
}
