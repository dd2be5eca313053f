import type { CodeQueryType } from "../../contract/ports/code.js";
import type { SymbolKind } from "../../syntax/source-symbol.js";
import { buildingNote, type Candidate, type Candidates, noCandidates } from "./candidate.js";
import type { CodeParts, Search } from "./code-parts.js";
import { findHits } from "./find-text.js";
import { pathPenalty } from "./path-rank.js";
import { pathInWorkspace, shownPath } from "./search-root.js";
import { sortSymbols } from "./symbol-rank.js";
import type { SymbolResults, FoundSymbol, NameQuery } from "./worker/messages.js";

/** How long files outside the index may be parsed while a caller waits. */
const parseMs = 3000;
/** Files with the name that are parsed without an index. */
const maxFiles = 2000;

/** Definitions of a name, best first, from syntax trees. */
export async function findDefinitions(search: Search, maxResults: number): Promise<Candidates> {
  const nameQuery = toNameQuery(search, maxResults);
  if (nameQuery === undefined) return noCandidates;
  const { parts, root } = search;
  if (parts.keepsIndex && root.inWorkspace) {
    const symbolIndex = parts.symbolIndex();
    if (symbolIndex.state.state === "ready") {
      const results = await symbolIndex
        .request("find", { nameQuery, withinMs: parseMs }, parts.signal)
        .catch(ignoreUnlessAborted(parts));
      if (results?.covered === true) return toCandidates(results, nameQuery);
    } else {
      const found = await findDirectly(search, nameQuery);
      return { ...found, notes: [buildingNote, ...found.notes] };
    }
  }
  return findDirectly(search, nameQuery);
}

/** Errors of the index lead to a direct search, unless the call was aborted. */
function ignoreUnlessAborted({ signal }: CodeParts): (error: unknown) => undefined {
  return (error) => {
    if (signal.aborted) throw error;
  };
}

/** The name to search for, or `undefined` where the query cannot be a name. */
function toNameQuery({ query, scope, root }: Search, maxResults: number): NameQuery | undefined {
  const text = query.query.trim();
  if (text === "" || text.length > 500 || text.includes("\n")) return undefined;
  const { name, containers } = splitName(text);
  return {
    name,
    containers,
    kinds: kindsOf(query.type),
    caseSensitive: query.caseSensitive ?? false,
    scope: { ...scope, below: pathInWorkspace(root) },
    maxResults,
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

/** The symbol kinds for a type of query; `undefined` for all. */
export function kindsOf(type: CodeQueryType): readonly SymbolKind[] | undefined {
  if (type === "function") return ["function", "method", "macro"];
  if (type === "class") return ["class", "struct", "interface", "enum", "type", "module", "implementation"];
  if (type === "variable") return ["variable", "constant", "field", "member", "key"];
  return undefined;
}

/** Without an index: ripgrep lists the files with the name, a scan selects those that may define it, and those are parsed. */
async function findDirectly(search: Search, nameQuery: NameQuery): Promise<Candidates> {
  const symbolIndex = search.parts.symbolIndex();
  // The thread starts while ripgrep runs.
  const warm = symbolIndex.request("state", {}, search.parts.signal).catch(() => undefined);
  const exact = await filesWith(search, nameQuery.name, { wholeWords: true, ignoreCase: false });
  await warm;
  const found = await parseFiles(search, exact.files, nameQuery);
  if (found.symbols.length > 0) return toCandidates({ ...found, more: exact.more }, nameQuery);
  const looser = await filesWith(search, nameQuery.name, {
    wholeWords: false,
    ignoreCase: !nameQuery.caseSensitive,
  });
  const more = await parseFiles(search, looser.files, nameQuery);
  return toCandidates({ ...more, more: looser.more }, nameQuery);
}

/** Searches for the literal text: patterns make ripgrep many times slower, above all on long lines. */
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
  return { files: files.slice(0, maxFiles), more: cut !== undefined || files.length > maxFiles };
}

async function parseFiles(
  { parts, root }: Search,
  files: readonly string[],
  nameQuery: NameQuery,
): Promise<SymbolResults> {
  if (files.length === 0) return { symbols: [], unread: 0, more: false, covered: true };
  const paths = files.map((file) => shownPath(root, file));
  return parts.symbolIndex().request("symbols", { files: paths, nameQuery, withinMs: parseMs }, parts.signal);
}

function toCandidates({ symbols, unread, more }: SymbolResults, nameQuery: NameQuery): Candidates {
  const inContainer =
    nameQuery.containers.length === 0 ? [] : symbols.filter((symbol) => isInContainer(symbol, nameQuery));
  const sorted = sortSymbols(inContainer.length > 0 ? inContainer : symbols, nameQuery);
  const notes = unread === 0 ? [] : [unparsedNote(unread)];
  return { candidates: sorted.map(toCandidate), more: more || unread > 0, notes };
}

function unparsedNote(count: number): string {
  const files = count === 1 ? "1 file that may define it was" : `${count} files that may define it were`;
  return `${files} not parsed: too large, or not in time. A search of the type "text" looks there too.`;
}

function isInContainer({ container }: FoundSymbol, { containers }: NameQuery): boolean {
  return container?.split(/\.|::|#|\\/).at(-1) === containers.at(-1);
}

export function toCandidate({ file, line, column, kind, name, size, changed }: FoundSymbol): Candidate {
  return { file, line, column, columnsIn: "characters", kind, expected: { name, size, changed } };
}
