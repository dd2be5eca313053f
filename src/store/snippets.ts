import type {
  NewSnippet,
  Snippet,
  SnippetFilter,
  SnippetStore,
  SnippetSummary,
  SnippetVersion,
} from "../contract/ports/snippets.js";
import { parseColumn, toColumn } from "./json-column.js";
import { hasTerms, searchText } from "./search-text.js";
import type { Sql, SqlDatabase } from "./sql.js";
import { refuseBeyond, type Bound, type StateLimits } from "./state-limits.js";
import {
  createTextIndex,
  indexLater,
  savesPerIndexing,
  type IndexedText,
  type TextIndex,
} from "./text-index.js";
import type { WorkParts } from "./work-scope.js";

/** Pieces of code by name. */
export function createSnippets(parts: WorkParts): SnippetStore {
  const { database, texts } = parts;
  const summary = (row: SnippetRow): SnippetSummary => toSummary(row, database.name);
  return {
    async save(snippet) {
      const { number, version, touched } = await database.transaction((tx) => save(parts, tx, snippet));
      if (touched % savesPerIndexing === 0) await texts.snippets.catchUp().catch(indexLater);
      return { id: toId(number), name: snippet.name, created: version === 1 };
    },
    async load(nameOrId) {
      const row = (await database.get<CodeRow>(namedSql, [nameOrId])) ?? (await findById(database, nameOrId));
      return row && ({ ...summary(row), code: row.code } satisfies Snippet);
    },
    async list(filter = {}) {
      const rows = await database.all<SnippetRow>(`SELECT ${columns} FROM snippets ORDER BY name`);
      const kept = rows.map(summary).filter((snippet) => fits(snippet, filter));
      if (filter.query === undefined || filter.query.trim() === "") return kept;
      if (!hasTerms(filter.query)) return [];
      const total = rows.reduce((most, { number }) => Math.max(most, number), 0);
      const hits = await searchText(texts.snippets, { query: filter.query, total });
      const byId = new Map(kept.map((snippet) => [snippet.id, snippet]));
      return hits.flatMap(({ number }) => byId.get(toId(number)) ?? []);
    },
    async history(nameOrId) {
      const row = await find(database, nameOrId);
      if (row === undefined) return [];
      const rows = await database.all<VersionRow>(
        `SELECT version, code, description, language, tags, saved_at, agent FROM snippet_versions
         WHERE snippet = ? ORDER BY version DESC`,
        [row.number],
      );
      return rows.map((version) => toVersion(version, database.name));
    },
    remove: (nameOrId) =>
      database.transaction(async (tx) => {
        const row = await find(tx, nameOrId);
        if (row === undefined) return undefined;
        await texts.snippets.remove(tx, { number: row.number, scope: 0 });
        await tx.run("DELETE FROM snippets WHERE number = ?", [row.number]);
        return summary(row);
      }),
    names: async () =>
      (await database.all<{ name: string }>("SELECT name FROM snippets ORDER BY name")).map(
        ({ name }) => name,
      ),
  };
}

export function createSnippetText(database: SqlDatabase): TextIndex {
  return createTextIndex({
    database,
    table: "snippets",
    order: "touched",
    columns: `${columns}, code, touched`,
    toText: (row: CodeRow) =>
      textOf({ ...toSummary(row, database.name), number: row.number, code: row.code }),
  });
}

interface SnippetRow {
  number: number;
  name: string;
  version: number;
  description: string;
  language: string;
  tags: string;
  created_at: number;
  updated_at: number;
}

interface CodeRow extends SnippetRow {
  code: string;
}

interface VersionRow {
  version: number;
  code: string;
  description: string;
  language: string;
  tags: string;
  saved_at: number;
  agent: string;
}

const columns = "number, name, version, description, language, tags, created_at, updated_at";

// Beyond what is indexed, too: the snippet with the highest value may have been removed.
const nextTouch = `(SELECT coalesce(max(touched), 0) + 1 FROM (SELECT max(touched) AS touched FROM snippets
  UNION ALL SELECT number FROM text_progress WHERE name = 'snippets') AS known)`;

