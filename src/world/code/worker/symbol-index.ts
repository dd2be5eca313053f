import { setImmediate as nextTurn } from "node:timers/promises";
import type { MessagePort } from "node:worker_threads";
import type { CodeIndexState } from "../../../contract/ports/code.js";
import { createSyntax } from "../../../syntax/create-syntax.js";
import { compileScope } from "../file-scope.js";
import { rankFiles } from "../file-rank.js";
import { createDirectSymbols, type DirectSymbols } from "./direct-symbols.js";
import { createIndexBuilder, type IndexBuilder } from "./index-builder.js";
import { openIndexFile, type IndexFile } from "./index-file.js";
import { IndexTables } from "./index-tables.js";
import { lookUp } from "./lookup.js";
import type { SymbolIndexSetup, Request, RequestName, Requests, Response } from "./messages.js";
import { createParserPool, type ParserPool } from "./parser-pool.js";
import type { ParserThread } from "./parser-process.js";
import { openGuard } from "./parser.js";
import { createTreeSync, TreeTooLarge, type TreeSync } from "./tree-sync.js";
import { threadCpuMs } from "./thread-cpu.js";

type Handlers = {
  [Name in RequestName]: (input: Requests[Name]["input"]) => Promise<Requests[Name]["result"]>;
};

/** Answer requests from a port until it receives "close". */
export function runSymbolIndex(port: MessagePort, setup: SymbolIndexSetup, start: () => ParserThread): void {
  const symbolIndex = new SymbolIndex(setup, {
    start,
    report: (state) => port.postMessage({ state } satisfies Response),
  });
  port.on("message", ({ id, name, input }: Request) => {
    const answer = (symbolIndex.handlers[name] as (input: unknown) => Promise<unknown>)(input);
    answer.then(
      (result) => {
        port.postMessage({ id, result, state: symbolIndex.state } satisfies Response);
        if (name === "close") port.close();
      },
      (cause: unknown) => {
        const error = cause instanceof Error ? cause.message : String(cause);
        port.postMessage({ id, error, state: symbolIndex.state } satisfies Response);
      },
    );
  });
}

const manyFiles = 2000;
/** The index is saved this long after a change. */
const saveAfterMs = 5000;

