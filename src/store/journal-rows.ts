import type {
  JournalChange,
  JournalPhase,
  FinalSteps,
  JournalStep,
  JournalStore,
  NewJournalEntry,
} from "../contract/ports/journal.js";
import { createInsert } from "./insert-rows.js";
import { parseColumn } from "./json-column.js";
import {
  historyOf,
  invertsOf,
  selectEntries,
  anyUnfinished,
  unfinishedEntries,
  unreferencedOf,
  wasUndone,
  type ChangeRow,
  type JournalRows,
} from "./journal-queries.js";
import { countEntries, keptBytes, pruneEntries } from "./journal-prune.js";
import { standingSql } from "./lock-rows.js";
import { lockLost } from "./locks.js";
import type { OwnerGuard } from "./ownership.js";
import type { Sql, SqlDatabase, SqlValue, TransactionOptions } from "./sql.js";

const durable = { durable: true };

/** What must hold for a write. */
interface WriteGuards {
  /** The number of the writer's lock. */
  readonly fence?: number | undefined;
  /** Of the worker that owns the workspace. */
  readonly owner?: OwnerGuard | undefined;
}

/** The journal's rows in the database, of one place; with a fence, writes are the holder's of that lock only. */
export function createJournalRows(
  database: SqlDatabase,
  place: string,
  guards: WriteGuards = {},
): JournalStore {
  const { fence, owner } = guards;
  const rows = (sql: Sql): JournalRows => ({ sql, place, name: database.name });
  const inOne = <Result>(read: (rows: JournalRows) => Promise<Result>): Promise<Result> =>
    database.snapshot((tx) => read(rows(tx)));
  const write = <Result>(work: (tx: Sql) => Promise<Result>, options?: TransactionOptions): Promise<Result> =>
    database.transaction(async (tx) => {
      if (fence !== undefined) await requireLock(tx, fence);
      await owner?.require(tx);
      return work(tx);
    }, options);
  return {
    fenced: (own) => createJournalRows(database, place, { owner, fence: own }),
    begin: (entry, { prepared = false } = {}) =>
      write((tx) => insertEntry(tx, entry, { place, phase: prepared ? "committing" : "staging" }), {
        durable: prepared,
      }),
    commit: (id, steps) =>
      write(async (tx) => {
        await setSteps(tx, id, steps);
        await setPhase(tx, id, "committing");
      }, durable),
    clean: (id) => write((tx) => setPhase(tx, id, "cleaning"), durable),
    finish: (id, options) =>
      write(async (tx) => {
        await setPhase(tx, id, "done");
        await setSteps(tx, id, options?.steps);
        const own = await tx.all<ChangeRow>(finishedChanges, [id]);
        for (const change of own) await markInverted(tx, invertsOf(change));
        return releaseSuperseded(rows(tx), own);
      }, options),
    async retreat(id, standing) {
      const sql = "UPDATE journal_entries SET standing = ? WHERE id = ?";
      await write((tx) => tx.run(sql, [standing, id]), durable);
    },
    discard: async (id) =>
      void (await write((tx) => tx.run("DELETE FROM journal_entries WHERE id = ?", [id]))),
    fail: (id) => write((tx) => setPhase(tx, id, "failed")),
    // Before each change, where nothing is unfinished as a rule.
    unfinished: async () =>
      (await database.get(anyUnfinished, [place])) === undefined ? [] : inOne(unfinishedEntries),
    select: (selector) => inOne((all) => selectEntries(all, selector)),
    wasUndone: (selector) => wasUndone(rows(database), selector),
    history: (query) => historyOf(rows(database), query),
    changesAfter: (path, change) => changesAfter(rows(database), path, change),
    clear: (path) => write((tx) => clearChanges(rows(tx), path)),
    prune: (limits, now) => write((tx) => pruneEntries(rows(tx), limits, now)),
    usage: () => inOne(async (all) => ({ entries: await countEntries(all), bytes: await keptBytes(all) })),
    unreferenced: (hashes) => unreferencedOf(rows(database), hashes),
  };
}

/** Of a finished entry: what takes an earlier change back, and what holds a difference (none of a command's many does). */
const finishedChanges = `SELECT * FROM journal_changes
  WHERE entry = ? AND (inverts_entry IS NOT NULL OR step LIKE '%"delta":%') ORDER BY seq`;

/** Writers take turns, so a lock that stands now stands until this transaction is over. */
async function requireLock(tx: Sql, fence: number): Promise<void> {
  if ((await tx.get(standingSql, [fence])) === undefined) throw lockLost("of the journal");
}

async function setPhase(sql: Sql, id: number, phase: JournalPhase): Promise<void> {
  await sql.run("UPDATE journal_entries SET phase = ? WHERE id = ?", [phase, id]);
}

