import type { Json } from "../contract/json.js";
import type { RuleStore, StoredRule } from "../contract/ports/state.js";
import { parseColumn, toColumn } from "./json-column.js";
import type { StateParts } from "./state-parts.js";

interface RuleRow {
  id: string;
  rule: string;
  created_at: number;
}

/** Remembered rules of the policy. */
export function createRules({ database, clock, newId }: StateParts): RuleStore {
  return {
    async list() {
      const rows = await database.all<RuleRow>(
        "SELECT id, rule, created_at FROM rules ORDER BY created_at, id",
      );
      return rows.map((row) => fromRow(row, database.name));
    },
    async add(rule, id = newId()) {
      const text = toColumn(rule, "A rule");
      const createdAt = clock.now();
      await database.run(
        `INSERT INTO rules (id, rule, created_at) VALUES (?, ?, ?)
         ON CONFLICT (id) DO UPDATE SET rule = excluded.rule, created_at = excluded.created_at`,
        [id, text, createdAt],
      );
      return { id, rule, createdAt };
    },
    remove: async (id) => (await database.run("DELETE FROM rules WHERE id = ?", [id])).changes > 0,
  };
}

function fromRow(row: RuleRow, database: string): StoredRule {
  const rule = parseColumn<Json>(row.rule, `rule ${row.id}`, database);
  return { id: row.id, rule, createdAt: row.created_at };
}
