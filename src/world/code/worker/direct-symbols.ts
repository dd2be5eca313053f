import { LRUCache } from "lru-cache";
import type { Syntax } from "../../../syntax/create-syntax.js";
import type { SourceSymbol } from "../../../syntax/source-symbol.js";
import type { Guard } from "../../files/guard-types.js";
import type { SymbolResults, FoundSymbol, NameFit, NameQuery } from "./messages.js";
import { fileStates, parseFile, type ParseTools, tryRead } from "./parser.js";
import { IntList } from "./int-list.js";
import { coreOf } from "./name-fits.js";
import { NamePool } from "./name-pool.js";
import { scanNames } from "./scan-names.js";

/** Finds definitions in the given files, whether they are in the index or not. */
export type DirectSymbols = (
  files: readonly string[],
  nameQuery: NameQuery,
  until: number,
) => Promise<SymbolResults>;

interface ParsedSymbols {
  readonly identity: string;
  /** It changed just before it was read, so a second change may have the same timestamp. */
  readonly racy: boolean;
  readonly size: number;
  readonly changed: number;
  /** None where the file is too large or too hard to parse. */
  readonly symbols: readonly SourceSymbol[] | undefined;
}

const racyMs = 2000;
/** Time for the less likely files when something has been found already. */
const patienceMs = 300;

/** Files are parsed on demand; recent results are reused while the file stays the same. */
export function createDirectSymbols(guard: Guard, syntax: Syntax): DirectSymbols {
  const tools: ParseTools = { guard, syntax, into: { bytes: Buffer.alloc(0) } };
  const known = new LRUCache<string, ParsedSymbols>({ max: 500 });
  const symbolsOf = async (file: string): Promise<ParsedSymbols | undefined> => {
    const before = known.get(file);
    if (before !== undefined && !before.racy && identityNow(guard, file) === before.identity) return before;
    const readAt = Date.now();
    const look = await parseFile(tools, file);
    if (look === undefined) return undefined;
    const { identity, size, changed } = look.stat;
    const symbols = look.state === fileStates.unparsed ? undefined : (look.symbols ?? []);
    const fresh = { identity, racy: changed + racyMs > readAt, size, changed, symbols };
    known.set(file, fresh);
    return fresh;
  };
  return async (files, nameQuery, until) => {
    const symbols: FoundSymbol[] = [];
    const fitOf = createFitOf(nameQuery);
    const { likely, possible, unseen } = sortByLikelihood(tools, files, { nameQuery, until });
    let unread = unseen;
    for (const group of [likely, possible]) {
      const patience = symbols.length > 0 ? performance.now() + patienceMs : until;
      for (const [at, file] of group.entries()) {
        if (at > 0 && performance.now() > Math.min(until, patience)) {
          unread += group.length - at;
          break;
        }
        const found = await symbolsOf(file);
        if (found === undefined) continue;
        if (found.symbols === undefined) unread += 1;
        symbols.push(...matchingSymbols(file, found, { nameQuery, fitOf }));
      }
    }
    return { symbols, unread, more: false, covered: true };
  };
}

interface FilesByLikelihood {
  readonly likely: string[];
  readonly possible: string[];
  /** Files that were not checked in time. */
  readonly unseen: number;
}

/** Select the files worth parsing: this check costs a hundredth of a parse. */
function sortByLikelihood(
  { guard, into }: ParseTools,
  files: readonly string[],
  { nameQuery, until }: { nameQuery: NameQuery; until: number },
): FilesByLikelihood {
  const sorted: Record<Likelihood, string[]> = { likely: [], possible: [], no: [] };
  if (nameQuery.name === "") return { likely: [...files], possible: [], unseen: 0 };
  const mayDefine = createMayDefine(nameQuery.name);
  // Half of the time is for the parsing.
  const half = performance.now() + (until - performance.now()) / 2;
  for (const [at, file] of files.entries()) {
    if (performance.now() > half) return { ...sorted, unseen: files.length - at };
    const source = tryRead(guard, file, into);
    if (source?.language !== undefined) sorted[mayDefine(source.bytes, source.language)].push(file);
  }
  return { ...sorted, unseen: 0 };
}

function matchingSymbols(
  file: string,
  { symbols, size, changed }: ParsedSymbols,
  { nameQuery, fitOf }: { nameQuery: NameQuery; fitOf: (name: string) => NameFit | undefined },
): FoundSymbol[] {
  return (symbols ?? []).flatMap(({ name, kind, line, column, container }) => {
    const fit = nameQuery.kinds?.includes(kind) === false ? undefined : fitOf(name);
    return fit === undefined ? [] : [{ file, name, kind, line, column, container, fit, size, changed }];
  });
}

function identityNow(guard: Guard, file: string): string | undefined {
  try {
    return guard.stat(file)?.identity;
  } catch {
    return undefined;
  }
}

function createFitOf({ name, caseSensitive }: NameQuery): (other: string) => NameFit | undefined {
  const lower = name.toLowerCase();
  return (other) => {
    if (other === name || name === "") return "exact";
    if (other.length < name.length) return undefined;
    if (caseSensitive) return other.startsWith(name) ? "prefix" : undefined;
    if (!other.toLowerCase().startsWith(lower)) return undefined;
    return other.length === name.length ? "case" : "prefix";
  };
}

/** How likely a text defines a name: a keyword precedes it, the bytes around it suggest it, or neither. */
type Likelihood = "likely" | "possible" | "no";

/** Bytes before and after a name that are scanned. */
const around = 160;
/** A file that contains the name more often than this counts as possible. */
const maxOccurrences = 2000;

/** A quick check for one name: only its occurrences are scanned. */
function createMayDefine(name: string): (source: Uint8Array, language: string) => Likelihood {
  const core = coreOf(name);
  const bytes = Buffer.from(core);
  const pool = new NamePool();
  const stamps = { values: new Int32Array(64), file: 0 };
  return (source, language) => {
    // Names without letters (`==`) cannot be scanned for.
    if (core === "") return "possible";
    const buffer = Buffer.from(source.buffer, source.byteOffset, source.byteLength);
    const found = new IntList(64);
    let occurrences = 0;
    const first = buffer.indexOf(bytes);
    // It was found in another case.
    if (first === -1) return "possible";
    for (let at = first; at !== -1; at = buffer.indexOf(bytes, at + bytes.length)) {
      if (occurrences++ > maxOccurrences) return "possible";
      const line = buffer.lastIndexOf(10, at) + 1;
      const start = Math.max(line, at - around);
      scanNames(buffer.subarray(start, at + bytes.length + around), language, { pool, stamps, found });
    }
    const possibleNames = found.view().filter((note) => pool.text(note >> 1).includes(core));
    if (possibleNames.length === 0) return "no";
    return possibleNames.some((note) => (note & 1) === 1) ? "likely" : "possible";
  };
}
