import { ToolResourceNotFoundError } from "../contract/errors.js";
import type { Memory, MemoryKind, MemoryLayer } from "../contract/ports/memories.js";
import { parseColumn } from "./json-column.js";
import { audienceFacet, foundBy, fromAudience } from "./memory-audience.js";
import type { Sql, SqlDatabase } from "./sql.js";
import { createTextIndex, type IndexedText, type TextIndex } from "./text-index.js";
import type { Audience } from "./work-scope.js";

/** A memory as the table holds it. */
export interface MemoryRow {
  number: number;
  kind: MemoryKind;
  layer: MemoryLayer;
  iteration: number;
  iteration_id: string;
  title: string;
  content: string;
  tags: string;
  created_at: number;
  agent: string;
  resolution: string | null;
  resolved_at: number | null;
  origin: number | null;
  reason: string | null;
  audience: string | null;
}

export const selectMemories = `SELECT m.number, m.kind, m.layer, m.iteration, i.id AS iteration_id, m.title, m.content,
    m.tags, m.created_at, m.agent, m.resolution, m.resolved_at, m.origin, m.reason, m.audience
  FROM memories m JOIN iterations i ON i.number = m.iteration`;

/** The id of a memory, as tools know it. */
export function toMemoryId(number: number): string {
  return `mem-${number}`;
}

/** The number behind an id, if it is one. */
function toMemoryNumber(id: string): number | undefined {
  const digits = /^mem-(\d{1,15})$/.exec(id)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** Read memories together with what they were promoted to. */
export async function toMemories(sql: Sql, rows: readonly MemoryRow[], database: string): Promise<Memory[]> {
  const promoted = await promotionsOf(
    sql,
    rows.map(({ number }) => number),
  );
  return rows.map((row) => toMemory(row, promoted.get(row.number), database));
}

/** A private memory of another principal is not found. */
export async function findMemory(
  sql: Sql,
  id: string,
  audience: Audience | undefined,
): Promise<MemoryRow | undefined> {
  const number = toMemoryNumber(id);
  if (number === undefined) return undefined;
  const seen = foundBy(audience);
  const where = ["m.number = ?", ...seen.where].join(" AND ");
  return sql.get<MemoryRow>(`${selectMemories} WHERE ${where}`, [number, ...seen.values]);
}

/** One row by its id, or the error that there is none. */
export async function requireMemory(
  sql: Sql,
  id: string,
  audience: Audience | undefined,
): Promise<MemoryRow> {
  const row = await findMemory(sql, id, audience);
  if (row !== undefined) return row;
  throw new ToolResourceNotFoundError(`Memory "${id.slice(0, 100)}" was not found.`, {
    hint: "Ids look like mem-12; find the right one with query_memory.",
    details: { id: id.slice(0, 100) },
  });
}

export function createMemoryText(database: SqlDatabase): TextIndex {
  return createTextIndex({
    database,
    table: "memories",
    order: "number",
    columns: "number, kind, layer, iteration, title, content, tags, resolution, reason, audience",
    toText: (row: MemoryRow) => textOfMemory(row, database.name),
  });
}

/** What the index stores about a memory. */
export function textOfMemory(row: MemoryRow, database: string): IndexedText {
  const tags = parseColumn<string[]>(row.tags, toMemoryId(row.number), database);
  return {
    number: row.number,
    strong: [row.title, ...tags].join("\n"),
    weak: [row.content, row.resolution ?? "", row.reason ?? ""].join("\n"),
    scope: scopeOf(row),
    facets: [row.kind, audienceFacet(row.audience)],
  };
}

/** Where a memory is searched: in the project, or in its iteration, the newest of which come first. */
export function scopeOf({ layer, iteration }: Pick<MemoryRow, "layer" | "iteration">): number {
  return layer === "project" ? 0 : Math.max(maxIterations - iteration, 1);
}

const maxIterations = 2 ** 18;

function toMemory(row: MemoryRow, promotedTo: readonly string[] | undefined, database: string): Memory {
  const { kind, resolution, resolved_at: resolvedAt, origin, reason } = row;
  return {
    id: toMemoryId(row.number),
    kind,
    layer: row.layer,
    iterationId: row.iteration_id,
    title: row.title,
    content: row.content,
    tags: parseColumn<string[]>(row.tags, toMemoryId(row.number), database),
    createdAt: row.created_at,
    agent: row.agent,
    ...(kind === "issue" && { status: resolvedAt === null ? ("open" as const) : ("resolved" as const) }),
    ...(resolution !== null && { resolution }),
    ...(resolvedAt !== null && { resolvedAt }),
    ...(origin !== null && { origin: toMemoryId(origin) }),
    ...(reason !== null && (kind === "pattern" ? { whenToUse: reason } : { rationale: reason })),
    ...(promotedTo !== undefined && { promotedTo }),
    ...fromAudience(row.audience),
  };
}

async function promotionsOf(sql: Sql, numbers: readonly number[]): Promise<Map<number, string[]>> {
  const promoted = new Map<number, string[]>();
  if (numbers.length === 0) return promoted;
  const marks = numbers.map(() => "?").join(", ");
  const text = `SELECT number, origin FROM memories WHERE origin IN (${marks}) ORDER BY number`;
  for (const { number, origin } of await sql.all<{ number: number; origin: number }>(text, numbers)) {
    promoted.set(origin, [...(promoted.get(origin) ?? []), toMemoryId(number)]);
  }
  return promoted;
}