/** Keeps the index of a workspace: in memory, up to date, and in a file for the next process. */
class SymbolIndex {
  readonly #setup: SymbolIndexSetup;
  readonly #tables = new IndexTables();
  readonly #sync: TreeSync;
  readonly #builder: IndexBuilder;
  readonly #direct: DirectSymbols;
  readonly #pool: ParserPool;
  readonly #file: IndexFile | undefined;
  readonly #report: (state: CodeIndexState) => void;
  #phase: "none" | "building" | "ready" = "none";
  #starting: Promise<void> | undefined;
  #updating: { readonly next: Promise<void>; begun: boolean } | undefined;
  #parsing: Promise<void> | undefined;
  #savedVersion = -1;
  #saving: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(
    setup: SymbolIndexSetup,
    { start, report }: { start: () => ParserThread; report: (state: CodeIndexState) => void },
  ) {
    const guard = openGuard(setup);
    const tables = this.#tables;
    this.#setup = setup;
    this.#report = report;
    this.#sync = createTreeSync(guard, tables);
    this.#pool = createParserPool({ size: setup.threads, start, names: tables.names });
    const syntax = createSyntax(threadCpuMs);
    this.#builder = createIndexBuilder({ guard, tables, pool: this.#pool, syntax });
    this.#direct = createDirectSymbols(guard, syntax);
    this.#file = setup.indexFile === undefined ? undefined : openIndexFile(setup.indexFile, guard.root);
  }

  readonly handlers: Handlers = {
    find: async ({ nameQuery, withinMs }) => {
      const until = performance.now() + withinMs;
      await this.#upToDate();
      if (!this.#covers(nameQuery.scope.below))
        return { symbols: [], unread: 0, more: false, covered: false };
      const results = await lookUp(this.#tables, nameQuery, { parseNow: this.#builder.parseNow, until });
      this.#parseRest();
      return results;
    },
    symbols: ({ files, nameQuery, withinMs }) => this.#direct(files, nameQuery, performance.now() + withinMs),
    files: async ({ query, scope, maxResults }) => {
      await this.#upToDate();
      if (!this.#covers(scope.below)) return { files: [], more: false, covered: false };
      const inScope = compileScope(scope);
      const ranked = rankFiles([...this.#tables.paths()].filter(inScope), query, scope.below);
      return { files: ranked.slice(0, maxResults), more: ranked.length > maxResults, covered: true };
    },
    start: async () => {
      this.#startOnce().catch(() => undefined);
      return this.state;
    },
    state: async () => this.state,
    whole: async () => {
      await this.#startOnce();
      await this.#upToDate();
      this.#parseRest();
      await this.#parsing;
      return this.state;
    },
    close: async () => {
      this.#closed = true;
      this.#sync.close();
      await this.#pool.stop();
      if (this.#saving !== undefined) clearTimeout(this.#saving);
      this.#save();
      return {};
    },
  };

  #covers(below: string): boolean {
    return this.#tables.entries(below) !== undefined || this.#tables.find(below) !== undefined;
  }

  /** A start that failed, for example because directories were moved, is tried again with the next request. */
  #startOnce(): Promise<void> {
    this.#starting ??= this.#start().catch((error: unknown) => {
      if (!(error instanceof TreeTooLarge)) this.#starting = undefined;
      this.#phase = "none";
      throw error;
    });
    return this.#starting;
  }

  async #start(): Promise<void> {
    this.#phase = "building";
    this.#report(this.state);
    // Loading blocks the thread: the request that started it gets its answer first.
    await nextTurn();
    if (this.#file?.load(this.#tables) === true) this.#savedVersion = this.#tables.version;
    await this.#sync.bringUpToDate();
    await this.#builder.scan();
    if (this.#closed) return;
    this.#phase = "ready";
    this.#report(this.state);
    // What a scan of many files leaves in its threads is more than starting others costs.
    if (this.#tables.fileCount > manyFiles) await this.#pool.rest();
    this.#parseRest();
    if (this.#setup.watch) await this.#update(() => this.#sync.watch());
    this.#parseRest();
  }

  /** Afterwards every change that was complete when this was called is known. */
  #upToDate(): Promise<void> {
    // Callers share an update that has not begun; one that has begun may have missed their change.
    if (this.#updating !== undefined && !this.#updating.begun) return this.#updating.next;
    return this.#update(() => this.#sync.bringUpToDate());
  }

  #update(compare: () => Promise<void>): Promise<void> {
    const before = this.#updating?.next;
    const update = { begun: false, next: Promise.resolve() };
    update.next = (async () => {
      await before?.catch(() => undefined);
      update.begun = true;
      const version = this.#tables.version;
      await compare();
      if (this.#tables.version !== version) await this.#builder.scan();
    })().finally(() => {
      if (this.#updating === update) this.#updating = undefined;
    });
    this.#updating = update;
    return update.next;
  }

  /** Go on parsing in the background; the threads end when all is done. */
  #parseRest(): void {
    if (this.#parsing !== undefined || this.#closed || this.#phase !== "ready") return;
    if (this.#tables.parsedCount === this.#tables.fileCount) return this.#saveLater();
    this.#parsing = this.#builder
      .parse(() => this.#closed)
      .then(() => this.#pool.rest())
      .finally(() => {
        this.#parsing = undefined;
        this.#report(this.state);
        this.#saveLater();
      });
  }

  #saveLater(): void {
    if (this.#closed || this.#saving !== undefined || this.#tables.version === this.#savedVersion) return;
    this.#saving = setTimeout(() => {
      this.#saving = undefined;
      this.#save();
    }, saveAfterMs);
    this.#saving.unref();
  }

  #save(): void {
    if (this.#phase !== "ready" || this.#tables.version === this.#savedVersion) return;
    this.#savedVersion = this.#tables.version;
    this.#file?.save(this.#tables);
  }

  /** How far the index is. */
  get state(): CodeIndexState {
    const { fileCount, parsedCount } = this.#tables;
    return { state: this.#phase, filesParsed: parsedCount, filesKnown: fileCount };
  }
}
