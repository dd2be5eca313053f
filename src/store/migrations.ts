import { ToolUnavailableError } from "../contract/errors.js";
import type { Database } from "./database.js";

/** Each entry takes the schema one version forward; entries are only ever added. */
export const migrations: readonly string[] = [
  `
  CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);
  CREATE TABLE rules (id TEXT PRIMARY KEY, rule TEXT NOT NULL, created_at BIGINT NOT NULL);
  CREATE TABLE sessions (
    name TEXT PRIMARY KEY, env TEXT NOT NULL, data TEXT NOT NULL, updated_at BIGINT NOT NULL
  );
  CREATE TABLE approvals (
    id TEXT PRIMARY KEY, request TEXT NOT NULL, owner TEXT NOT NULL, opened_at BIGINT NOT NULL,
    answer TEXT, resolved_at BIGINT
  );
  CREATE INDEX approvals_pending ON approvals (opened_at) WHERE answer IS NULL;
  CREATE TABLE kv (
    namespace TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL, bytes BIGINT NOT NULL,
    PRIMARY KEY (namespace, key)
  );
  CREATE TABLE kv_usage (namespace TEXT PRIMARY KEY, keys BIGINT NOT NULL, bytes BIGINT NOT NULL);
  CREATE TABLE lock_tickets (
    id INTEGER PRIMARY KEY AUTOINCREMENT, owner TEXT NOT NULL, pid BIGINT NOT NULL,
    since BIGINT NOT NULL, heartbeat BIGINT NOT NULL
  );
  CREATE TABLE lock_keys (
    ticket INTEGER NOT NULL REFERENCES lock_tickets (id) ON DELETE CASCADE,
    key TEXT NOT NULL, exclusive INTEGER NOT NULL, tree INTEGER NOT NULL
  );
  CREATE INDEX lock_keys_ticket ON lock_keys (ticket);
  CREATE TABLE journal_entries (
    id INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, phase TEXT NOT NULL, call_id TEXT NOT NULL,
    task_id TEXT, session_id TEXT NOT NULL, tool TEXT NOT NULL, time BIGINT NOT NULL, standing INTEGER
  );
  CREATE INDEX journal_entries_unfinished ON journal_entries (id) WHERE phase <> 'done';
  CREATE INDEX journal_entries_call ON journal_entries (call_id);
  CREATE INDEX journal_entries_task ON journal_entries (task_id);
  CREATE TABLE journal_changes (
    entry INTEGER NOT NULL REFERENCES journal_entries (id) ON DELETE CASCADE,
    seq INTEGER NOT NULL, op TEXT NOT NULL, path TEXT NOT NULL, from_path TEXT,
    size_before BIGINT, size_after BIGINT, implied INTEGER NOT NULL, undone INTEGER NOT NULL,
    inverts_entry INTEGER, inverts_seq INTEGER, step TEXT NOT NULL,
    PRIMARY KEY (entry, seq)
  );
  CREATE INDEX journal_changes_path ON journal_changes (path);
  CREATE INDEX journal_changes_from ON journal_changes (from_path);
  CREATE TABLE journal_blobs (
    entry INTEGER NOT NULL, seq INTEGER NOT NULL, hash TEXT NOT NULL, bytes BIGINT NOT NULL,
    PRIMARY KEY (entry, seq, hash),
    FOREIGN KEY (entry, seq) REFERENCES journal_changes (entry, seq) ON DELETE CASCADE
  );
  CREATE INDEX journal_blobs_hash ON journal_blobs (hash);
  `,
];

/** Bring the schema to the newest version; a version from the future is refused. */
export async function migrate(database: Database, steps: readonly string[] = migrations): Promise<void> {
  const version = schemaVersion(database);
  refuseNewer(version, database.file, steps.length);
  if (version === steps.length) return;
  await database.write(() => {
    // Another process may have migrated while this one waited for its turn.
    const current = schemaVersion(database);
    refuseNewer(current, database.file, steps.length);
    for (const step of steps.slice(current)) database.exec(step);
    database.exec(`PRAGMA user_version = ${steps.length}`);
  });
}

/** Refuse a schema that a later Tenon made. */
export function refuseNewer(version: number, file: string, known: number = migrations.length): void {
  if (version <= known) return;
  throw new ToolUnavailableError(
    `The state ${file} has schema version ${version}, but this Tenon knows only up to ${known}.`,
    {
      code: "STATE_TOO_NEW",
      hint: "Update Tenon, or choose another state directory (TENON_STATE_DIR). The state was not touched.",
      retryable: false,
    },
  );
}

function schemaVersion(database: Database): number {
  return database.get<{ user_version: number }>("PRAGMA user_version")?.user_version ?? 0;
}
