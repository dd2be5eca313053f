import type { CodeIndexState } from "../../../contract/ports/code.js";
import type { SymbolKind } from "../../../syntax/source-symbol.js";
import type { PathRulesOptions } from "../../files/path-rules.js";

/** What a worker thread needs to read files on its own, through a guard with the same rules. */
export interface ReadingSetup {
  readonly rules: PathRulesOptions;
  readonly maxFileSize: number;
}

/** Options of the thread that builds and stores the index. */
export interface SymbolIndexSetup extends ReadingSetup {
  readonly role: "index";
  /** Where the index is stored between processes; `undefined` to keep it in memory only. */
  readonly indexFile: string | undefined;
  /** Follow changes by watching directories. */
  readonly watch: boolean;
  /** Threads that scan and parse. */
  readonly threads: number;
}

/** Options of a thread that scans and parses. */
export interface ParserSetup extends ReadingSetup {
  readonly role: "parser";
}

export interface FileScope {
  /** Directory or file below the workspace; "" for all of it. */
  readonly below: string;
  readonly language?: string | undefined;
  readonly glob?: string | undefined;
}

export interface NameQuery {
  readonly name: string;
  /** Names of the enclosing definitions, the innermost last; from `Class.method`. */
  readonly containers: readonly string[];
  /** Which kinds count; none for all. */
  readonly kinds: readonly SymbolKind[] | undefined;
  readonly caseSensitive: boolean;
  readonly scope: FileScope;
  readonly maxResults: number;
}

/** How well a name fits: itself, in another case, its beginning, its parts, its letters in order. */
export const nameFits = ["exact", "case", "prefix", "part", "letters"] as const;

export type NameFit = (typeof nameFits)[number];

/** A definition, and the version of the file that it was found in. */
export interface FoundSymbol {
  readonly file: string;
  readonly name: string;
  readonly kind: SymbolKind;
  readonly line: number;
  readonly column: number;
  readonly container: string | undefined;
  readonly fit: NameFit;
  readonly size: number;
  readonly changed: number;
}

/** The result of a search by name. */
export interface SymbolResults {
  readonly symbols: readonly FoundSymbol[];
  /** Files that may hold more, and were not parsed: there was no time, or they are too large or too hard. */
  readonly unread: number;
  readonly more: boolean;
  /** `false` where the index does not contain the search root: ignored files, another tree. */
  readonly covered: boolean;
}

/** The requests to the index thread, with their inputs and results. */
export interface Requests {
  /** Definitions in these files as they are now, whether the index holds them or not; an empty name fits all. */
  symbols: {
    input: { readonly files: readonly string[]; readonly nameQuery: NameQuery; readonly withinMs: number };
    result: SymbolResults;
  };
  find: { input: { readonly nameQuery: NameQuery; readonly withinMs: number }; result: SymbolResults };
  files: {
    input: { readonly query: string; readonly scope: FileScope; readonly maxResults: number };
    result: { readonly files: readonly string[]; readonly more: boolean; readonly covered: boolean };
  };
  /** Begin to build the index, or bring it up to date. */
  start: { input: object; result: CodeIndexState };
  state: { input: object; result: CodeIndexState };
  /** Wait until every file is parsed. */
  whole: { input: object; result: CodeIndexState };
  close: { input: object; result: object };
}

export type RequestName = keyof Requests;

export interface Request {
  readonly id: number;
  readonly name: RequestName;
  readonly input: unknown;
}

/** A result or an error with the id of its request, or only the new state. */
export type Response =
  | { readonly id: number; readonly result: unknown; readonly state: CodeIndexState }
  | { readonly id: number; readonly error: string; readonly state: CodeIndexState }
  | { readonly state: CodeIndexState };
