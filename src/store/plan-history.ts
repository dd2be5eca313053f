import { ToolResourceNotFoundError, ToolValidationError } from "../contract/errors.js";
import type { RecordedChange } from "../contract/ports/actor.js";
import type { NewPlanRecord, PlanKind } from "../contract/ports/plan.js";
import { nearest } from "../schema/nearest.js";
import { toRecorded, type ChangeRow } from "./recorded-change.js";
import type { Sql, SqlValue } from "./sql.js";
import type { WorkParts } from "./work-scope.js";
import { refuseBeyond } from "./state-limits.js";

const planTables = { requirement: "requirements", feature: "features", task: "tasks" } as const;

export interface PlanKey {
  readonly kind: PlanKind;
  readonly id: string;
}

export interface PlanRow {
  id: string;
  iteration_id: string;
  title: string;
  description: string;
  created_at: number;
  updated_at: number;
}

/** The fields that all kinds share. */
export function toPlanRecord(row: PlanRow) {
  return {
    id: row.id,
    title: row.title,
    description: row.description,
    iterationId: row.iteration_id,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

/** Insert a record under an id that is still free, and write down that it was made. */
export async function insertRecord(
  parts: WorkParts,
  tx: Sql,
  { kind, record, iteration, own }: NewRecord,
): Promise<void> {
  const table = planTables[kind];
  if ((await tx.get(`SELECT 1 AS one FROM ${table} WHERE id = ?`, [record.id])) !== undefined)
    throw idTaken(kind, record.id);
  const now = parts.clock.now();
  const columns = [
    "id",
    "iteration",
    "title",
    "description",
    "created_at",
    "updated_at",
    ...Object.keys(own),
  ];
  await refuseBeyond(tx, { table, setting: "maxPlanRecords", max: parts.limits.maxPlanRecords });
  await tx.run(`INSERT INTO ${table} (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`, [
    record.id,
    iteration,
    record.title,
    record.description,
    now,
    now,
    ...Object.values(own),
  ]);
  await recordChange(parts, tx, { kind, id: record.id, what: "created" });
}

export interface NewRecord {
  readonly kind: PlanKind;
  readonly record: NewPlanRecord;
  readonly iteration: number;
  /** Columns that only this kind has. */
  readonly own: Readonly<Record<string, SqlValue>>;
}

/** Write down who changed what. */
export async function recordChange(
  { clock, scope, limits }: WorkParts,
  tx: Sql,
  { kind, id, what, note }: PlanKey & { readonly what: string; readonly note?: string | undefined },
): Promise<void> {
  const { agent, sessionId, callId } = scope.actor;
  await tx.run(
    `INSERT INTO plan_history (kind, id, at, agent, session_id, call_id, what, note) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    [kind, id, clock.now(), agent, sessionId, callId ?? null, what, note ?? null],
  );
  const own = "kind = ? AND id = ?";
  const sql = `DELETE FROM plan_history WHERE ${own} AND number <= (
    SELECT number FROM plan_history WHERE ${own} ORDER BY number DESC LIMIT 1 OFFSET ?)`;
  await tx.run(sql, [kind, id, kind, id, limits.maxHistory]);
}

/** The history of a record, oldest first. */
export async function historyOf(sql: Sql, { kind, id }: PlanKey): Promise<readonly RecordedChange[]> {
  const rows = await sql.all<ChangeRow>(
    `SELECT at, agent, session_id, call_id, what, note FROM plan_history
     WHERE kind = ? AND id = ? ORDER BY number`,
    [kind, id],
  );
  return rows.map(toRecorded);
}

/** Change the columns and references that differ, and write down what became what. */
export async function changeRecord(
  parts: WorkParts,
  tx: Sql,
  { kind, id, references, ...columns }: PlanKey & Comparison & { readonly references?: ReferenceChange },
): Promise<void> {
  const changes = [
    ...(await updateColumns(tx, { kind, id, ...columns })),
    ...(references === undefined ? [] : await updateReferences(tx, id, references)),
  ];
  if (changes.length === 0) return;
  await tx.run(`UPDATE ${planTables[kind]} SET updated_at = ? WHERE id = ?`, [parts.clock.now(), id]);
  await recordChange(parts, tx, { kind, id, what: changes.join("; ") });
}

async function updateColumns(tx: Sql, { kind, id, before, after }: PlanKey & Comparison): Promise<string[]> {
  const changed = Object.entries(after).filter(
    ([column, value]) => value !== undefined && before[column] !== value,
  );
  for (const [column, value] of changed)
    await tx.run(`UPDATE ${planTables[kind]} SET ${column} = ? WHERE id = ?`, [value ?? null, id]);
  return changed.map(([column, value]) => `${column}: ${short(before[column])} -> ${short(value)}`);
}

interface Comparison {
  readonly before: Readonly<Record<string, SqlValue | undefined>>;
  /** `undefined` leaves a column as it is. */
  readonly after: Readonly<Record<string, SqlValue | undefined>>;
}

async function updateReferences(
  tx: Sql,
  id: string,
  { table, from, to, before, after }: ReferenceChange,
): Promise<string[]> {
  if (after === undefined || after.join("\n") === before.join("\n")) return [];
  await tx.run(`DELETE FROM ${table} WHERE ${from} = ?`, [id]);
  await insertReferences(tx, id, { table, from, to, after });
  return [`${to}: ${before.join(", ") || "none"} -> ${after.join(", ") || "none"}`];
}

interface ReferenceChange {
  readonly table: "feature_requirements" | "task_needs";
  readonly from: string;
  readonly to: string;
  readonly before: readonly string[];
  readonly after: readonly string[] | undefined;
}

/** Write references down in their order. */
export async function insertReferences(
  tx: Sql,
  id: string,
  { table, from, to, after = [] }: Omit<ReferenceChange, "before">,
): Promise<void> {
  for (const [seq, target] of after.entries()) {
    await tx.run(`INSERT INTO ${table} (${from}, ${to}, seq) VALUES (?, ?, ?)`, [id, target, seq]);
  }
}

/** Refuse references to what is not there; each id once, in the order given. */
export async function checkReferences(tx: Sql, kind: PlanKind, ids: readonly string[]): Promise<string[]> {
  const distinct = [...new Set(ids)];
  for (const id of distinct) await requireRecord(tx, { kind, id });
  return distinct;
}

/** Refuse an id that is not there, with the nearest one that is. */
export async function requireRecord(tx: Sql, { kind, id }: PlanKey): Promise<void> {
  const table = planTables[kind];
  if ((await tx.get(`SELECT 1 AS one FROM ${table} WHERE id = ?`, [id])) !== undefined) return;
  const rows = await tx.all<{ id: string }>(`SELECT id FROM ${table} ORDER BY number DESC LIMIT 1000`);
  const near = nearest(
    id,
    rows.map((row) => row.id),
  );
  const hint = near === undefined ? `List what exists with get_${table}.` : `Did you mean "${near}"?`;
  throw new ToolResourceNotFoundError(`${capital(kind)} "${id}" was not found.`, {
    hint,
    details: { kind, id },
  });
}

function idTaken(kind: PlanKind, id: string): ToolValidationError {
  return new ToolValidationError(`${capital(kind)} "${id}" exists already.`, {
    code: "VALUE_INVALID",
    hint: `Choose another id, or change the one there is with update_${kind}.`,
    details: { kind, id },
  });
}

function capital(word: string): string {
  return `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`;
}

function short(value: SqlValue | undefined): string {
  if (value === null || value === undefined) return "none";
  const text = String(value);
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}