interface SavedRow {
  number: number;
  version: number;
  touched: number;
}

async function save(
  { clock, scope, limits }: WorkParts,
  tx: Sql,
  { name, code, description, language, tags }: NewSnippet,
): Promise<SavedRow> {
  const now = clock.now();
  const known = await tx.get("SELECT 1 AS one FROM snippets WHERE name = ?", [name]);
  if (known === undefined) await refuseBeyond(tx, snippetBound(limits));
  await tx.run(
    `INSERT INTO snippet_versions (snippet, version, code, description, language, tags, saved_at, agent)
     SELECT number, version, code, description, language, tags, updated_at, agent FROM snippets WHERE name = ?`,
    [name],
  );
  const row = await tx.get<SavedRow>(
    `INSERT INTO snippets (name, version, code, description, language, tags, created_at, updated_at, agent, touched)
     VALUES (?, 1, ?, ?, ?, ?, ?, ?, ?, ${nextTouch})
     ON CONFLICT (name) DO UPDATE SET version = snippets.version + 1, code = excluded.code,
       description = excluded.description, language = excluded.language, tags = excluded.tags,
       updated_at = excluded.updated_at, agent = excluded.agent, touched = excluded.touched
     RETURNING number, version, touched`,
    [name, code, description, language, toColumn(tags, "The tags"), now, now, scope.actor.agent],
  );
  const saved = row as SavedRow; // the statement writes one row, whatever was there
  const dropped = saved.version - 1 - limits.maxSnippetVersions;
  if (dropped > 0) {
    const sql = "DELETE FROM snippet_versions WHERE snippet = ? AND version <= ?";
    await tx.run(sql, [saved.number, dropped]);
  }
  return saved;
}

function snippetBound({ maxSnippets }: StateLimits): Bound {
  const instead = "Delete some with snippet_delete";
  return { table: "snippets", setting: "maxSnippets", max: maxSnippets, instead };
}

const namedSql = `SELECT ${columns}, code FROM snippets WHERE name = ?`;

/** Names take precedence: a snippet may have the id of another one as its name. */
async function find(sql: Sql, nameOrId: string): Promise<CodeRow | undefined> {
  return (await sql.get<CodeRow>(namedSql, [nameOrId])) ?? findById(sql, nameOrId);
}

async function findById(sql: Sql, id: string): Promise<CodeRow | undefined> {
  const number = toNumber(id);
  if (number === undefined) return undefined;
  return sql.get<CodeRow>(`SELECT ${columns}, code FROM snippets WHERE number = ?`, [number]);
}

function toId(number: number): string {
  return `snippet-${number}`;
}

function toNumber(id: string): number | undefined {
  const digits = /^snippet-(\d{1,15})$/.exec(id)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

function toSummary(row: SnippetRow, database: string): SnippetSummary {
  return {
    id: toId(row.number),
    name: row.name,
    description: row.description,
    language: row.language,
    tags: parseColumn<string[]>(row.tags, `snippet ${row.name}`, database),
    version: row.version,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

function toVersion({ saved_at: savedAt, tags, ...row }: VersionRow, database: string): SnippetVersion {
  return { ...row, tags: parseColumn<string[]>(tags, "a snippet's version", database), savedAt };
}

function textOf({
  number,
  name,
  code,
  description,
  language,
  tags,
}: NewSnippet & { readonly number: number }): IndexedText {
  return {
    number,
    scope: 0,
    strong: [name, ...tags].join("\n"),
    weak: [description, language, code].join("\n"),
    facets: [],
  };
}

function fits(snippet: SnippetSummary, { tags = [], language }: SnippetFilter): boolean {
  if (language !== undefined && !same(snippet.language, language)) return false;
  return tags.every((tag) => snippet.tags.some((own) => same(own, tag)));
}

function same(one: string, other: string): boolean {
  return one === other || one.normalize("NFKC").toLowerCase() === other.normalize("NFKC").toLowerCase();
}
