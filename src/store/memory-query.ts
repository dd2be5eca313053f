import type { FoundMemory, MemoryQuery, MemoryScope, MemoryStore } from "../contract/ports/memories.js";
import { facetsFor, foundBy } from "./memory-audience.js";
import { scopeOf, selectMemories, toMemories, type MemoryRow } from "./memory-rows.js";
import { hasTerms, searchText, type SearchOptions } from "./search-text.js";
import type { SqlValue } from "./sql.js";
import type { WorkParts } from "./work-scope.js";

/** Ask the memories: by words, best first, or the newest. */
export function createMemoryQuery(parts: WorkParts): MemoryStore["query"] {
  const { database, iterations, scope: session } = parts;
  return async ({ query = "", scope = "smart", kind, limit = 10 } = {}) => {
    const iteration = (await iterations.peekFor(session))?.number ?? 0;
    const view: View = { scope, iteration, kind, limit: Math.min(Math.max(Math.trunc(limit), 1), maxFound) };
    if (query.trim() === "") {
      const rows = await newest(parts, view);
      return toMemories(database, rows, database.name);
    }
    if (!hasTerms(query)) return [];
    const ranked = await rank(parts, { view, query });
    const memories = await toMemories(
      database,
      ranked.map(({ row }) => row),
      database.name,
    );
    const best = ranked[0]?.score ?? 1;
    return memories.map((memory, at): FoundMemory => ({
      ...memory,
      score: round((ranked[at]?.score ?? 0) / best),
    }));
  };
}

const maxFound = 100;

interface View {
  readonly scope: MemoryScope;
  /** The number of the present iteration; 0 where there is none. */
  readonly iteration: number;
  readonly kind: MemoryQuery["kind"];
  readonly limit: number;
}

/** Each layer by itself, so that an index serves it however many memories other iterations have. */
async function newest({ database, scope: { audience } }: WorkParts, view: View): Promise<MemoryRow[]> {
  const rows: MemoryRow[] = [];
  const seen = foundBy(audience);
  for (const { where, values } of layersOf(view)) {
    const kind = view.kind === undefined ? [] : [view.kind];
    const conditions = [...where, ...kind.map(() => "m.kind = ?"), ...seen.where].join(" AND ");
    const sql = `${selectMemories} ${conditions === "" ? "" : `WHERE ${conditions}`} ORDER BY m.number DESC LIMIT ?`;
    rows.push(...(await database.all<MemoryRow>(sql, [...values, ...kind, ...seen.values, view.limit])));
  }
  return withoutOrigins(
    rows.sort((one, other) => other.number - one.number),
    view,
  ).slice(0, view.limit);
}

function layersOf({ scope, iteration }: View): { where: string[]; values: SqlValue[] }[] {
  const project = { where: ["m.layer = 'project'"], values: [] };
  const own = { where: ["m.layer = 'iteration'", "m.iteration = ?"], values: [iteration] };
  return { project: [project], iteration: [own], smart: [project, own], all: [{ where: [], values: [] }] }[
    scope
  ];
}

interface Ranked {
  readonly row: MemoryRow;
  readonly score: number;
}

async function rank(
  { database, clock, texts, scope: { audience } }: WorkParts,
  { view, query }: { readonly view: View; readonly query: string },
): Promise<Ranked[]> {
  const last = await database.get<{ number: number | null }>("SELECT max(number) AS number FROM memories");
  const hits = await searchText(texts.memories, {
    query,
    facets: view.kind === undefined ? [] : [view.kind],
    anyFacet: facetsFor(audience),
    total: last?.number ?? 0,
    ...scopesOf(view),
  });
  // Recency can lift a memory by a third at most, so no more than these can come first.
  const best = hits.slice(0, Math.max(view.limit * 3, 60));
  const rows = new Map((await byNumber(database, best)).map((row) => [row.number, row]));
  const weigh = weightOf(view, clock.now());
  const ranked = best.flatMap(({ number, score }): Ranked[] => {
    const row = rows.get(number);
    return row === undefined ? [] : [{ row, score: score * weigh(row) }];
  });
  ranked.sort((one, other) => other.score - one.score || other.row.number - one.row.number);
  const shown = new Set(
    withoutOrigins(
      ranked.map(({ row }) => row),
      view,
    ),
  );
  return ranked.filter(({ row }) => shown.has(row)).slice(0, view.limit);
}

function scopesOf({ scope, iteration }: View): Pick<SearchOptions, "scopes"> {
  const own = scopeOf({ layer: "iteration", iteration });
  const project = scopeOf({ layer: "project", iteration });
  if (scope === "all") return {};
  return { scopes: { project: [project], iteration: [own], smart: [project, own] }[scope] };
}

const rowsAtOnce = 20;

/** In lists of one length, so that one statement serves them all. */
async function byNumber(
  database: WorkParts["database"],
  hits: readonly { readonly number: number }[],
): Promise<MemoryRow[]> {
  const rows: MemoryRow[] = [];
  const marks = Array.from({ length: rowsAtOnce }, () => "?").join(", ");
  for (let first = 0; first < hits.length; first += rowsAtOnce) {
    const numbers = hits.slice(first, first + rowsAtOnce).map(({ number }) => number);
    const padded = Array.from({ length: rowsAtOnce }, (_, at) => numbers[at] ?? -1);
    rows.push(...(await database.all<MemoryRow>(`${selectMemories} WHERE m.number IN (${marks})`, padded)));
  }
  return rows;
}

const halfLifeMs = 30 * 24 * 60 * 60 * 1000;

/** In `smart`, what is recent or of this iteration counts for more, what is settled for less. */
function weightOf({ scope, iteration }: View, now: number): (row: MemoryRow) => number {
  if (scope !== "smart") return () => 1;
  return (row) => {
    const age = Math.max(now - row.created_at, 0);
    const recency = 0.75 + 0.25 * 2 ** (-age / halfLifeMs);
    const near = row.layer === "project" || row.iteration === iteration ? 1 : 0.9;
    return recency * near * (row.resolved_at === null ? 1 : 0.8);
  };
}

/** A memory and what it was promoted to say the same: in `smart` the promoted one speaks for both. */
function withoutOrigins(rows: readonly MemoryRow[], { scope }: View): MemoryRow[] {
  if (scope !== "smart") return [...rows];
  const origins = new Set(rows.map(({ origin }) => origin));
  return rows.filter(({ number }) => !origins.has(number));
}

function round(score: number): number {
  return Math.round(score * 1000) / 1000;
}
