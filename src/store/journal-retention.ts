import type { JournalLimits } from "../contract/ports/journal.js";
import type { JournalRows } from "./journal-queries.js";

const finished = "entry IN (SELECT id FROM journal_entries WHERE phase = 'done' AND place = ?)";

/** Forget finished changes, of one path or all; returns how many. */
export async function clearChanges({ sql, place }: JournalRows, path: string | undefined): Promise<number> {
  const count = "SELECT count(*) AS n FROM journal_changes WHERE implied = 0 AND";
  if (path === undefined) {
    const cleared = (await sql.get<{ n: number }>(`${count} ${finished}`, [place]))?.n ?? 0;
    await sql.run("DELETE FROM journal_entries WHERE phase = 'done' AND place = ?", [place]);
    return cleared;
  }
  const ofPath = `${finished} AND (path = ? OR from_path = ?)`;
  const cleared = (await sql.get<{ n: number }>(`${count} ${ofPath}`, [place, path, path]))?.n ?? 0;
  await sql.run(`DELETE FROM journal_changes WHERE ${ofPath}`, [place, path, path]);
  // A parent directory that came along has no meaning without what it came along with.
  await sql.run(
    `DELETE FROM journal_entries WHERE phase = 'done' AND place = ? AND NOT EXISTS
       (SELECT 1 FROM journal_changes c WHERE c.entry = journal_entries.id AND c.implied = 0)`,
    [place],
  );
  return cleared;
}

/** Forget the oldest finished entries until the rest is within the limits; returns how many. */
export async function pruneEntries(rows: JournalRows, limits: JournalLimits, now: number): Promise<number> {
  const old = "DELETE FROM journal_entries WHERE phase = 'done' AND place = ? AND time < ?";
  let pruned = (await rows.sql.run(old, [rows.place, now - limits.maxAgeMs])).changes;
  while ((await keptBytes(rows)) > limits.maxBytes) {
    const dropped = await dropOldest(rows);
    if (dropped === 0) break;
    pruned += dropped;
  }
  return pruned;
}

/** In slices of the whole, since each look at the sum reads all rows. */
async function dropOldest(rows: JournalRows): Promise<number> {
  const { changes } = await rows.sql.run(
    `DELETE FROM journal_entries WHERE id IN
       (SELECT id FROM journal_entries WHERE phase = 'done' AND place = ? ORDER BY id LIMIT ?)`,
    [rows.place, Math.ceil((await countEntries(rows)) / 32)],
  );
  return changes;
}

/** How many entries there are, finished or not. */
export async function countEntries({ sql, place }: JournalRows): Promise<number> {
  const count = "SELECT count(*) AS n FROM journal_entries WHERE place = ?";
  return (await sql.get<{ n: number }>(count, [place]))?.n ?? 0;
}

/** Bytes of content that entries need; each content counts once, however many share it. */
export async function keptBytes({ sql, place }: JournalRows): Promise<number> {
  const each = `SELECT b.hash, max(b.bytes) AS bytes FROM journal_blobs b
    JOIN journal_entries e ON e.id = b.entry WHERE e.place = ? GROUP BY b.hash`;
  const total = `SELECT coalesce(sum(bytes), 0) AS n FROM (${each}) AS kept`;
  return (await sql.get<{ n: number }>(total, [place]))?.n ?? 0;
}
