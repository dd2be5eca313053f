import type { JournalLimits } from "../contract/ports/journal.js";
import type { Database } from "./database.js";

const finished = "entry IN (SELECT id FROM journal_entries WHERE phase = 'done')";

/** Forget finished changes, of one path or all; returns how many. */
export function clearChanges(database: Database, path: string | undefined): number {
  const count = "SELECT count(*) AS n FROM journal_changes WHERE implied = 0 AND";
  if (path === undefined) {
    const cleared = database.get<{ n: number }>(`${count} ${finished}`)?.n ?? 0;
    database.run("DELETE FROM journal_entries WHERE phase = 'done'");
    return cleared;
  }
  const ofPath = `${finished} AND (path = ? OR from_path = ?)`;
  const cleared = database.get<{ n: number }>(`${count} ${ofPath}`, path, path)?.n ?? 0;
  database.run(`DELETE FROM journal_changes WHERE ${ofPath}`, path, path);
  // A parent directory that came along has no meaning without what it came along with.
  database.run(
    `DELETE FROM journal_entries WHERE phase = 'done' AND NOT EXISTS
       (SELECT 1 FROM journal_changes c WHERE c.entry = journal_entries.id AND c.implied = 0)`,
  );
  return cleared;
}

/** Forget the oldest finished entries until the rest is within the limits; returns how many. */
export function pruneEntries(database: Database, limits: JournalLimits, now: number): number {
  let pruned = database.run(
    "DELETE FROM journal_entries WHERE phase = 'done' AND time < ?",
    now - limits.maxAgeMs,
  );
  while (keptBytes(database) > limits.maxBytes) {
    const dropped = dropOldest(database);
    if (dropped === 0) break;
    pruned += dropped;
  }
  return pruned;
}

/** In slices of the whole, since each look at the sum reads all rows. */
function dropOldest(database: Database): number {
  const total = database.get<{ n: number }>("SELECT count(*) AS n FROM journal_entries")?.n ?? 0;
  return database.run(
    `DELETE FROM journal_entries WHERE id IN
       (SELECT id FROM journal_entries WHERE phase = 'done' ORDER BY id LIMIT ?)`,
    Math.ceil(total / 32),
  );
}

/** Bytes of content that entries need; each content counts once, however many share it. */
export function keptBytes(database: Database): number {
  const each = "SELECT hash, max(bytes) AS bytes FROM journal_blobs GROUP BY hash";
  return database.get<{ n: number }>(`SELECT coalesce(sum(bytes), 0) AS n FROM (${each}) AS kept`)?.n ?? 0;
}
