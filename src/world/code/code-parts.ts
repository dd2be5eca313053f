import type { CodeIndexState, CodeQuery } from "../../contract/ports/code.js";
import type { Files } from "../../contract/ports/files.js";
import type { NewlineCounter } from "../../text/newline-counter.js";
import type { SymbolIndexThread } from "./symbol-index-thread.js";
import type { SearchRoot } from "./search-root.js";
import type { Ripgrep } from "./start-ripgrep.js";
import type { FileScope } from "./worker/messages.js";

/** What a search works with: the call's own files, and what all calls share. */
export interface CodeParts {
  readonly files: Files;
  readonly signal: AbortSignal;
  /** ripgrep, where there is one. */
  readonly ripgrep: () => Ripgrep | undefined;
  readonly symbolIndex: () => SymbolIndexThread;
  /** Finds lines of large files. */
  readonly newlineCounter: () => NewlineCounter;
  /** The state of the index; reading it does not start a build. */
  readonly indexState: () => CodeIndexState;
  /** Whether an index is built and stored; otherwise every search is direct. */
  readonly keepsIndex: boolean;
}

/** One search with its root resolved and its filters compiled. */
export interface Search {
  readonly parts: CodeParts;
  readonly query: CodeQuery;
  readonly root: SearchRoot;
  readonly scope: FileScope;
  /** Whether a file counts, by the path that is shown for it. */
  readonly wants: (path: string) => boolean;
  readonly ignoreCase: boolean;
  /** Deadline by `performance.now()`; a partial result in time is better than a complete one too late. */
  readonly until: number;
}

/** Begin to build the index, or go on; whether it is being built now. */
export async function startIndex({ symbolIndex, signal }: CodeParts): Promise<boolean> {
  try {
    const { state } = await symbolIndex().request("start", {}, signal);
    return state === "building";
  } catch (error) {
    if (signal.aborted) throw error;
    return false; // without its thread there is no index, and the answer is there already
  }
}
