import type { JournalPhase, JournalStep, JournalStore, NewJournalEntry } from "../contract/ports/journal.js";
import type { Database } from "./database.js";
import { toColumn } from "./json-column.js";
import {
  changesOf,
  historyOf,
  invertsOf,
  isReferenced,
  selectEntries,
  unfinishedEntries,
} from "./journal-queries.js";
import type { ChangeRow } from "./journal-queries.js";
import { clearChanges, keptBytes, pruneEntries } from "./journal-retention.js";

/** The journal's rows in the database. */
export function createJournalRows(database: Database): JournalStore {
  const setPhase = (id: number, phase: JournalPhase): number =>
    database.run("UPDATE journal_entries SET phase = ? WHERE id = ?", phase, id);

  return {
    begin: (entry) => database.write(() => insertEntry(database, entry)),
    commit: (id, steps) =>
      database.write(
        () => {
          const sql = "UPDATE journal_changes SET step = ? WHERE entry = ? AND seq = ?";
          for (const [seq, step] of steps.entries()) database.run(sql, stepColumn(step), id, seq);
          setPhase(id, "committing");
        },
        { durable: true },
      ),
    clean: async (id) => void (await database.write(() => setPhase(id, "cleaning"), { durable: true })),
    finish: (id, options) =>
      database.write(() => {
        setPhase(id, "done");
        for (const change of changesOf(database, id)) markInverted(database, change.inverts);
      }, options),
    retreat: async (id, standing) => {
      const sql = "UPDATE journal_entries SET standing = ? WHERE id = ?";
      await database.write(() => database.run(sql, standing, id), { durable: true });
    },
    discard: async (id) =>
      void (await database.write(() => database.run("DELETE FROM journal_entries WHERE id = ?", id))),
    fail: async (id) => void (await database.write(() => setPhase(id, "failed"))),
    unfinished: async () => unfinishedEntries(database),
    select: async (selector) => selectEntries(database, selector),
    history: async (query) => historyOf(database, query),
    clear: (path) => database.write(() => clearChanges(database, path)),
    prune: (limits, now) => database.write(() => pruneEntries(database, limits, now)),
    usage: async () => ({
      entries: database.get<{ n: number }>("SELECT count(*) AS n FROM journal_entries")?.n ?? 0,
      bytes: keptBytes(database),
    }),
    unreferenced: async (hashes) => hashes.filter((hash) => !isReferenced(database, hash)),
  };
}

function insertEntry(database: Database, entry: NewJournalEntry): number {
  const { origin } = entry;
  const id = database.insert(
    `INSERT INTO journal_entries (kind, phase, call_id, task_id, session_id, tool, time)
     VALUES (?, 'staging', ?, ?, ?, ?, ?)`,
    entry.kind,
    origin.callId,
    origin.taskId ?? null,
    origin.sessionId,
    origin.tool,
    entry.time,
  );
  for (const seq of entry.changes.keys()) insertChange(database, id, { entry, seq });
  return id;
}

function insertChange(
  database: Database,
  id: number,
  { entry, seq }: { entry: NewJournalEntry; seq: number },
): void {
  const change = entry.changes[seq];
  if (change === undefined) return;
  const [path, from] = pathsOf(change.step);
  database.run(
    `INSERT INTO journal_changes (entry, seq, op, path, from_path, size_before, size_after, implied, undone,
       inverts_entry, inverts_seq, step)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0, ?, ?, ?)`,
    id,
    seq,
    change.op,
    path,
    from,
    change.sizeBefore,
    change.sizeAfter,
    change.implied ? 1 : 0,
    change.inverts?.entry ?? null,
    change.inverts?.seq ?? null,
    stepColumn(change.step),
  );
  const sql =
    "INSERT INTO journal_blobs (entry, seq, hash, bytes) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING";
  for (const { hash, size } of change.blobs) database.run(sql, id, seq, hash, size);
}

function stepColumn(step: JournalStep): string {
  return toColumn(step, "A step of the journal");
}

function pathsOf(step: JournalStep): [path: string, from: string | null] {
  return step.kind === "set" ? [step.path, null] : [step.to, step.from];
}

/** What is taken back is undone; what that had taken back stands again, and so on down the chain. */
function markInverted(database: Database, inverted: { entry: number; seq: number } | undefined): void {
  let undone = 1;
  for (let next = inverted; next !== undefined; undone = 1 - undone) {
    const { entry, seq } = next;
    database.run("UPDATE journal_changes SET undone = ? WHERE entry = ? AND seq = ?", undone, entry, seq);
    const sql = "SELECT inverts_entry, inverts_seq FROM journal_changes WHERE entry = ? AND seq = ?";
    next = invertsOf(database.get<ChangeRow>(sql, entry, seq));
  }
}
