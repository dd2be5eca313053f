import type { Migration } from "./migration.js";

/** Machines with different files can share a server: each journal entry says whose files it is about. */
export const places: Migration = {
  name: "places",
  tables: [],
  statements: () => [`ALTER TABLE journal_entries ADD COLUMN place TEXT NOT NULL DEFAULT ''`],
};
