import type { BlobRef } from "../contract/ports/blobs.js";
import type {
  ChangeRecord,
  ChangeSelector,
  HistoryQuery,
  JournalChange,
  JournalEntry,
  JournalPhase,
  JournalStep,
} from "../contract/ports/journal.js";
import { parseColumn } from "./json-column.js";
import type { Sql } from "./sql.js";

interface EntryRow {
  id: number;
  kind: "change" | "undo";
  phase: JournalPhase;
  call_id: string;
  command_call_id: string | null;
  task_id: string | null;
  session_id: string;
  tool: string;
  time: number;
  standing: number | null;
}

export interface ChangeRow {
  entry: number;
  seq: number;
  op: string;
  path: string;
  from_path: string | null;
  size_before: number | null;
  size_after: number | null;
  implied: number;
  undone: number;
  inverts_entry: number | null;
  inverts_seq: number | null;
  step: string;
}

/** Where the journal's rows are, and whose files they are about. */
export interface JournalRows {
  readonly sql: Sql;
  /** Only entries of this place are seen: others are about the files of another machine. */
  readonly place: string;
  /** The name of the database in messages. */
  readonly name: string;
}

/** Whether a place has entries that are neither done nor discarded. */
export const anyUnfinished = "SELECT 1 FROM journal_entries WHERE phase <> 'done' AND place = ? LIMIT 1";

/** Entries that are neither done nor discarded, oldest first. */
export async function unfinishedEntries(rows: JournalRows): Promise<JournalEntry[]> {
  const sql = "SELECT * FROM journal_entries WHERE phase <> 'done' AND place = ? ORDER BY id";
  return toEntries(rows, await rows.sql.all<EntryRow>(sql, [rows.place]));
}

/** Finished entries that are meant, newest first, with those of their changes that still stand. */
export async function selectEntries(rows: JournalRows, selector: ChangeSelector): Promise<JournalEntry[]> {
  const entries = await toEntries(rows, await selectRows(rows, selector));
  return entries.map((entry) => ({ ...entry, changes: entry.changes.filter((change) => !change.undone) }));
}

/** Whether finished changes are meant; what stands of them is for `selectEntries` to say. */
export async function wasUndone({ sql, place }: JournalRows, selector: ChangeSelector): Promise<boolean> {
  const [condition, ...values] =
    "callId" in selector
      ? ["(e.call_id = ? OR e.command_call_id = ?)", selector.callId, selector.callId]
      : "taskId" in selector
        ? ["e.task_id = ?", selector.taskId]
        : ["c.path = ?", selector.path];
  const found = await sql.get(
    `SELECT 1 FROM journal_entries e JOIN journal_changes c ON c.entry = e.id
     WHERE e.phase = 'done' AND e.place = ? AND e.kind = 'change' AND c.undone = 1 AND ${condition} LIMIT 1`,
    [place, ...values],
  );
  return found !== undefined;
}

function selectRows({ sql, place }: JournalRows, selector: ChangeSelector): Promise<EntryRow[]> {
  const standing = "EXISTS (SELECT 1 FROM journal_changes c WHERE c.entry = e.id AND c.undone = 0)";
  if ("callId" in selector) {
    const text = `SELECT * FROM journal_entries e
      WHERE phase = 'done' AND place = ? AND (call_id = ? OR command_call_id = ?) AND ${standing} ORDER BY id DESC`;
    return sql.all<EntryRow>(text, [place, selector.callId, selector.callId]);
  }
  if ("taskId" in selector) {
    const text = `SELECT * FROM journal_entries e
      WHERE phase = 'done' AND place = ? AND kind = 'change' AND task_id = ? AND ${standing} ORDER BY id DESC`;
    return sql.all<EntryRow>(text, [place, selector.taskId]);
  }
  return sql.all<EntryRow>(
    `SELECT e.* FROM journal_entries e JOIN journal_changes c ON c.entry = e.id
     WHERE e.phase = 'done' AND e.place = ? AND e.kind = 'change' AND c.undone = 0
       AND (c.path = ? OR c.from_path = ?)
     ORDER BY e.id DESC LIMIT 1`,
    [place, selector.path, selector.path],
  );
}

async function toEntries(rows: JournalRows, found: readonly EntryRow[]): Promise<JournalEntry[]> {
  const entries: JournalEntry[] = [];
  for (const row of found) entries.push(toEntry(row, await changesOf(rows, row.id)));
  return entries;
}

