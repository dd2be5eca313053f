import type { SessionState, SessionStore } from "../contract/ports/state.js";
import { parseColumn, toColumn } from "./json-column.js";
import type { StateParts } from "./state-parts.js";

interface SessionRow {
  env: string;
  data: string;
}

/** Named sessions that outlive their process. */
export function createSessions({ database, clock }: StateParts): SessionStore {
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
      await database.run(
        `INSERT INTO sessions (name, env, data, updated_at) VALUES (?, ?, ?, ?)
         ON CONFLICT (name) DO UPDATE
         SET env = excluded.env, data = excluded.data, updated_at = excluded.updated_at`,
        [name, env, data, clock.now()],
      );
    },
    remove: async (name) => (await database.run("DELETE FROM sessions WHERE name = ?", [name])).changes > 0,
    async list() {
      const sql = "SELECT name, updated_at FROM sessions ORDER BY name";
      const rows = await database.all<{ name: string; updated_at: number }>(sql);
      return rows.map((row) => ({ name: row.name, updatedAt: row.updated_at }));
    },
  };
}