async function setSteps(sql: Sql, id: number, steps: FinalSteps = []): Promise<void> {
  const update = "UPDATE journal_changes SET step = ? WHERE entry = ? AND seq = ?";
  for (const [seq, step] of steps.entries()) {
    if (step !== undefined) await sql.run(update, [JSON.stringify(step), id, seq]);
  }
}

async function insertEntry(
  tx: Sql,
  entry: NewJournalEntry,
  { place, phase }: { readonly place: string; readonly phase: JournalPhase },
): Promise<number> {
  const { origin } = entry;
  const row = await tx.get<{ id: number }>(
    `INSERT INTO journal_entries (kind, phase, call_id, command_call_id, task_id, session_id, tool, time, place)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id`,
    [
      entry.kind,
      phase,
      origin.callId,
      origin.commandCallId ?? null,
      origin.taskId ?? null,
      origin.sessionId,
      origin.tool,
      entry.time,
      place,
    ],
  );
  const id = row?.id ?? 0;
  await insertChanges(tx, changeRows(entry.changes, id));
  await insertBlobs(tx, blobRows(entry.changes, id));
  return id;
}

function* changeRows(changes: readonly JournalChange[], id: number): Generator<readonly SqlValue[]> {
  for (const [seq, { op, step, sizeBefore, sizeAfter, implied, inverts }] of changes.entries()) {
    const [path, from] = step.kind === "move" ? [step.to, step.from] : [step.path, null];
    const inverted = [inverts?.entry ?? null, inverts?.seq ?? null];
    const flags = [implied ? 1 : 0, 0];
    yield [id, seq, op, path, from, sizeBefore, sizeAfter, ...flags, ...inverted, JSON.stringify(step)];
  }
}

function* blobRows(changes: readonly JournalChange[], id: number): Generator<readonly SqlValue[]> {
  for (const [seq, { blobs }] of changes.entries())
    for (const { hash, size } of blobs) yield [id, seq, hash, size];
}

const insertChanges = createInsert({
  table: "journal_changes",
  columns: [
    "entry",
    "seq",
    "op",
    "path",
    "from_path",
    "size_before",
    "size_after",
    "implied",
    "undone",
    "inverts_entry",
    "inverts_seq",
    "step",
  ],
});

const insertBlobs = createInsert({
  table: "journal_blobs",
  columns: ["entry", "seq", "hash", "bytes"],
  suffix: "ON CONFLICT DO NOTHING",
});

/** What is taken back is undone; what that had taken back stands again, and so on down the chain. */
async function markInverted(tx: Sql, inverted: { entry: number; seq: number } | undefined): Promise<void> {
  let undone = 1;
  for (let next = inverted; next !== undefined; undone = 1 - undone) {
    const change = [next.entry, next.seq];
    await tx.run("UPDATE journal_changes SET undone = ? WHERE entry = ? AND seq = ?", [undone, ...change]);
    const sql = "SELECT inverts_entry, inverts_seq FROM journal_changes WHERE entry = ? AND seq = ?";
    next = invertsOf(await tx.get<ChangeRow>(sql, change));
  }
}

const finished = "entry IN (SELECT id FROM journal_entries WHERE phase = 'done' AND place = ?)";

/** Forget finished changes, of one path or all; returns how many. */
async function clearChanges({ sql, place }: JournalRows, path: string | undefined): Promise<number> {
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

const ofPath = `FROM journal_changes c JOIN journal_entries e ON e.id = c.entry
  WHERE e.phase = 'done' AND e.place = ? AND c.path = ?`;

/** How a path was changed after a change of it, oldest first. */
async function changesAfter(
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
async function releaseSuperseded(rows: JournalRows, own: readonly ChangeRow[]): Promise<string[]> {
  const { sql, name } = rows;
  const released = new Set<string>();
  for (const row of own) {
    const step = parseColumn<JournalStep>(row.step, `journal entry ${row.entry}`, name);
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
  return released.size === 0 ? [] : unreferencedOf(rows, [...released]);
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

/** Looked up after each change, so it must not read all changes of the path. */
export const changeBeforeSql = `SELECT c.entry, c.seq, c.step ${ofPath}
  AND (c.entry < ? OR (c.entry = ? AND c.seq < ?)) ORDER BY c.entry DESC, c.seq DESC LIMIT 1`;

async function changeBefore(
  { sql, place, name }: JournalRows,
  { entry, seq, path }: ChangeRow,
): Promise<{ entry: number; seq: number; step: JournalStep } | undefined> {
  const row = await sql.get<ChangeRow>(changeBeforeSql, [place, path, entry, entry, seq]);
  if (row === undefined) return undefined;
  return {
    entry: row.entry,
    seq: row.seq,
    step: parseColumn<JournalStep>(row.step, `journal entry ${row.entry}`, name),
  };
}
