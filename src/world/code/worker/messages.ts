import type { CodeIndexState } from "../../../contract/ports/code.js";
import type { SymbolKind } from "../../../syntax/source-symbol.js";
import type { PathRulesOptions } from "../../files/path-rules.js";

/** What a worker thread needs to read files on its own, through a guard with the same rules. */
export interface ReadingSetup {
  readonly rules: PathRulesOptions;
  readonly maxFileSize: number;
}

/** What the thread that keeps the index is given. */
export interface LibrarianSetup extends ReadingSetup {
  readonly role: "librarian";
  /** Where the index is kept between processes; none where it is not. */
  readonly indexFile: string | undefined;
  /** Follow changes by watching directories. */
  readonly watch: boolean;
  /** Threads that scan and parse. */
  readonly threads: number;
}

/** What a thread that scans and parses is given. */
export interface ParserSetup extends ReadingSetup {
  readonly role: "parser";
}

/** Which files count. */
export interface FileScope {
  /** Directory or file below the workspace; "" for all of it. */
  readonly below: string;
  readonly language?: string | undefined;
  readonly glob?: string | undefined;
}

/** A definition that is looked for. */
export interface NameWish {
  readonly name: string;
  /** What it must lie in, the nearest last; from `Class.method`. */
  readonly containers: readonly string[];
  /** Which kinds count; none for all. */
  readonly kinds: readonly SymbolKind[] | undefined;
  readonly caseSensitive: boolean;
  readonly scope: FileScope;
  readonly most: number;
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

/** An answer from the index. */
export interface Findings {
  readonly symbols: readonly FoundSymbol[];
  /** Files that may hold more, and were not parsed in time. */
  readonly unread: number;
  readonly more: boolean;
  /** `false` where the index does not hold the place: ignored files, another tree. */
  readonly covered: boolean;
}

/** What can be asked of the librarian, and how it answers. */
export interface Questions {
  /** Definitions in these files as they are now, whether the index holds them or not; an empty name fits all. */
  symbols: {
    ask: { readonly files: readonly string[]; readonly wish: NameWish; readonly withinMs: number };
    answer: Findings;
  };
  find: { ask: { readonly wish: NameWish; readonly withinMs: number }; answer: Findings };
  files: {
    ask: { readonly query: string; readonly scope: FileScope; readonly most: number };
    answer: { readonly files: readonly string[]; readonly more: boolean; readonly covered: boolean };
  };
  /** Begin to build the index, or bring it up to date. */
  start: { ask: object; answer: CodeIndexState };
  state: { ask: object; answer: CodeIndexState };
  /** Wait until every file is parsed. */
  whole: { ask: object; answer: CodeIndexState };
  close: { ask: object; answer: object };
}

export type QuestionName = keyof Questions;

export interface Question {
  readonly id: number;
  readonly name: QuestionName;
  readonly ask: unknown;
}

/** What comes back: an answer to a question, and how far the index is. */
export type Reply =
  | { readonly id: number; readonly answer: unknown; readonly state: CodeIndexState }
  | { readonly id: number; readonly error: string; readonly state: CodeIndexState }
  | { readonly state: CodeIndexState };
