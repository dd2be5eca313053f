import { compileScope } from "../file-scope.js";
import { pathPenalty } from "../path-rank.js";
import { rankSymbol } from "../symbol-rank.js";
import type { IndexTables } from "./index-tables.js";
import type { Findings, FoundSymbol, NameFit, NameWish } from "./messages.js";
import { bestNames, coreOf } from "./name-fits.js";
import { fileStates } from "./parser.js";
import { packedSize, symbolKinds } from "./symbol-pack.js";

/** Parse files now, until the time is up; tells how many were left. */
export type ParseNow = (ids: readonly number[], until: number) => Promise<number>;

/** Find definitions by name: the name itself, then names that begin so, then names that look like it. */
export async function lookUp(
  tables: IndexTables,
  wish: NameWish,
  { parseNow, until }: { parseNow: ParseNow; until: number },
): Promise<Findings> {
  const gather = createGatherer(tables, wish);
  gather.take(exactNames(tables, wish));
  let unread = await readUnparsed(gather, parseNow, until);
  if (gather.found.length < wish.most && wish.name.length > 1) gather.take(prefixNames(tables, wish));
  if (gather.found.length === 0) {
    gather.take(await bestNames(tables.names, wish));
    unread += await readUnparsed(gather, parseNow, until);
  }
  const ranked = gather.found
    .map((symbol) => ({ symbol, rank: rankSymbol(symbol, wish) }))
    .sort((one, other) => one.rank - other.rank || inOrder(one.symbol, other.symbol));
  const symbols = ranked.slice(0, wish.most).map(({ symbol }) => symbol);
  return { symbols, unread, more: ranked.length > wish.most, covered: true };
}

interface NamedFit {
  readonly id: number;
  readonly fit: NameFit;
}

interface Gatherer {
  readonly found: FoundSymbol[];
  take(names: Iterable<NamedFit>): void;
  /** Files that may hold what was asked for: where a keyword says so, and others. Asked once. */
  takeUnparsed(): { readonly likely: number[]; readonly rest: number[] };
  again(files: readonly number[]): void;
}

function createGatherer(tables: IndexTables, wish: NameWish): Gatherer {
  const inScope = compileScope(wish.scope);
  const kinds =
    wish.kinds === undefined ? undefined : new Set(wish.kinds.map((kind) => symbolKinds.indexOf(kind)));
  const scoped = new Map<number, boolean>();
  const found: FoundSymbol[] = [];
  const taken = new Set<string>();
  const fits = new Map<number, NameFit>();
  let unparsed = new Map<number, boolean>();
  const isScoped = (id: number): boolean => {
    let verdict = scoped.get(id);
    if (verdict === undefined) scoped.set(id, (verdict = inScope(tables.file(id)?.path ?? "")));
    return verdict;
  };
  const penaltyOf = (id: number): number => pathPenalty(tables.file(id)?.path ?? "");
  const read = (id: number, fitOf: (name: number) => NameFit | undefined): void => {
    const file = tables.file(id);
    const symbols = file?.symbols;
    if (file === undefined || symbols === undefined) return;
    for (let at = 0; at < symbols.length; at += packedSize) {
      const fit = fitOf(symbols[at]!);
      if (fit === undefined || (kinds !== undefined && !kinds.has(symbols[at + 1]!))) continue;
      const [line, column] = [symbols[at + 2]!, symbols[at + 3]!];
      const key = `${id}:${line}:${column}`;
      if (taken.has(key)) continue;
      taken.add(key);
      found.push({
        file: file.path,
        name: tables.names.text(symbols[at]!),
        kind: symbolKinds[symbols[at + 1]!] ?? "variable",
        line,
        column,
        container: symbols[at + 4] === -1 ? undefined : tables.names.text(symbols[at + 4]!),
        fit,
        size: file.size,
        changed: file.changed,
      });
    }
  };
  return {
    found,
    take(names) {
      for (const { id: name, fit } of names) {
        if (fits.has(name)) continue;
        fits.set(name, fit);
        for (const { file, strong } of tables.postings(name)) {
          if (!isScoped(file)) continue;
          if (tables.file(file)?.state !== fileStates.scanned)
            read(file, (id) => (id === name ? fit : undefined));
          else unparsed.set(file, strong || unparsed.get(file) === true);
        }
      }
    },
    takeUnparsed() {
      const files = [...unparsed].sort(([one], [other]) => penaltyOf(one) - penaltyOf(other));
      unparsed = new Map();
      const pick = (wanted: boolean): number[] =>
        files.filter(([, strong]) => strong === wanted).map(([id]) => id);
      return { likely: pick(true), rest: pick(false) };
    },
    again(files) {
      const fitOf = createFitOf(wish, (name) => fits.get(name));
      for (const file of files) read(file, (id) => fitOf(id, tables.names.text(id)));
    },
  };
}

/** A name that became known only by the tree (`foo?`, `operator==`) fits by its text. */
function createFitOf(
  wish: NameWish,
  known: (id: number) => NameFit | undefined,
): (id: number, text: string) => NameFit | undefined {
  return (id, text) => known(id) ?? (text === wish.name ? "exact" : undefined);
}

/** Where something is known already, the less likely files get this long. */
const patienceMs = 300;

async function readUnparsed(gather: Gatherer, parseNow: ParseNow, until: number): Promise<number> {
  const { likely, rest } = gather.takeUnparsed();
  let left = 0;
  for (const files of [likely, rest]) {
    if (files.length === 0) continue;
    const enough = files === rest && gather.found.length > 0;
    const unread = await parseNow(files, enough ? Math.min(until, performance.now() + patienceMs) : until);
    gather.again(files.slice(0, files.length - unread));
    left += unread;
  }
  return left;
}

function* exactNames({ names }: IndexTables, { name, caseSensitive }: NameWish): Iterable<NamedFit> {
  const id = names.find(name);
  if (id !== undefined) yield { id, fit: "exact" };
  // The quick look knows only letters and digits.
  const core = names.find(coreOf(name));
  if (core !== undefined) yield { id: core, fit: core === id ? "exact" : "part" };
  if (caseSensitive) return;
  const lower = name.toLowerCase();
  for (const other of names.startingWith(lower)) {
    if (other !== id && names.text(other).length === name.length) yield { id: other, fit: "case" };
  }
}

function* prefixNames({ names }: IndexTables, { name, caseSensitive }: NameWish): Iterable<NamedFit> {
  for (const id of names.startingWith(name.toLowerCase())) {
    if (!caseSensitive || names.text(id).startsWith(name)) yield { id, fit: "prefix" };
  }
}

function inOrder(one: FoundSymbol, other: FoundSymbol): number {
  if (one.file !== other.file) return one.file < other.file ? -1 : 1;
  return one.line - other.line || one.column - other.column;
}
