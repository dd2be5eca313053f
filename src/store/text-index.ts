import { segment } from "./segment.js";
import { stem } from "./stem.js";
import type { Sql, SqlDatabase } from "./sql.js";

export interface IndexedText {
  readonly number: number;
  /** The partition to search in: 0 to 262144. */
  readonly scope: number;
  /** Title, name, tags: a term here counts for more. */
  readonly strong: string;
  readonly weak: string;
  /** Words of Tenon's own to filter by: ASCII letters and digits. */
  readonly facets: readonly string[];
}

/** What to look for; all parts must hold. */
export interface TextQuery {
  readonly terms: readonly QueryTerm[];
  /** @default none */
  readonly facets?: readonly string[];
  /** One of these must hold. @default none */
  readonly anyFacet?: readonly string[] | undefined;
  /** @default all, the lowest first */
  readonly scope?: number | undefined;
}

export interface QueryTerm {
  readonly term: string;
  /** `exact`: the word itself, `alike`: other forms of it too, `strong`: where the record is about it. */
  readonly form: "exact" | "alike" | "strong";
}

/** The full text of one table. */
export interface TextIndex {
  /** Numbers of the newest records that fit, the highest first within a scope. */
  find(query: TextQuery, limit: number): Promise<readonly number[]>;
  /** Index the rows that are not in it yet. */
  catchUp(): Promise<void>;
  /** A row is different now, though its place in the order is not: index it again, where it was before. */
  refresh(tx: Sql, text: IndexedText): Promise<void>;
  /** A row goes away. */
  remove(tx: Sql, record: Pick<IndexedText, "number" | "scope">): Promise<void>;
}

export interface TextIndexOptions {
  readonly database: SqlDatabase;
  readonly table: "memories" | "snippets";
  /** The column that grows with every row, or with every change of one: what is behind the last value indexed is new. */
  readonly order: "number" | "touched";
  /** Columns that `toText` needs. */
  readonly columns: string;
  readonly toText: (row: never) => IndexedText;
}

/**
 * The full text of a table. A new row waits until the next search, or until some have gathered: an index
 * takes many rows at once for the price of a few, and saving stays one statement. Writers take turns and
 * the order only grows, so the last value that is indexed tells all.
 */
export function createTextIndex({ database, table, order, columns, toText }: TextIndexOptions): TextIndex {
  const words = database.dialect === "sqlite" ? fts5 : tsvector;
  const waitingSql = `SELECT ${columns} FROM ${table} WHERE ${order} > ? ORDER BY ${order} LIMIT ${rowsAtOnce}`;
  const [findSql, putSql, removeSql] = [words.findSql(table), words.putSql(table), words.removeSql(table)];
  const progress = async (sql: Sql): Promise<number> =>
    (await sql.get<Progress>(progressSql, [table]))?.number ?? 0;
  const put = async (tx: Sql, texts: readonly IndexedText[]): Promise<void> => {
    // FTS5 gathers rows that come in their order and writes any other out by itself.
    const rows = texts.map((text): [number, string] => [toRowid(text), words.document(tokensOf(text))]);
    await tx.run(putSql, [JSON.stringify(rows.sort(([one], [other]) => one - other))]);
  };
  const indexSome = async (tx: Sql): Promise<boolean> => {
    const rows = await tx.all<Ordered>(waitingSql, [await progress(tx)]);
    const last = rows.at(-1);
    if (last === undefined) return false;
    const texts = rows.map((row) => toText(row as never));
    if (order === "touched") for (const text of texts) await tx.run(removeSql, [toRowid(text)]);
    await put(tx, texts);
    await tx.run(setProgressSql, [table, last[order]]);
    return texts.length === rowsAtOnce;
  };
  return {
    async find({ terms, facets = [], anyFacet, scope }, limit) {
      const groups = [...facets.map((facet) => [facet]), ...(anyFacet === undefined ? [] : [anyFacet])];
      const choices = [
        ...terms.map(tokensFor),
        ...groups.map((group) => group.map((facet) => `${mark.facet}${facet}`)),
      ];
      const expression = choices
        .map((tokens) => `(${tokens.map(words.token).join(words.or)})`)
        .join(words.and);
      const [first, last] =
        scope === undefined ? [0, Number.MAX_SAFE_INTEGER] : [scope * span, (scope + 1) * span - 1];
      const row = await database.get<{ rowids: string }>(findSql, [expression, first, last, limit]);
      return (JSON.parse(row?.rowids ?? "[]") as number[]).map(toNumber);
    },
    async catchUp() {
      const found = await database.get<{ last: number | null }>(`SELECT max(${order}) AS last FROM ${table}`);
      let more = (found?.last ?? 0) > (await progress(database));
      while (more) more = await database.transaction(indexSome);
    },
    async refresh(tx, text) {
      if (text.number > (await progress(tx))) return;
      await tx.run(removeSql, [toRowid(text)]);
      await put(tx, [text]);
    },
    async remove(tx, record) {
      await tx.run(removeSql, [toRowid(record)]);
    },
  };
}

