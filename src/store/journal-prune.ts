import type { JournalLimits } from "../contract/ports/journal.js";
import type { JournalRows } from "./journal-queries.js";

/**
 * Forget the oldest finished entries until the rest is within the limits; returns how many. An entry that alone exceeds
 * the limit would push out all others: it stays as long as it is the newest one.
 */
export async function pruneEntries(rows: JournalRows, limits: JournalLimits, now: number): Promise<number> {
  const { sql, place } = rows;
  const old = "DELETE FROM journal_entries WHERE phase = 'done' AND place = ? AND time < ?";
  const huge = `DELETE FROM journal_entries WHERE phase = 'done' AND place = ? AND id IN (${hugeEntries})
    AND id < (SELECT max(id) FROM journal_entries WHERE place = ?)`;
  let pruned = (await sql.run(old, [place, now - limits.maxAgeMs])).changes;
  pruned += (await sql.run(huge, [place, limits.maxBytes, place])).changes;
  while ((await keptBytes(rows, limits.maxBytes)) > limits.maxBytes) {
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

/** Entries that alone need more than a number of bytes. */
const hugeEntries = "SELECT entry FROM journal_blobs GROUP BY entry HAVING sum(bytes) > ?";

/** Bytes of content that entries need, those of `maxEntryBytes` or less; each content counts once, however many share it. */
export async function keptBytes(
  { sql, place }: JournalRows,
  maxEntryBytes: number = Number.MAX_SAFE_INTEGER,
): Promise<number> {
  const each = `SELECT b.hash, max(b.bytes) AS bytes FROM journal_blobs b
    JOIN journal_entries e ON e.id = b.entry
    WHERE e.place = ? AND e.id NOT IN (${hugeEntries}) GROUP BY b.hash`;
  const total = `SELECT coalesce(sum(bytes), 0) AS n FROM (${each}) AS kept`;
  return (await sql.get<{ n: number }>(total, [place, maxEntryBytes]))?.n ?? 0;
}
