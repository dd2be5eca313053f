import type { MessagePort, Worker } from "node:worker_threads";
import type { CodeIndexState } from "../../../contract/ports/code.js";
import { createSyntax } from "../../../syntax/create-syntax.js";
import { compileScope } from "../file-scope.js";
import { rankFiles } from "../file-rank.js";
import { createDirectSymbols, type DirectSymbols } from "./direct-symbols.js";
import { createIndexBuilder, type IndexBuilder } from "./index-builder.js";
import { openIndexFile, type IndexFile } from "./index-file.js";
import { IndexTables } from "./index-tables.js";
import { lookUp } from "./lookup.js";
import type { LibrarianSetup, Question, QuestionName, Questions, Reply } from "./messages.js";
import { createParserPool, type ParserPool } from "./parser-pool.js";
import { openGuard } from "./parser.js";
import { createTreeSync, TreeTooLarge, type TreeSync } from "./tree-sync.js";

type Answers = {
  [Name in QuestionName]: (ask: Questions[Name]["ask"]) => Promise<Questions[Name]["answer"]>;
};

/** Answer questions from a port until it is told to close. */
export function runLibrarian(port: MessagePort, setup: LibrarianSetup, start: () => Worker): void {
  const librarian = new Librarian(setup, {
    start,
    tell: (state) => port.postMessage({ state } satisfies Reply),
  });
  port.on("message", ({ id, name, ask }: Question) => {
    const answering = (librarian.answers[name] as (ask: unknown) => Promise<unknown>)(ask);
    answering.then(
      (answer) => {
        port.postMessage({ id, answer, state: librarian.state } satisfies Reply);
        if (name === "close") port.close();
      },
      (cause: unknown) => {
        const error = cause instanceof Error ? cause.message : String(cause);
        port.postMessage({ id, error, state: librarian.state } satisfies Reply);
      },
    );
  });
}

/** Changes are written down this long after the last one. */
const saveAfterMs = 5000;

/** Keeps the index of a workspace: in memory, up to date, and in a file for the next process. */
class Librarian {
  readonly #setup: LibrarianSetup;
  readonly #tables = new IndexTables();
  readonly #sync: TreeSync;
  readonly #builder: IndexBuilder;
  readonly #direct: DirectSymbols;
  readonly #pool: ParserPool;
  readonly #file: IndexFile | undefined;
  readonly #tell: (state: CodeIndexState) => void;
  #phase: "none" | "building" | "ready" = "none";
  #starting: Promise<void> | undefined;
  #updating: { readonly next: Promise<void>; begun: boolean } | undefined;
  #parsing: Promise<void> | undefined;
  #savedVersion = -1;
  #saving: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(
    setup: LibrarianSetup,
    { start, tell }: { start: () => Worker; tell: (state: CodeIndexState) => void },
  ) {
    const guard = openGuard(setup);
    const tables = this.#tables;
    this.#setup = setup;
    this.#tell = tell;
    this.#sync = createTreeSync(guard, tables);
    this.#pool = createParserPool({ size: setup.threads, start, names: tables.names });
    const syntax = createSyntax();
    this.#builder = createIndexBuilder({ guard, tables, pool: this.#pool, syntax });
    this.#direct = createDirectSymbols(guard, syntax);
    this.#file = setup.indexFile === undefined ? undefined : openIndexFile(setup.indexFile, guard.root);
  }

  readonly answers: Answers = {
    find: async ({ wish, withinMs }) => {
      const until = performance.now() + withinMs;
      await this.#upToDate();
      if (!this.#covers(wish.scope.below)) return { symbols: [], unread: 0, more: false, covered: false };
      const findings = await lookUp(this.#tables, wish, { parseNow: this.#builder.parseNow, until });
      this.#parseRest();
      return findings;
    },
    symbols: ({ files, wish, withinMs }) => this.#direct(files, wish, performance.now() + withinMs),
    files: async ({ query, scope, most }) => {
      await this.#upToDate();
      if (!this.#covers(scope.below)) return { files: [], more: false, covered: false };
      const inScope = compileScope(scope);
      const ranked = rankFiles([...this.#tables.paths()].filter(inScope), query, scope.below);
      return { files: ranked.slice(0, most), more: ranked.length > most, covered: true };
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
      await this.#pool.rest();
      if (this.#saving !== undefined) clearTimeout(this.#saving);
      this.#save();
      return {};
    },
  };

  #covers(below: string): boolean {
    return this.#tables.entries(below) !== undefined || this.#tables.find(below) !== undefined;
  }

  /** A start that failed (the tree was rearranged meanwhile, say) is tried again when somebody asks. */
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
    this.#tell(this.state);
    if (this.#file?.load(this.#tables) === true) this.#savedVersion = this.#tables.version;
    await this.#sync.bringUpToDate();
    await this.#builder.scan();
    if (this.#closed) return;
    this.#phase = "ready";
    this.#tell(this.state);
    if (this.#setup.watch) await this.#update(() => this.#sync.watch());
    this.#parseRest();
  }

  /** Every change that was over when this was called is known afterwards. */
  #upToDate(): Promise<void> {
    // Whoever comes before an update begins shares it; one that has begun may have looked already.
    if (this.#updating !== undefined && !this.#updating.begun) return this.#updating.next;
    return this.#update(() => this.#sync.bringUpToDate());
  }

  #update(look: () => Promise<void>): Promise<void> {
    const before = this.#updating?.next;
    const update = { begun: false, next: Promise.resolve() };
    update.next = (async () => {
      await before?.catch(() => undefined);
      update.begun = true;
      const version = this.#tables.version;
      await look();
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
        this.#tell(this.state);
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