interface Progress {
  number: number;
}

interface Ordered {
  number: number;
  touched: number;
}

const progressSql = "SELECT number FROM text_progress WHERE name = ?";
const setProgressSql = `INSERT INTO text_progress (name, number) VALUES (?, ?)
  ON CONFLICT (name) DO UPDATE SET number = excluded.number`;

/** After so many saves one of them indexes what waits. */
export const savesPerIndexing = 64;

/** What was saved is kept, so the save did not fail; the next search indexes what waits, or fails itself. */
export const indexLater = (): void => {};

const rowsAtOnce = 500;
const maxTerms = 5000;

/** Tells the kinds of tokens apart; a term can hold any letter, so each begins with one of these. */
const mark = { word: "w", stem: "t", strong: "s", facet: "f" } as const;

/** The tokens of which a record must hold one. */
function tokensFor({ term, form }: QueryTerm): string[] {
  if (form === "strong") return [`${mark.strong}${term}`];
  const word = `${mark.word}${term}`;
  if (form === "exact") return [word];
  const root = stem(term);
  return root === term ? [word, `${mark.stem}${root}`] : [word, `${mark.stem}${root}`, `${mark.word}${root}`];
}

/** Newest first within a scope: FTS5 reads rows forwards several times faster than backwards. */
function toRowid({ scope, number }: Pick<IndexedText, "number" | "scope">): number {
  return scope * span + (span - 1 - number);
}

function toNumber(rowid: number): number {
  return span - 1 - (rowid % span);
}

const span = 2 ** 33;

/** How a database writes tokens and asks for them. Tokens are letters, marks and digits, and mean nothing to either. */
interface IndexWords {
  /** Takes pairs of a row's id and its document, as JSON: one statement for all. */
  putSql(table: string): string;
  removeSql(table: string): string;
  document(tokens: readonly string[]): string;
  /** Takes the expression, the range and the limit; gives the ids as one text, which costs less than a row each. */
  findSql(table: string): string;
  readonly token: (token: string) => string;
  readonly and: string;
  readonly or: string;
}

// Numbers arrive as floating point, by which FTS5 neither seeks nor stops.
const fts5: IndexWords = {
  putSql: (table) =>
    `INSERT INTO ${table}_text (rowid, terms)
     SELECT CAST(json_extract(value, '$[0]') AS INTEGER), json_extract(value, '$[1]') FROM json_each(?)`,
  removeSql: (table) => `DELETE FROM ${table}_text WHERE rowid = CAST(? AS INTEGER)`,
  document: (tokens) => tokens.join(" "),
  findSql: (table) =>
    `SELECT json_group_array(rowid) AS rowids FROM (SELECT rowid FROM ${table}_text
       WHERE ${table}_text MATCH ? AND rowid BETWEEN CAST(? AS INTEGER) AND CAST(? AS INTEGER) ORDER BY rowid LIMIT ?)`,
  token: (token) => `"${token}"`,
  and: " AND ",
  or: " OR ",
};

const tsvector: IndexWords = {
  putSql: (table) =>
    `INSERT INTO ${table}_text (rowid, terms)
     SELECT CAST(value ->> 0 AS BIGINT), CAST(value ->> 1 AS tsvector) FROM json_array_elements(CAST(? AS json))`,
  removeSql: (table) => `DELETE FROM ${table}_text WHERE rowid = ?`,
  document: (tokens) => `'${tokens.join("' '")}'`,
  findSql: (table) =>
    `SELECT CAST(coalesce(json_agg(rowid), '[]') AS text) AS rowids FROM (SELECT rowid FROM ${table}_text
       WHERE terms @@ CAST(? AS tsquery) AND rowid BETWEEN ? AND ? ORDER BY rowid LIMIT ?) AS found`,
  token: (token) => `'${token}'`,
  and: " & ",
  or: " | ",
};

// A word that comes up this often is what the text is about.
const oftenEnough = 3;

/** Every term once, once more where the record is about it, what their forms have in common, and the facets. */
function tokensOf({ strong: head, weak: body, facets }: IndexedText): string[] {
  const times = new Map<string, number>();
  for (const term of segment(head, { singles: true, limit: maxTerms })) times.set(term, oftenEnough);
  for (const term of segment(body, { singles: true, limit: maxTerms }))
    times.set(term, (times.get(term) ?? 0) + 1);
  const tokens: string[] = [];
  const stems = new Set<string>();
  for (const [term, count] of times) {
    tokens.push(mark.word + term);
    if (count >= oftenEnough) tokens.push(mark.strong + term);
    const root = stem(term);
    if (root !== term) stems.add(root);
  }
  for (const root of stems) tokens.push(mark.stem + root);
  for (const facet of facets) tokens.push(mark.facet + facet);
  return tokens;
}
