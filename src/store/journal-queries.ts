import type {
  ChangeRecord,
  ChangeSelector,
  HistoryQuery,
  JournalChange,
  JournalEntry,
  JournalPhase,
  JournalStep,
} from "../contract/ports/journal.js";
import type { Database } from "./database.js";
import { parseColumn } from "./json-column.js";

interface EntryRow {
  id: number;
  kind: "change" | "undo";
  phase: JournalPhase;
  call_id: string;
  task_id: string | null;
  session_id: string;
  tool: string;
  time: number;
  standing: number | null;
}

/** A row of the table of changes. */
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

/** Entries that are neither done nor discarded, oldest first. */
export function unfinishedEntries(database: Database): JournalEntry[] {
  const rows = database.all<EntryRow>("SELECT * FROM journal_entries WHERE phase <> 'done' ORDER BY id");
  return rows.map((row) => toEntry(database, row));
}

/** Finished entries that are meant, newest first, with those of their changes that still stand. */
export function selectEntries(database: Database, selector: ChangeSelector): JournalEntry[] {
  return selectRows(database, selector).map((row) => {
    const entry = toEntry(database, row);
    return { ...entry, changes: entry.changes.filter((change) => !change.undone) };
  });
}

function selectRows(database: Database, selector: ChangeSelector): EntryRow[] {
  const standing = "EXISTS (SELECT 1 FROM journal_changes c WHERE c.entry = e.id AND c.undone = 0)";
  if ("callId" in selector) {
    const sql = `SELECT * FROM journal_entries e
      WHERE phase = 'done' AND call_id = ? AND ${standing} ORDER BY id DESC`;
    return database.all<EntryRow>(sql, selector.callId);
  }
  if ("taskId" in selector) {
    const sql = `SELECT * FROM journal_entries e
      WHERE phase = 'done' AND kind = 'change' AND task_id = ? AND ${standing} ORDER BY id DESC`;
    return database.all<EntryRow>(sql, selector.taskId);
  }
  return database.all<EntryRow>(
    `SELECT e.* FROM journal_entries e JOIN journal_changes c ON c.entry = e.id
     WHERE e.phase = 'done' AND e.kind = 'change' AND c.undone = 0 AND (c.path = ? OR c.from_path = ?)
     ORDER BY e.id DESC LIMIT 1`,
    selector.path,
    selector.path,
  );
}

function toEntry(database: Database, row: EntryRow): JournalEntry {
  return {
    id: row.id,
    kind: row.kind,
    phase: row.phase,
    time: row.time,
    ...(row.standing === null ? {} : { standing: row.standing }),
    origin: {
      callId: row.call_id,
      ...(row.task_id === null ? {} : { taskId: row.task_id }),
      sessionId: row.session_id,
      tool: row.tool,
    },
    changes: changesOf(database, row.id),
  };
}

/** The changes of an entry, in the order they happened. */
export function changesOf(database: Database, entry: number): JournalEntry["changes"] {
  const rows = database.all<ChangeRow>("SELECT * FROM journal_changes WHERE entry = ? ORDER BY seq", entry);
  return rows.map((row) => {
    const inverts = invertsOf(row);
    return {
      seq: row.seq,
      op: row.op,
      step: parseColumn<JournalStep>(row.step, `journal entry ${entry}`, database.file),
      sizeBefore: row.size_before,
      sizeAfter: row.size_after,
      implied: row.implied === 1,
      undone: row.undone === 1,
      ...(inverts === undefined ? {} : { inverts }),
      blobs: database.all<{ hash: string; size: number }>(
        "SELECT hash, bytes AS size FROM journal_blobs WHERE entry = ? AND seq = ?",
        entry,
        row.seq,
      ),
    };
  });
}

/** Which change a row takes back. */
export function invertsOf(
  row: Pick<ChangeRow, "inverts_entry" | "inverts_seq"> | undefined,
): JournalChange["inverts"] {
  if (row === undefined || row.inverts_entry === null || row.inverts_seq === null) return undefined;
  return { entry: row.inverts_entry, seq: row.inverts_seq };
}

/** Lines of the history, newest first. */
export function historyOf(database: Database, { path, limit = 100 }: HistoryQuery): ChangeRecord[] {
  const rows = database.all<ChangeRow & EntryRow>(
    `SELECT e.*, c.* FROM journal_changes c JOIN journal_entries e ON e.id = c.entry
     WHERE e.phase = 'done' AND c.implied = 0 AND (? = 0 OR c.path = ? OR c.from_path = ?)
     ORDER BY e.id DESC, c.seq DESC LIMIT ?`,
    path === undefined ? 0 : 1,
    path ?? "",
    path ?? "",
    limit,
  );
  return rows.map((row) => ({
    id: row.entry,
    callId: row.call_id,
    ...(row.task_id === null ? {} : { taskId: row.task_id }),
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

/** Whether any entry still needs a content. */
export function isReferenced(database: Database, hash: string): boolean {
  return database.get("SELECT 1 AS found FROM journal_blobs WHERE hash = ? LIMIT 1", hash) !== undefined;
}
