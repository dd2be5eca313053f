import type { FoundTool } from "../contract/ports/catalogue.js";
import type { ToolCategory } from "../contract/tool.js";
import type { ToolEntry } from "./tool-entry.js";
import { foldName } from "./tool-name.js";

export interface ToolSearchOptions {
  readonly category?: ToolCategory | undefined;
  readonly limit: number;
  /** Who may be shown. */
  readonly visible: (entry: ToolEntry) => boolean;
}

/** How much a word of a tool counts, by where it occurs. */
const weights = { name: 6, alias: 4, parameter: 1, category: 2, description: 1 } as const;

/** Finds tools by words in large catalogues. The index follows the registry: a changed one is read again. */
export class ToolSearch {
  readonly #source: { readonly generation: number; entries(): readonly ToolEntry[] };
  /** Words of an entry are made once; entries never change. */
  readonly #words = new WeakMap<ToolEntry, ReadonlyMap<string, number>>();
  #index: Index | undefined;

  constructor(source: { readonly generation: number; entries(): readonly ToolEntry[] }) {
    this.#source = source;
  }

  /** The tools that fit any of the words, those that fit most and rarest first. */
  search(
    text: string,
    options: ToolSearchOptions,
  ): { readonly tools: readonly FoundTool[]; readonly total: number } {
    const index = this.#upToDate();
    const words = [...new Set(toWords(text.slice(0, 1000)))].slice(0, 50);
    const { scores, hits } = scoreAll(words, index);
    const exact = index.byName.get(foldName(text.trim()));
    if (exact !== undefined && (scores[exact] ?? 0) > 0) scores[exact] = Number.MAX_VALUE;
    const candidates = words.length === 0 ? index.entries.keys() : hits;
    const best: number[] = [];
    let total = 0;
    for (const position of candidates) {
      if (!isWanted(index.entries[position] as ToolEntry, options)) continue;
      total++;
      keepBest(best, position, { scores, limit: options.limit });
    }
    return { tools: best.map((position) => show(index.entries[position] as ToolEntry)), total };
  }

  #upToDate(): Index {
    const { generation } = this.#source;
    if (this.#index?.generation === generation) return this.#index;
    const entries = [...this.#source.entries()].sort((one, other) => (one.name < other.name ? -1 : 1));
    const postings = new Map<string, [number, number][]>();
    for (const [position, entry] of entries.entries()) {
      for (const [word, weight] of this.#wordsOf(entry)) {
        const known = postings.get(word);
        if (known === undefined) postings.set(word, [[position, weight]]);
        else known.push([position, weight]);
      }
    }
    const byName = new Map(entries.map(({ name }, position) => [foldName(name), position]));
    this.#index = { generation, entries, byName, postings, words: [...postings.keys()].sort() };
    return this.#index;
  }

  #wordsOf(entry: ToolEntry): ReadonlyMap<string, number> {
    const known = this.#words.get(entry);
    if (known !== undefined) return known;
    const words = new Map<string, number>();
    const add = (text: string, weight: number): void => {
      for (const word of toWords(text)) words.set(word, Math.max(weight, words.get(word) ?? 0));
    };
    add(entry.name, weights.name);
    for (const alias of entry.aliases) add(alias, weights.alias);
    add(entry.tool.category, weights.category);
    add(entry.tool.description.slice(0, 4000), weights.description);
    for (const parameter of parametersOf(entry)) add(parameter, weights.parameter);
    this.#words.set(entry, words);
    return words;
  }
}

interface Index {
  readonly generation: number;
  /** In the order of their names. */
  readonly entries: readonly ToolEntry[];
  readonly byName: ReadonlyMap<string, number>;
  readonly postings: ReadonlyMap<string, readonly (readonly [number, number])[]>;
  /** Sorted, so that words with the same prefix are adjacent. */
  readonly words: readonly string[];
}

/** The sum over all words, for each tool by its position, and the positions that any word hit. */
function scoreAll(
  words: readonly string[],
  index: Index,
): { readonly scores: Float64Array; readonly hits: readonly number[] } {
  const scores = new Float64Array(index.entries.length);
  const ofWord = new Float64Array(index.entries.length);
  const hits: number[] = [];
  for (const word of words) {
    const touched = scoreWord(word, index, ofWord);
    for (const position of touched) {
      if (scores[position] === 0) hits.push(position);
      // A tool that fits several words goes before one that fits one of them well.
      scores[position] = (scores[position] as number) + (ofWord[position] as number) + 4;
      ofWord[position] = 0;
    }
  }
  return { scores, hits };
}

/** How much a word counts for each tool, added to `scores`: a whole word fully, a prefix by half. */
function scoreWord(word: string, index: Index, scores: Float64Array): readonly number[] {
  const { entries, postings, words } = index;
  const touched: number[] = [];
  for (let at = firstFrom(words, word); at < words.length; at++) {
    const candidate = words[at] as string;
    if (!candidate.startsWith(word)) break;
    if (candidate !== word && word.length < 3) continue;
    const hits = postings.get(candidate) ?? [];
    const worth = Math.log(1 + entries.length / hits.length) * (candidate === word ? 1 : 0.5);
    for (const [position, weight] of hits) {
      const before = scores[position] as number;
      if (before === 0) touched.push(position);
      if (weight * worth > before) scores[position] = weight * worth;
    }
  }
  return touched;
}

/** Equal scores can differ by this much, since their parts are added in the order of the words. */
const roundingError = 1e-9;

/** Put a position into the short list of the best, in order; equal ones by name. */
function keepBest(
  best: number[],
  position: number,
  { scores, limit }: { readonly scores: Float64Array; readonly limit: number },
): void {
  const goesBefore = (one: number, other: number): boolean => {
    const difference = (scores[one] as number) - (scores[other] as number);
    return Math.abs(difference) > roundingError ? difference > 0 : one < other;
  };
  const last = best.at(-1);
  if (best.length >= limit && last !== undefined && !goesBefore(position, last)) return;
  let at = best.length;
  while (at > 0 && goesBefore(position, best[at - 1] as number)) at--;
  best.splice(at, 0, position);
  if (best.length > limit) best.pop();
}

function firstFrom(words: readonly string[], word: string): number {
  let low = 0;
  let high = words.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((words[middle] as string) < word) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Words of names and sentences: at signs, and where small letters turn into capitals; a plural counts as its singular. */
function toWords(text: string): readonly string[] {
  const parts = text.replaceAll(/(\p{Ll}|\p{Nd})(\p{Lu})/gu, "$1 $2").split(/[^\p{L}\p{M}\p{Nd}]+/u);
  return parts.filter(Boolean).map((part) => {
    const word = foldName(part);
    return word.length > 3 && word.endsWith("s") && !word.endsWith("ss") ? word.slice(0, -1) : word;
  });
}

function isWanted(entry: ToolEntry, { category, visible }: ToolSearchOptions): boolean {
  return (category === undefined || entry.tool.category === category) && visible(entry);
}

function parametersOf({ input }: ToolEntry): readonly string[] {
  const { properties, required } = input.jsonSchema as { properties?: object; required?: readonly string[] };
  const names = Object.keys(properties ?? {});
  const first = new Set(required ?? []);
  return [...names.filter((name) => first.has(name)), ...names.filter((name) => !first.has(name))];
}

function show(entry: ToolEntry): FoundTool {
  const { description, category } = entry.tool;
  const short = description.length > 300 ? `${description.slice(0, 299).toWellFormed()}…` : description;
  return { name: entry.name, description: short, category, parameters: parametersOf(entry).slice(0, 50) };
}
