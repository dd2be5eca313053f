import type { SeenPart } from "./seen.js";

/** What a search in the code looks for. */
export type CodeQueryType = "function" | "class" | "variable" | "file" | "text" | "all";

/** What is looked for in the workspace's code. */
export interface CodeQuery {
  readonly query: string;
  readonly type: CodeQueryType;
  /** Search only below this path; what is near it comes first. @default the workspace */
  readonly path?: string | undefined;
  readonly language?: string | undefined;
  /** Only files whose path fits. */
  readonly glob?: string | undefined;
  /** The query is a regular expression, for `text`. */
  readonly regex: boolean;
  /** @default only where the query has a capital letter */
  readonly caseSensitive?: boolean | undefined;
  readonly contextLines: number;
  readonly limit: number;
}

/** One place that fits, best first. Lines and columns count from 1. */
export interface CodeMatch {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** The line itself. */
  readonly code: string;
  /** The line with its neighbors. */
  readonly context: string;
  /** What the name stands for there (`function`, `class`, …), `mention`, `text` or `file`. */
  readonly kind: string;
}

/** How much of the workspace is known by its syntax trees. */
export interface CodeIndexState {
  readonly state: "ready" | "building" | "none";
  readonly filesParsed: number;
  readonly filesKnown: number;
}

/** The lines of a file that an answer shows, to keep track of what was read. */
export interface ShownLines {
  readonly file: string;
  readonly identity: string;
  readonly start: number;
  readonly lines: readonly string[];
  /** Parts of lines that are too long to be shown whole. */
  readonly parts?: readonly SeenPart[];
  /** The file is named by its real path. @default false */
  readonly isRealPath?: boolean;
}

/** What a search in the code found. */
export interface CodeAnswer {
  readonly matches: readonly CodeMatch[];
  /** More would fit, or not everything could be searched. */
  readonly truncated: boolean;
  readonly index: CodeIndexState;
  /** What a reader should know of how the answer was found. */
  readonly notes: readonly string[];
  readonly shown: readonly ShownLines[];
}

/** A search for lines by a pattern. */
export interface GrepQuery {
  /** A regular expression. */
  readonly pattern: string;
  /** @default the workspace */
  readonly path?: string | undefined;
  /** Only files whose path fits. */
  readonly glob?: string | undefined;
  readonly mode: "content" | "files" | "count";
  /** Lines before and after each match. */
  readonly context: number;
  readonly ignoreCase: boolean;
  /** A match may span several lines. */
  readonly multiline: boolean;
  readonly limit: number;
  /** Matches (or files) to leave out at the start. */
  readonly offset: number;
}

/** A line that a search shows. */
export interface GrepLine {
  readonly file: string;
  readonly line: number;
  readonly text: string;
  /** The first character that is shown of a line that is too long, if it is not the first one of the line. */
  readonly startChar?: number;
  /** `false` for a line around a match. */
  readonly isMatch: boolean;
}

/** The lines that a pattern matched, a page of them. */
export interface GrepAnswer {
  /** For `content`, by file and line. */
  readonly lines: readonly GrepLine[];
  /** For `files` and `count`, by name; `count` is the number of matching lines. */
  readonly files: readonly { readonly file: string; readonly count?: number }[];
  /** All matching lines, or all files with matches, shown or not. */
  readonly total: number;
  /** There may be more than `total`. */
  readonly incomplete: boolean;
  readonly notes: readonly string[];
  readonly shown: readonly ShownLines[];
}

/** Search in the workspace's code; everything that is shown was read through the guard. */
export interface CodeSearch {
  search(query: CodeQuery): Promise<CodeAnswer>;
  /** Find lines by a pattern, in the order of files and lines. */
  grep(query: GrepQuery): Promise<GrepAnswer>;
}
