import type { ConsolePresence, ConsoleStore } from "../contract/ports/state.js";
import { parseColumn, toColumn } from "./json-column.js";
import type { StateParts } from "./state-parts.js";

const prefix = "console:";
/** A console that was not heard of for so long is gone. */
const aliveMs = 10_000;

/** The consoles that run on this state; rows of processes that ended badly are taken out by the others. */
export function createConsoles({ database, clock }: StateParts): ConsoleStore {
  return {
    async keep(console) {
      const text = toColumn({ ...console }, "The presence of a console");
      await database.transaction(async (tx) => {
        const rows = await tx.all<MetaRow>("SELECT key, value FROM meta WHERE key LIKE 'console:%'");
        for (const { key, value } of rows) {
          const { seenAt } = parseColumn<ConsolePresence>(value, key, database.name);
          if (seenAt < clock.now() - aliveMs) await tx.run("DELETE FROM meta WHERE key = ?", [key]);
        }
        await tx.run(
          `INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value`,
          [prefix + console.id, text],
        );
      });
    },
    async remove(id) {
      await database.run("DELETE FROM meta WHERE key = ?", [prefix + id]);
    },
    async list() {
      const rows = await database.all<MetaRow>("SELECT key, value FROM meta WHERE key LIKE 'console:%'");
      return rows
        .map(({ key, value }) => parseColumn<ConsolePresence>(value, key, database.name))
        .filter(({ seenAt }) => seenAt >= clock.now() - aliveMs);
    },
  };
}

interface MetaRow {
  readonly key: string;
  readonly value: string;
}
