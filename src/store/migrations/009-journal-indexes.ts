import type { Migration } from "./migration.js";

/**
 * The change of a path before another one is found without sorting all changes of that path, and most changes, which
 * move nothing and belong to no task, write two indexes less. A server finds the path by its hash and sorts few rows.
 */
export const journalIndexes: Migration = {
  name: "journal-indexes",
  tables: [],
  statements: ({ name, byEquality }) => [
    ...(name === "sqlite"
      ? [
          `DROP INDEX journal_changes_path`,
          `CREATE INDEX journal_changes_path ON journal_changes (path, entry, seq)`,
        ]
      : []),
    `DROP INDEX journal_changes_from`,
    `CREATE INDEX journal_changes_from ON journal_changes ${byEquality} (from_path) WHERE from_path IS NOT NULL`,
    `DROP INDEX journal_entries_task`,
    `CREATE INDEX journal_entries_task ON journal_entries (task_id) WHERE task_id IS NOT NULL`,
  ],
};
