import { availableParallelism } from "node:os";
import type { CodeIndexState, CodeSearch } from "../../contract/ports/code.js";
import type { Files } from "../../contract/ports/files.js";
import { createNewlineCounter, type NewlineCounter } from "../../text/newline-counter.js";
import type { PathRulesOptions } from "../files/path-rules.js";
import type { Launcher } from "../processes/launch.js";
import { type SymbolIndexThread, openSymbolIndexThread } from "./symbol-index-thread.js";
import { findRipgrep } from "./ripgrep.js";
import { createCodeSearch } from "./search-code.js";
import type { Ripgrep } from "./start-ripgrep.js";

export interface CodeWorldOptions {
  /** The path rules of the workspace; the threads of the index read files by the same rules. */
  readonly rules: () => PathRulesOptions;
  readonly maxFileSize: number;
  /** The file that stores the index between processes; creates its directory. */
  readonly indexFile: () => string | undefined;
  /** For long-lived processes: build an index and watch for changes. */
  readonly keepsIndex: boolean;
  /** ripgrep's program. @default the package's own */
  readonly ripgrep?: () => string | undefined;
  /** Starts ripgrep; closed with the world. @default this process forks */
  readonly launcher?: Launcher | undefined;
}

/** Code search in a workspace, for all calls. */
export interface CodeWorld {
  /** The search of one call, which sees only files that the call may read. */
  forCall(call: { readonly files: Files; readonly signal: AbortSignal }): CodeSearch;
  close(): Promise<void>;
}

const noIndex: CodeIndexState = { state: "none", filesParsed: 0, filesKnown: 0 };

/** Prepare the search; no thread is started before the first query. */
export function createCodeWorld(options: CodeWorldOptions): CodeWorld {
  const { keepsIndex, maxFileSize } = options;
  let thread: SymbolIndexThread | undefined;
  const symbolIndex = (): SymbolIndexThread =>
    (thread ??= openSymbolIndexThread({
      role: "index",
      rules: options.rules(),
      maxFileSize,
      indexFile: keepsIndex ? options.indexFile() : undefined,
      watch: keepsIndex,
      threads: Math.min(2, availableParallelism()),
    }));
  const indexState = (): CodeIndexState => (keepsIndex && thread !== undefined ? thread.state : noIndex);
  let program: { readonly found: Ripgrep | undefined } | undefined;
  const ripgrep = (): Ripgrep | undefined => (program ??= { found: lookForRipgrep(options) }).found;
  let counter: NewlineCounter | undefined;
  const newlineCounter = (): NewlineCounter => (counter ??= createNewlineCounter());
  const shared = { ripgrep, symbolIndex, newlineCounter, indexState, keepsIndex };
  return {
    forCall: ({ files, signal }) => createCodeSearch({ files, signal, ...shared }),
    async close() {
      await thread?.close();
      thread = undefined;
      await options.launcher?.close();
    },
  };
}

function lookForRipgrep({ ripgrep = findRipgrep, launcher }: CodeWorldOptions): Ripgrep | undefined {
  const path = ripgrep();
  if (path === undefined) return undefined;
  return { path, ...(launcher !== undefined && { launch: (...args) => launcher.launch(...args) }) };
}
