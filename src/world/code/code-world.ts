import { availableParallelism } from "node:os";
import type { CodeIndexState, CodeSearch } from "../../contract/ports/code.js";
import type { Files } from "../../contract/ports/files.js";
import type { PathRulesOptions } from "../files/path-rules.js";
import { type LibrarianThread, openLibrarianThread } from "./librarian-thread.js";
import { findRipgrep } from "./ripgrep.js";
import { createCodeSearch } from "./search-code.js";

export interface CodeWorldOptions {
  /** The rules of every guard of the workspace: the index is read by them, in threads of its own. */
  readonly rules: () => PathRulesOptions;
  readonly maxFileSize: number;
  /** Where the index is kept between processes; makes its folder. */
  readonly indexFile: () => string | undefined;
  /** The process lives on: build an index and watch for changes. */
  readonly keepsIndex: boolean;
  /** ripgrep's program. @default the package's own */
  readonly ripgrep?: () => string | undefined;
}

/** Code search in a workspace, for all calls. */
export interface CodeWorld {
  /** What a call may read it sees through its own files. */
  forCall(call: { readonly files: Files; readonly signal: AbortSignal }): CodeSearch;
  close(): Promise<void>;
}

const noIndex: CodeIndexState = { state: "none", filesParsed: 0, filesKnown: 0 };

/** Prepare the search; no thread is started before the first query. */
export function createCodeWorld(options: CodeWorldOptions): CodeWorld {
  const { keepsIndex, maxFileSize } = options;
  let thread: LibrarianThread | undefined;
  const librarian = (): LibrarianThread =>
    (thread ??= openLibrarianThread({
      role: "librarian",
      rules: options.rules(),
      maxFileSize,
      indexFile: keepsIndex ? options.indexFile() : undefined,
      watch: keepsIndex,
      threads: Math.min(2, availableParallelism()),
    }));
  const indexState = (): CodeIndexState => (keepsIndex && thread !== undefined ? thread.state : noIndex);
  let program: { readonly path: string | undefined } | undefined;
  const ripgrep = (): string | undefined => (program ??= { path: (options.ripgrep ?? findRipgrep)() }).path;
  return {
    forCall: ({ files, signal }) =>
      createCodeSearch({ files, signal, ripgrep, librarian, indexState, keepsIndex }),
    async close() {
      await thread?.close();
      thread = undefined;
    },
  };
}
