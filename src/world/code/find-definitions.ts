import type { CodeQueryType } from "../../contract/ports/code.js";
import type { SymbolKind } from "../../syntax/source-symbol.js";
import { buildingNote, type Candidate, type Candidates, noCandidates } from "./candidate.js";
import { type CodeParts, type Search, startIndex } from "./code-parts.js";
import { findHits } from "./find-text.js";
import { pathPenalty } from "./path-rank.js";
import { belowOf, shownPath } from "./place.js";
import { rankSymbol } from "./symbol-rank.js";
import type { Findings, FoundSymbol, NameWish } from "./worker/messages.js";

/** How long files that are not known yet may be parsed while somebody waits. */
const parseMs = 3000;
/** Files that hold the name and are looked at without an index. */
const mostFiles = 2000;

/** Definitions of a name, best first, from syntax trees. */
export async function findDefinitions(search: Search, most: number): Promise<Candidates> {
  const wish = toWish(search, most);
  if (wish === undefined) return noCandidates;
  const { parts, place } = search;
  if (parts.keepsIndex && place.inWorkspace) {
    const librarian = parts.librarian();
    if (librarian.state.state === "ready") {
      const findings = await librarian
        .ask("find", { wish, withinMs: parseMs }, parts.signal)
        .catch(unlessAborted(parts));
      if (findings?.covered === true) return toCandidates(findings, wish);
    } else if (await startIndex(parts)) {
      const found = await findDirectly(search, wish);
      return { ...found, notes: [buildingNote, ...found.notes] };
    }
  }
  return findDirectly(search, wish);
}

/** What the index cannot answer is searched directly. */
function unlessAborted({ signal }: CodeParts): (error: unknown) => undefined {
  return (error) => {
    if (signal.aborted) throw error;
  };
}

/** What is looked for, or nothing where the query cannot be a name. */
function toWish({ query, scope, place }: Search, most: number): NameWish | undefined {
  const text = query.query.trim();
  if (text === "" || text.length > 500 || text.includes("\n")) return undefined;
  const { name, containers } = splitName(text);
  return {
    name,
    containers,
    kinds: kindsOf(query.type),
    caseSensitive: query.caseSensitive ?? false,
    scope: { ...scope, below: belowOf(place) },
    most,
  };
}

/** `Class.method`, `Class::method`, `Class#method`, `pointer->field`; `method()` means the method. */
function splitName(text: string): { name: string; containers: string[] } {
  const bare = text.replace(/\(\s*\)$/, "");
  const parts = bare.split(/\.|::|#|->|\\/);
  const name = parts.pop() ?? "";
  if (name === "" || !parts.every((part) => /^[\p{L}\p{N}_$]+$/u.test(part)))
    return { name: bare, containers: [] };
  return { name, containers: parts };
}

/** The kinds that a type of query means; none for all. */
export function kindsOf(type: CodeQueryType): readonly SymbolKind[] | undefined {
  if (type === "function") return ["function", "method", "macro"];
  if (type === "class") return ["class", "struct", "interface", "enum", "type", "module", "implementation"];
  if (type === "variable") return ["variable", "constant", "field", "member", "key"];
  return undefined;
}

/** Without an index: ripgrep says which files hold the name, a quick look which may define it, and those are parsed. */
async function findDirectly(search: Search, wish: NameWish): Promise<Candidates> {
  const librarian = search.parts.librarian();
  // The thread starts while ripgrep runs.
  const warm = librarian.ask("state", {}, search.parts.signal).catch(() => undefined);
  const exact = await filesWith(search, wish.name, { wholeWords: true, ignoreCase: false });
  await warm;
  const found = await parseFiles(search, exact.files, wish);
  if (found.symbols.length > 0) return toCandidates({ ...found, more: exact.more }, wish);
  const looser = await filesWith(search, wish.name, { wholeWords: false, ignoreCase: !wish.caseSensitive });
  const more = await parseFiles(search, looser.files, wish);
  return toCandidates({ ...more, more: looser.more }, wish);
}

/** The text itself and no pattern: ripgrep is many times slower with one, above all on long lines. */
async function filesWith(
  search: Search,
  name: string,
  { wholeWords, ignoreCase }: { wholeWords: boolean; ignoreCase: boolean },
): Promise<{ files: string[]; more: boolean }> {
  const isWord = /^[\p{L}\p{N}_].*(?<=[\p{L}\p{N}_])$/su.test(name);
  const { hits, cut } = await findHits(search, {
    patterns: [name],
    regex: false,
    ignoreCase,
    wholeWords: wholeWords && isWord,
    kind: "text",
    perFile: 1,
  });
  const files = [...new Set(hits.map(({ file }) => file))].sort(
    (one, other) => pathPenalty(one) - pathPenalty(other) || (one < other ? -1 : 1),
  );
  return { files: files.slice(0, mostFiles), more: cut !== undefined || files.length > mostFiles };
}

async function parseFiles(
  { parts, place }: Search,
  files: readonly string[],
  wish: NameWish,
): Promise<Findings> {
  if (files.length === 0) return { symbols: [], unread: 0, more: false, covered: true };
  const paths = files.map((file) => shownPath(place, file));
  return parts.librarian().ask("symbols", { files: paths, wish, withinMs: parseMs }, parts.signal);
}

function toCandidates({ symbols, unread, more }: Findings, wish: NameWish): Candidates {
  const placed = wish.containers.length === 0 ? [] : symbols.filter((symbol) => liesIn(symbol, wish));
  const ranked = (placed.length > 0 ? placed : [...symbols])
    .map((symbol) => ({ symbol, rank: rankSymbol(symbol, wish) }))
    .sort((one, other) => one.rank - other.rank || inOrder(one.symbol, other.symbol));
  const notes = unread === 0 ? [] : [`${unread} files that may define it were not parsed in time.`];
  return { candidates: ranked.map(({ symbol }) => toCandidate(symbol)), more: more || unread > 0, notes };
}

function liesIn({ container }: FoundSymbol, { containers }: NameWish): boolean {
  return container?.split(/\.|::|#|\\/).at(-1) === containers.at(-1);
}

function inOrder(one: FoundSymbol, other: FoundSymbol): number {
  if (one.file !== other.file) return one.file < other.file ? -1 : 1;
  return one.line - other.line || one.column - other.column;
}

function toCandidate({ file, line, column, kind, name, size, changed }: FoundSymbol): Candidate {
  return { file, line, column, columnsIn: "characters", kind, expected: { name, size, changed } };
}
