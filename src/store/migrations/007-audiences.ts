import type { Migration } from "./migration.js";

/** Who finds a memory. All of them are indexed again with it by the next search. */
export const audiences: Migration = {
  name: "audiences",
  tables: [],
  statements: ({ name, byCode }) => [
    `ALTER TABLE memories ADD COLUMN audience TEXT ${byCode}`,
    name === "sqlite"
      ? `INSERT INTO memories_text (memories_text) VALUES ('delete-all')`
      : `DELETE FROM memories_text`,
    `DELETE FROM text_progress WHERE name = 'memories'`,
  ],
};
