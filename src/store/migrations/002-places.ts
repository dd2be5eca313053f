import type { Migration } from "./migration.js";

/**
 * A database on the network can be shared by machines whose files differ: each entry of the journal says
 * whose files it is about. In a file there is one place only, the empty one.
 */
export const places: Migration = {
  name: "places",
  tables: [],
  statements: () => [`ALTER TABLE journal_entries ADD COLUMN place TEXT NOT NULL DEFAULT ''`],
};
