import { symbolKinds } from "../../../syntax/source-symbol.js";
import { compileScope } from "../file-scope.js";
import { pathPenalty } from "../path-rank.js";
import { sortSymbols } from "../symbol-rank.js";
import type { IndexTables } from "./index-tables.js";
import type { SymbolResults, FoundSymbol, NameFit, NameQuery } from "./messages.js";
import { bestNames, coreOf } from "./name-fits.js";
import { fileStates } from "./parser.js";
import { packedSize } from "./symbol-pack.js";

/** Parse files now until the deadline; returns how many were left. */
export type ParseNow = (ids: readonly number[], until: number) => Promise<number>;

/** Find definitions by name: the name itself, then names that begin with it, then similar names. */
export async function lookUp(
  tables: IndexTables,
  nameQuery: NameQuery,
  { parseNow, until }: { parseNow: ParseNow; until: number },
): Promise<SymbolResults> {
  const collector = createCollector(tables, nameQuery);
  collector.addNames(exactNames(tables, nameQuery));
  let unread = await readUnparsed(collector, parseNow, until);
  if (collector.found.length < nameQuery.maxResults && nameQuery.name.length > 1)
    collector.addNames(prefixNames(tables, nameQuery));
  if (collector.found.length === 0) {
    collector.addNames(await bestNames(tables.names, nameQuery));
    unread += await readUnparsed(collector, parseNow, until);
  }
  const sorted = sortSymbols(collector.found, nameQuery);
  return {
    symbols: sorted.slice(0, nameQuery.maxResults),
    unread: unread + collector.countRefused(),
    more: sorted.length > nameQuery.maxResults,
    covered: true,
  };
}

interface NamedFit {
  readonly id: number;
  readonly fit: NameFit;
}

interface SymbolCollector {
  readonly found: FoundSymbol[];
  addNames(names: Iterable<NamedFit>): void;
  /** How many files that probably define the name are too large or too hard to parse. */
  countRefused(): number;
  /** Files not yet parsed that may define the name: where a keyword says so, and others. Each is returned once. */
  takeUnparsed(): { readonly likely: number[]; readonly rest: number[] };
  /** Read files that have been parsed since `takeUnparsed`. */
  readParsed(files: readonly number[]): void;
}

function createCollector(tables: IndexTables, nameQuery: NameQuery): SymbolCollector {
  const inScope = compileScope(nameQuery.scope);
  const kinds =
    nameQuery.kinds === undefined
      ? undefined
      : new Set(nameQuery.kinds.map((kind) => symbolKinds.indexOf(kind)));
  const scoped = new Map<number, boolean>();
  const found: FoundSymbol[] = [];
  const taken = new Set<string>();
  const fits = new Map<number, NameFit>();
  let unparsed = new Map<number, boolean>();
  const maybeRefused = new Set<number>();
  const isRefused = (id: number): boolean => tables.file(id)?.state === fileStates.unparsed;
  /** Many symbols share a name. */
  const texts = new Map<number, string>();
  const textOf = (name: number): string => {
    let text = texts.get(name);
    if (text === undefined) texts.set(name, (text = tables.names.text(name)));
    return text;
  };
  const isScoped = (id: number): boolean => {
    let verdict = scoped.get(id);
    if (verdict === undefined) scoped.set(id, (verdict = inScope(tables.file(id)?.path ?? "")));
    return verdict;
  };
  const penaltyOf = (id: number): number => pathPenalty(tables.file(id)?.path ?? "");
  const take = (id: number, at: number, fit: NameFit): void => {
    const file = tables.file(id)!;
    const [name = 0, kind = 0, line = 0, column = 0, container = -1] = file.symbols!.subarray(
      at,
      at + packedSize,
    );
    if (kinds !== undefined && !kinds.has(kind)) return;
    const key = `${id}:${line}:${column}`;
    if (taken.has(key)) return;
    taken.add(key);
    found.push({
      file: file.path,
      name: textOf(name),
      kind: symbolKinds[kind] ?? "variable",
      line,
      column,
      container: container === -1 ? undefined : textOf(container),
      fit,
      size: file.size,
      changed: file.changed,
    });
  };
  /** Most symbols of a file have another name, so the loop does nothing but compare. */
  const readName = (id: number, name: number, fit: NameFit): void => {
    const symbols = tables.file(id)?.symbols;
    if (symbols === undefined) return;
    for (let at = 0; at < symbols.length; at += packedSize) if (symbols[at] === name) take(id, at, fit);
  };
  return {
    found,
    countRefused: () => [...maybeRefused].filter(isRefused).length,
    addNames(names) {
      for (const { id: name, fit } of names) {
        if (fits.has(name)) continue;
        fits.set(name, fit);
        for (const { file, strong } of tables.postings(name)) {
          if (!isScoped(file)) continue;
          const state = tables.file(file)?.state;
          if (strong && state !== fileStates.parsed) maybeRefused.add(file);
          if (state !== fileStates.scanned) readName(file, name, fit);
          else unparsed.set(file, strong || unparsed.get(file) === true);
        }
      }
    },
    takeUnparsed() {
      const files = [...unparsed].sort(([one], [other]) => penaltyOf(one) - penaltyOf(other));
      unparsed = new Map();
      const select = (wanted: boolean): number[] =>
        files.filter(([, strong]) => strong === wanted).map(([id]) => id);
      return { likely: select(true), rest: select(false) };
    },
    readParsed(files) {
      // A name that only the tree knows (`foo?`, `operator==`) matches by its text.
      const own = tables.names.find(nameQuery.name);
      const fitOf = (id: number): NameFit | undefined => fits.get(id) ?? (id === own ? "exact" : undefined);
      for (const file of files) {
        const symbols = tables.file(file)?.symbols ?? [];
        for (let at = 0; at < symbols.length; at += packedSize) {
          const fit = fitOf(symbols[at]!);
          if (fit !== undefined) take(file, at, fit);
        }
      }
    },
  };
}

/** Time for the less likely files when something has been found already. */
const patienceMs = 300;

async function readUnparsed(collector: SymbolCollector, parseNow: ParseNow, until: number): Promise<number> {
  const { likely, rest } = collector.takeUnparsed();
  let left = 0;
  for (const files of [likely, rest]) {
    if (files.length === 0) continue;
    const enough = files === rest && collector.found.length > 0;
    const unread = await parseNow(files, enough ? Math.min(until, performance.now() + patienceMs) : until);
    collector.readParsed(files.slice(0, files.length - unread));
    left += unread;
  }
  return left;
}

function* exactNames({ names }: IndexTables, { name, caseSensitive }: NameQuery): Iterable<NamedFit> {
  const id = names.find(name);
  if (id !== undefined) yield { id, fit: "exact" };
  // The scan sees only letters and digits.
  const core = names.find(coreOf(name));
  if (core !== undefined) yield { id: core, fit: core === id ? "exact" : "part" };
  if (caseSensitive) return;
  const lower = name.toLowerCase();
  for (const other of names.startingWith(lower)) {
    if (other !== id && names.length(other) === name.length) yield { id: other, fit: "case" };
  }
}

function* prefixNames({ names }: IndexTables, { name, caseSensitive }: NameQuery): Iterable<NamedFit> {
  for (const id of names.startingWith(name.toLowerCase())) {
    if (!caseSensitive || names.text(id).startsWith(name)) yield { id, fit: "prefix" };
  }
}
