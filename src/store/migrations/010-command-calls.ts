import type { Migration } from "./migration.js";

/** The call of a command finds those of its changes that another call committed later. Most entries write no index more. */
export const commandCalls: Migration = {
  name: "command-calls",
  tables: [],
  statements: () => [
    `ALTER TABLE journal_entries ADD COLUMN command_call_id TEXT`,
    `CREATE INDEX journal_entries_command ON journal_entries (command_call_id) WHERE command_call_id IS NOT NULL`,
  ],
};
