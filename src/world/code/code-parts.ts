import type { CodeIndexState, CodeQuery } from "../../contract/ports/code.js";
import type { Files } from "../../contract/ports/files.js";
import type { LibrarianThread } from "./librarian-thread.js";
import type { Place } from "./place.js";
import type { FileScope } from "./worker/messages.js";

/** What a search works with: the call's own files, and what all calls share. */
export interface CodeParts {
  readonly files: Files;
  readonly signal: AbortSignal;
  /** ripgrep's program, where there is one. */
  readonly ripgrep: () => string | undefined;
  readonly librarian: () => LibrarianThread;
  /** How far the index is; asking begins nothing. */
  readonly indexState: () => CodeIndexState;
  /** An index is built and kept; else every search is direct. */
  readonly keepsIndex: boolean;
}

/** One search, its place found and its filters compiled. */
export interface Search {
  readonly parts: CodeParts;
  readonly query: CodeQuery;
  readonly place: Place;
  readonly scope: FileScope;
  /** Whether a file counts, by the path that is shown for it. */
  readonly wants: (path: string) => boolean;
  readonly ignoreCase: boolean;
  /** When an answer must be found, by `performance.now()`: part of it in time is better than all of it too late. */
  readonly until: number;
}

/** Begin to build the index, or go on; whether it is being built now. */
export async function startIndex({ librarian, signal }: CodeParts): Promise<boolean> {
  const { state } = await librarian().ask("start", {}, signal);
  return state === "building";
}
