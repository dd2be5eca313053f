import { ToolValidationError } from "../contract/errors.js";
import type { Memory, MemoryStore, NewMemory, Promotion } from "../contract/ports/memories.js";
import { toColumn } from "./json-column.js";
import { defaultShare, fromAudience, promotedAudience, toAudience } from "./memory-audience.js";
import { createMemoryQuery } from "./memory-query.js";
import {
  requireMemory,
  findMemory,
  selectMemories,
  textOfMemory,
  toMemories,
  toMemoryId,
  type MemoryRow,
} from "./memory-rows.js";
import type { Sql, SqlValue } from "./sql.js";
import { refuseBeyond, type Bound, type StateLimits } from "./state-limits.js";
import { indexLater, savesPerIndexing } from "./text-index.js";
import type { WorkParts } from "./work-scope.js";

/** What agents remember, by iteration and for the project. */
export function createMemories(parts: WorkParts): MemoryStore {
  const { database, iterations, texts, scope } = parts;
  const read = async (sql: Sql, row: MemoryRow): Promise<Memory> => {
    const [memory] = await toMemories(sql, [row], database.name);
    return memory as Memory; // one row in, one memory out
  };
  return {
    async save(memory) {
      const iteration = await iterations.numberFor(scope);
      const { number, memory: saved } = await insert(parts, memory, iteration);
      if (number % savesPerIndexing === 0) await texts.memories.catchUp().catch(indexLater);
      return saved;
    },
    async get(id) {
      const row = await findMemory(database, id, scope.audience);
      return row && read(database, row);
    },
    query: createMemoryQuery(parts),
    update: (id, change) =>
      database.transaction(async (tx) => {
        const row = await requireMemory(tx, id, scope.audience);
        const { title = row.title, content = row.content, tags } = change;
        const written = tags === undefined ? row.tags : toColumn(tags, "The tags");
        await tx.run("UPDATE memories SET title = ?, content = ?, tags = ? WHERE number = ?", [
          title,
          content,
          written,
          row.number,
        ]);
        const updated = await requireMemory(tx, id, scope.audience);
        await texts.memories.refresh(tx, textOfMemory(updated, database.name));
        return read(tx, updated);
      }),
    forget: (id) =>
      database.transaction(async (tx) => {
        const row = await findMemory(tx, id, scope.audience);
        if (row === undefined) return false;
        await tx.run("UPDATE memories SET origin = NULL WHERE origin = ?", [row.number]);
        await texts.memories.remove(tx, textOfMemory(row, database.name));
        await tx.run("DELETE FROM memories WHERE number = ?", [row.number]);
        return true;
      }),
    resolve: (id, resolution) =>
      database.transaction(async (tx) => {
        const row = await requireMemory(tx, id, scope.audience);
        if (row.kind !== "issue") throw noIssue(row);
        if (row.resolved_at !== null) throw resolvedBefore(row);
        await tx.run("UPDATE memories SET resolution = ?, resolved_at = ? WHERE number = ?", [
          resolution,
          parts.clock.now(),
          row.number,
        ]);
        const resolved = await requireMemory(tx, id, scope.audience);
        await texts.memories.refresh(tx, textOfMemory(resolved, database.name));
        return read(tx, resolved);
      }),
    promote: (id, promotion) =>
      database.transaction(async (tx) => {
        const origin = await requireMemory(tx, id, scope.audience);
        const before = await tx.get<MemoryRow>(`${selectMemories} WHERE m.origin = ? AND m.kind = ?`, [
          origin.number,
          promotion.kind,
        ]);
        if (before !== undefined) return { memory: await read(tx, before), created: false };
        if (origin.kind === promotion.kind) throw isAlready(origin);
        const number = await insertPromoted(parts, tx, { origin, promotion });
        const created = await requireMemory(tx, toMemoryId(number), scope.audience);
        return { memory: await read(tx, created), created: true };
      }),
    async count() {
      return (await database.get<{ count: number }>("SELECT count(*) AS count FROM memories"))?.count ?? 0;
    },
  };
}

const insertSql = `INSERT INTO memories
  (kind, layer, iteration, title, content, tags, created_at, agent, origin, reason, audience)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING number`;

/** A row that is known already need not be read again. */
async function insert(
  { database, clock, scope, limits }: WorkParts,
  memory: NewMemory,
  iteration: number,
): Promise<{ number: number; memory: Memory }> {
  const { kind, title, content, tags } = memory;
  const now = clock.now();
  const { agent } = scope.actor;
  const audience = toAudience(memory.share ?? defaultShare(scope.audience), scope.audience);
  const values = [
    kind,
    "iteration",
    iteration,
    title,
    content,
    toColumn(tags, "The tags"),
    now,
    agent,
    null,
    null,
    audience,
  ];
  const number = await database.transaction(async (tx) => {
    await refuseBeyond(tx, memoryBound(limits));
    return insertRow(tx, values);
  });
  return {
    number,
    memory: {
      id: toMemoryId(number),
      kind,
      layer: "iteration",
      iterationId: scope.iterationTracker.id ?? "",
      title,
      content,
      tags,
      createdAt: now,
      agent,
      ...(kind === "issue" && { status: "open" as const }),
      ...fromAudience(audience),
    },
  };
}

async function insertPromoted(
  { clock, scope, limits }: WorkParts,
  tx: Sql,
  { origin, promotion }: { readonly origin: MemoryRow; readonly promotion: Promotion },
): Promise<number> {
  const reason = promotion.kind === "decision" ? promotion.rationale : promotion.whenToUse;
  const { kind } = promotion;
  const { iteration, title, content, tags, number } = origin;
  const values = [kind, "project", iteration, title, content, tags, clock.now(), scope.actor.agent, number];
  await refuseBeyond(tx, memoryBound(limits));
  const audience = promotedAudience(origin.audience, promotion.share, scope.audience);
  return insertRow(tx, [...values, reason ?? null, audience]);
}

function memoryBound({ maxMemories }: StateLimits): Bound {
  return { table: "memories", setting: "maxMemories", max: maxMemories };
}

async function insertRow(tx: Sql, values: readonly SqlValue[]): Promise<number> {
  const row = await tx.get<{ number: number }>(insertSql, values);
  return (row as { number: number }).number; // the statement writes one row
}

function noIssue(row: MemoryRow): ToolValidationError {
  return new ToolValidationError(
    `${toMemoryId(row.number)} is not an issue but a memory of the kind ${row.kind}.`,
    {
      code: "VALUE_INVALID",
      hint: "Only issues are resolved; find them with query_memory and kind issue.",
    },
  );
}

function resolvedBefore(row: MemoryRow): ToolValidationError {
  return new ToolValidationError(`${toMemoryId(row.number)} was resolved before: ${row.resolution ?? ""}`, {
    code: "VALUE_INVALID",
    hint: "Save what is new about it with save_learning or save_issue.",
  });
}

function isAlready(row: MemoryRow): ToolValidationError {
  return new ToolValidationError(`${toMemoryId(row.number)} is a ${row.kind} of the project already.`, {
    code: "VALUE_INVALID",
    hint: "Nothing needs to be done.",
  });
}
