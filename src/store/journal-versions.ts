import type { JournalStep } from "../contract/ports/journal.js";
import { parseColumn } from "./json-column.js";
import type { ChangeRow, JournalRows } from "./journal-queries.js";

const ofPath = `FROM journal_changes c JOIN journal_entries e ON e.id = c.entry
  WHERE e.phase = 'done' AND e.place = ? AND c.path = ?`;

/** How a path was changed after a change of it, oldest first. */
export async function changesAfter(
  { sql, place, name }: JournalRows,
  path: string,
  { entry, seq }: { readonly entry: number; readonly seq: number },
): Promise<JournalStep[]> {
  const rows = await sql.all<Pick<ChangeRow, "step" | "entry">>(
    `SELECT c.step, c.entry ${ofPath} AND (c.entry > ? OR (c.entry = ? AND c.seq > ?)) ORDER BY c.entry, c.seq`,
    [place, path, entry, entry, seq],
  );
  return rows.map((row) => parseColumn<JournalStep>(row.step, `journal entry ${row.entry}`, name));
}

/**
 * The newest version of a file is kept whole, so that what others change later can be compared with it. Once the next
 * change holds a difference to it, the older change needs it no more: it can be traced back. Returns such contents
 * that no entry needs.
 */
export async function releaseSuperseded(rows: JournalRows, id: number): Promise<string[]> {
  const { sql, name } = rows;
  const own = await sql.all<ChangeRow>("SELECT * FROM journal_changes WHERE entry = ? ORDER BY seq", [id]);
  const released = new Set<string>();
  for (const row of own) {
    const step = parseColumn<JournalStep>(row.step, `journal entry ${id}`, name);
    const hash = hashOfDifference(step);
    if (hash === undefined) continue;
    const earlier = await changeBefore(rows, row);
    if (earlier === undefined || !leftOnly(earlier.step, hash)) continue;
    await sql.run("DELETE FROM journal_blobs WHERE entry = ? AND seq = ? AND hash = ?", [
      earlier.entry,
      earlier.seq,
      hash,
    ]);
    released.add(hash);
  }
  return unneeded(rows, [...released]);
}

function hashOfDifference(step: JournalStep): string | undefined {
  if (step.kind !== "set" || step.before?.type !== "file" || step.before.delta === undefined)
    return undefined;
  return step.before.hash === "" ? undefined : step.before.hash;
}

/** Whether a content is what a step left, and nothing that it needs for its own undo. */
function leftOnly(step: JournalStep, hash: string): boolean {
  if (step.kind !== "set" || step.after?.type !== "file" || step.after.hash !== hash) return false;
  if (step.before?.type !== "file") return true;
  const { delta } = step.before;
  if (delta === undefined) return step.before.hash !== hash;
  return !("hash" in delta.middle) || delta.middle.hash !== hash;
}

async function changeBefore(
  { sql, place, name }: JournalRows,
  { entry, seq, path }: ChangeRow,
): Promise<{ entry: number; seq: number; step: JournalStep } | undefined> {
  const row = await sql.get<ChangeRow>(
    `SELECT c.entry, c.seq, c.step ${ofPath} AND (c.entry < ? OR (c.entry = ? AND c.seq < ?))
     ORDER BY c.entry DESC, c.seq DESC LIMIT 1`,
    [place, path, entry, entry, seq],
  );
  if (row === undefined) return undefined;
  return {
    entry: row.entry,
    seq: row.seq,
    step: parseColumn<JournalStep>(row.step, `journal entry ${row.entry}`, name),
  };
}

async function unneeded({ sql }: JournalRows, hashes: readonly string[]): Promise<string[]> {
  const free: string[] = [];
  for (const hash of hashes) {
    const row = await sql.get("SELECT 1 FROM journal_blobs WHERE hash = ? LIMIT 1", [hash]);
    if (row === undefined) free.push(hash);
  }
  return free;
}