function toEntry(row: EntryRow, changes: JournalEntry["changes"]): JournalEntry {
  return {
    id: row.id,
    kind: row.kind,
    phase: row.phase,
    time: row.time,
    ...(row.standing === null ? {} : { standing: row.standing }),
    origin: {
      callId: row.call_id,
      ...(row.command_call_id === null ? {} : { commandCallId: row.command_call_id }),
      ...(row.task_id === null ? {} : { taskId: row.task_id }),
      sessionId: row.session_id,
      tool: row.tool,
    },
    changes,
  };
}

/** The changes of an entry, in the order they happened. */
async function changesOf({ sql, name }: JournalRows, entry: number): Promise<JournalEntry["changes"]> {
  const rows = await sql.all<ChangeRow>("SELECT * FROM journal_changes WHERE entry = ? ORDER BY seq", [
    entry,
  ]);
  const blobs = await blobsOf(sql, entry);
  return rows.map((row) => {
    const inverts = invertsOf(row);
    return {
      seq: row.seq,
      op: row.op,
      step: parseColumn<JournalStep>(row.step, `journal entry ${entry}`, name),
      sizeBefore: row.size_before,
      sizeAfter: row.size_after,
      implied: row.implied === 1,
      undone: row.undone === 1,
      ...(inverts === undefined ? {} : { inverts }),
      blobs: blobs.get(row.seq) ?? [],
    };
  });
}

/** The contents that the changes of an entry need, by their place in it. */
async function blobsOf(sql: Sql, entry: number): Promise<Map<number, BlobRef[]>> {
  const bySeq = new Map<number, BlobRef[]>();
  const text = "SELECT seq, hash, bytes AS size FROM journal_blobs WHERE entry = ?";
  for (const { seq, ...blob } of await sql.all<BlobRef & { seq: number }>(text, [entry])) {
    const known = bySeq.get(seq);
    if (known) known.push(blob);
    else bySeq.set(seq, [blob]);
  }
  return bySeq;
}

/** Which change a row takes back. */
export function invertsOf(
  row: Pick<ChangeRow, "inverts_entry" | "inverts_seq"> | undefined,
): JournalChange["inverts"] {
  if (row === undefined || row.inverts_entry === null || row.inverts_seq === null) return undefined;
  return { entry: row.inverts_entry, seq: row.inverts_seq };
}

/** Lines of the history, newest first. */
export async function historyOf(
  { sql, place }: JournalRows,
  { path, limit = 100 }: HistoryQuery,
): Promise<ChangeRecord[]> {
  const rows = await sql.all<ChangeRow & EntryRow>(
    `SELECT e.*, c.* FROM journal_changes c JOIN journal_entries e ON e.id = c.entry
     WHERE e.phase = 'done' AND e.place = ? AND c.implied = 0 ${path === undefined ? "" : "AND (c.path = ? OR c.from_path = ?)"}
     ORDER BY e.id DESC, c.seq DESC LIMIT ?`,
    [place, ...(path === undefined ? [] : [path, path]), limit],
  );
  return rows.map((row) => ({
    id: row.entry,
    callId: row.call_id,
    ...(row.command_call_id === null ? {} : { commandCallId: row.command_call_id }),
    ...(row.task_id === null ? {} : { taskId: row.task_id }),
    sessionId: row.session_id,
    tool: row.tool,
    time: row.time,
    path: row.path,
    ...(row.from_path === null ? {} : { from: row.from_path }),
    op: row.op,
    sizeBefore: row.size_before,
    sizeAfter: row.size_after,
    undone: row.undone === 1,
  }));
}

/** Which of these contents no entry needs any more. */
export async function unreferencedOf({ sql }: JournalRows, hashes: readonly string[]): Promise<string[]> {
  const free: string[] = [];
  for (let first = 0; first < hashes.length; first += hashesAtOnce) {
    const some = hashes.slice(first, first + hashesAtOnce);
    const marks = some.map(() => "?").join(", ");
    const text = `SELECT DISTINCT hash FROM journal_blobs WHERE hash IN (${marks})`;
    const needed = new Set((await sql.all<{ hash: string }>(text, some)).map(({ hash }) => hash));
    free.push(...some.filter((hash) => !needed.has(hash)));
  }
  return free;
}

const hashesAtOnce = 50;
