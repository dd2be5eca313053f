import type { Migration } from "./migration.js";

/** Rules, sessions, approvals, small values, locks and the journal. */
export const initial: Migration = {
  name: "initial",
  tables: [
    "rules",
    "sessions",
    "approvals",
    "kv",
    "kv_usage",
    "journal_entries",
    "journal_changes",
    "journal_blobs",
  ],
  statements: ({ identity, byCode, byEquality }) => [
    `CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL)`,
    `CREATE TABLE rules (id TEXT PRIMARY KEY, rule TEXT NOT NULL, created_at BIGINT NOT NULL)`,
    `CREATE TABLE sessions (
       name TEXT ${byCode} PRIMARY KEY, env TEXT NOT NULL, data TEXT NOT NULL, updated_at BIGINT NOT NULL
     )`,
    `CREATE TABLE approvals (
       id TEXT ${byCode} PRIMARY KEY, request TEXT NOT NULL, owner TEXT NOT NULL, opened_at BIGINT NOT NULL,
       answer TEXT, resolved_at BIGINT
     )`,
    `CREATE INDEX approvals_pending ON approvals (opened_at) WHERE answer IS NULL`,
    `CREATE TABLE kv (
       namespace TEXT ${byCode} NOT NULL, key TEXT ${byCode} NOT NULL, value TEXT NOT NULL, bytes BIGINT NOT NULL,
       PRIMARY KEY (namespace, key)
     )`,
    `CREATE TABLE kv_usage (namespace TEXT ${byCode} PRIMARY KEY, keys BIGINT NOT NULL, bytes BIGINT NOT NULL)`,
    `CREATE TABLE lock_tickets (
       id ${identity}, owner TEXT NOT NULL, pid BIGINT NOT NULL,
       since BIGINT NOT NULL, heartbeat BIGINT NOT NULL
     )`,
    `CREATE TABLE lock_keys (
       ticket BIGINT NOT NULL REFERENCES lock_tickets (id) ON DELETE CASCADE,
       key TEXT ${byCode} NOT NULL, exclusive INTEGER NOT NULL, tree INTEGER NOT NULL
     )`,
    `CREATE INDEX lock_keys_ticket ON lock_keys (ticket)`,
    `CREATE TABLE journal_entries (
       id ${identity}, kind TEXT NOT NULL, phase TEXT NOT NULL, call_id TEXT NOT NULL,
       task_id TEXT, session_id TEXT NOT NULL, tool TEXT NOT NULL, time BIGINT NOT NULL, standing INTEGER
     )`,
    `CREATE INDEX journal_entries_unfinished ON journal_entries (id) WHERE phase <> 'done'`,
    `CREATE INDEX journal_entries_call ON journal_entries (call_id)`,
    `CREATE INDEX journal_entries_task ON journal_entries (task_id)`,
    `CREATE TABLE journal_changes (
       entry BIGINT NOT NULL REFERENCES journal_entries (id) ON DELETE CASCADE,
       seq INTEGER NOT NULL, op TEXT NOT NULL, path TEXT ${byCode} NOT NULL, from_path TEXT ${byCode},
       size_before BIGINT, size_after BIGINT, implied INTEGER NOT NULL, undone INTEGER NOT NULL,
       inverts_entry BIGINT, inverts_seq INTEGER, step TEXT NOT NULL,
       PRIMARY KEY (entry, seq)
     )`,
    `CREATE INDEX journal_changes_path ON journal_changes ${byEquality} (path)`,
    `CREATE INDEX journal_changes_from ON journal_changes ${byEquality} (from_path)`,
    `CREATE TABLE journal_blobs (
       entry BIGINT NOT NULL, seq INTEGER NOT NULL, hash TEXT NOT NULL, bytes BIGINT NOT NULL,
       PRIMARY KEY (entry, seq, hash),
       FOREIGN KEY (entry, seq) REFERENCES journal_changes (entry, seq) ON DELETE CASCADE
     )`,
    `CREATE INDEX journal_blobs_hash ON journal_blobs (hash)`,
  ],
};
