import { segment } from "./segment.js";
import type { QueryTerm, TextIndex } from "./text-index.js";

/** A record that was found and what its text is worth; higher is better. */
export interface TextHit {
  readonly number: number;
  readonly score: number;
}

export interface SearchOptions {
  readonly query: string;
  /** @default no filter */
  readonly facets?: readonly string[];
  /** One of these must hold. @default no filter */
  readonly anyFacet?: readonly string[] | undefined;
  /** Each is looked through by itself. @default all at once */
  readonly scopes?: readonly number[];
  /** How many records there are, about. */
  readonly total: number;
}

// These bound the cost, whatever is asked: the newest records that hold a term stand for all of them.
const maxTerms = 12;
const maxHits = 300;
const maxStrongHits = 200;

/** In a longer query it counts how many terms a record holds, not what it is about. */
const fewTerms = 6;

/** What a term is worth besides where the record is about it; less than another term that is merely there. */
const strongWorth = 0.6;

/**
 * Rank records by the terms of a query, any of which may hit: the rarer a term, the more it counts, and more
 * where the record is about it (BM25 with two levels of frequency, the same on both databases). Of a term
 * that very many records hold, only the newest are looked at, besides those with all terms.
 */
export async function searchText(index: TextIndex, options: SearchOptions): Promise<readonly TextHit[]> {
  const terms = [...new Set(segment(options.query, { singles: false, limit: maxTerms * 4 }))].slice(
    0,
    maxTerms,
  );
  if (terms.length === 0) return [];
  await index.catchUp();
  const { facets = [], anyFacet, scopes = [undefined], total } = options;
  const search: Search = { index, facets, anyFacet, scopes, total, scores: new Map() };
  const found: TermHits[] = [];
  for (const term of terms) {
    const hits = await hitsOf(search, term, terms.length <= fewTerms);
    if (hits === undefined) continue;
    found.push(hits);
    addScores(search, hits);
  }
  if (found.length > 1 && found.length <= fewTerms && found.some(({ cut }) => cut))
    await addFull(search, found);
  return [...search.scores]
    .map(([number, score]) => ({ number, score }))
    .sort((one, other) => other.score - one.score || other.number - one.number);
}

/** Whether there is anything to look for in a query. */
export function hasTerms(query: string): boolean {
  return segment(query, { singles: false, limit: 1 }).length > 0;
}

interface Search {
  readonly index: TextIndex;
  readonly facets: readonly string[];
  readonly anyFacet: readonly string[] | undefined;
  readonly scopes: readonly (number | undefined)[];
  readonly total: number;
  readonly scores: Map<number, number>;
}

interface TermHits {
  readonly term: string;
  readonly all: readonly number[];
  readonly strong: readonly number[];
  /** There are more. */
  readonly cut: boolean;
}

async function hitsOf(search: Search, term: string, weighed: boolean): Promise<TermHits | undefined> {
  const { numbers: all, cut } = await find(search, [{ term, form: "alike" }], maxHits);
  if (all.length === 0) return undefined;
  const strong = weighed ? (await find(search, [{ term, form: "strong" }], maxStrongHits)).numbers : [];
  return { term, all, strong, cut };
}

async function find(
  { index, facets, anyFacet, scopes }: Search,
  terms: readonly QueryTerm[],
  limit: number,
): Promise<{ numbers: readonly number[]; cut: boolean }> {
  const lists: (readonly number[])[] = [];
  for (const scope of scopes) lists.push(await index.find({ terms, facets, anyFacet, scope }, limit));
  return { numbers: lists.flat(), cut: lists.some((list) => list.length === limit) };
}

function addScores({ scores, total }: Search, hits: TermHits): void {
  const worth = rarity(hits, total);
  for (const number of hits.all) add(scores, number, worth);
  if (hits.strong.length === 0) return;
  const counted = new Set(hits.all);
  for (const number of hits.strong) {
    // One beyond the newest: it holds the term all the same.
    add(scores, number, counted.has(number) ? strongWorth * worth : (1 + strongWorth) * worth);
  }
}

function add(scores: Map<number, number>, number: number, worth: number): void {
  scores.set(number, (scores.get(number) ?? 0) + worth);
}

/** Inverse document frequency; of a list that was cut, the length is guessed from how dense it is. */
function rarity({ all, cut }: TermHits, total: number): number {
  const records = Math.max(total, all.length);
  const share = cut ? Math.max((records - Math.min(...all) + 1) / records, all.length / records) : 1;
  const count = all.length / share;
  return Math.log(1 + (records - count + 0.5) / (count + 0.5));
}

/** Records that hold every term, old ones too: they get what the cut lists withheld. */
async function addFull(search: Search, found: readonly TermHits[]): Promise<void> {
  const { scores, total } = search;
  const terms = found.map(({ term }): QueryTerm => ({ term, form: "exact" }));
  const { numbers: full } = await find(search, terms, maxHits);
  for (const hits of found) {
    if (!hits.cut) continue;
    const counted = new Set([...hits.all, ...hits.strong]);
    const worth = rarity(hits, total);
    for (const number of full) if (!counted.has(number)) add(scores, number, worth);
  }
}
