import { createHash } from "node:crypto";
import { setPriority } from "node:os";
import type { MessagePort } from "node:worker_threads";
import { createSyntax, type Syntax } from "../../../syntax/create-syntax.js";
import type { FileStat } from "../../../contract/ports/files.js";
import { createGuard } from "../../files/guard.js";
import type { Guard } from "../../files/guard-types.js";
import { createPathRules } from "../../files/path-rules.js";
import { IntList } from "./int-list.js";
import type { ReadingSetup } from "./messages.js";
import { NamePool } from "./name-pool.js";
import { decodeSource, type ReadBuffer, readSource } from "./read-source.js";
import { hashBytes, scanNames, type Stamps } from "./scan-names.js";
import { packSymbols } from "./symbol-pack.js";
import { threadCpuMs } from "./thread-cpu.js";

/** Files to scan for names, or to parse. */
export interface ParserJob {
  readonly id: number;
  readonly kind: "scan" | "parse";
  readonly files: readonly string[];
}

/**
 * What a job found, in transferred buffers. Ids of names are those of this thread; `names` lists the new
 * ones, one per line. For each file: its state, how many numbers belong to it, and its stat.
 */
export interface ParserResult {
  readonly id: number;
  readonly names: Uint8Array<ArrayBuffer>;
  /** Ids begin with 0 again; those of earlier results are not used any more. */
  readonly isRenumbered: boolean;
  readonly states: Uint8Array;
  readonly counts: Int32Array;
  readonly numbers: Int32Array;
  /** Size and time of the last change, for each file. */
  readonly stats: Float64Array;
  /** What scanned files contain, by a hash: the same text in the same language has the same definitions. */
  readonly contents: readonly (string | undefined)[];
  /** Large trees or grammars have left the thread with more memory than it gives back. */
  readonly isWorn: boolean;
}

/** How far a file is known. */
export const fileStates = { gone: 0, noSource: 1, scanned: 2, parsed: 3, unparsed: 4 } as const;

export const statSize = 2;

/** The guard of this thread, with the same rules as everywhere. */
export function openGuard({ rules, maxFileSize }: ReadingSetup): Guard {
  return createGuard({ rules: createPathRules(rules), maxFileSize });
}

/** Take jobs from a port, one after the other. */
export function runParser(port: MessagePort, setup: ReadingSetup): void {
  const work = createParser(openGuard(setup));
  let queue = Promise.resolve();
  port.on("message", (job: ParserJob) => {
    queue = queue.then(async () => {
      const result = await work(job);
      const { names, states, counts, numbers, stats } = result;
      const buffers = [names, states, counts, numbers, stats].map(({ buffer }) => buffer as ArrayBuffer);
      port.postMessage(result, buffers);
    });
  });
}

function createParser(guard: Guard): (job: ParserJob) => Promise<ParserResult> {
  let pool = new NamePool();
  const stamps: Stamps = { values: new Int32Array(1 << 16), file: 0 };
  const syntax = createSyntax(threadCpuMs);
  const buffer: ReadBuffer = { bytes: Buffer.alloc(0) };
  let isBackground = false;
  return async ({ id, kind, files }) => {
    const isFirstParse = kind === "parse" && !isBackground;
    if (isFirstParse) {
      isBackground = true;
      runInBackground();
      // A scan notes ten times as many names as there are definitions.
      pool = new NamePool();
    }
    const states = new Uint8Array(files.length);
    const counts = new Int32Array(files.length);
    const stats = new Float64Array(files.length * statSize);
    const numbers = new IntList(1 << 14);
    const contents: (string | undefined)[] = [];
    for (const [at, file] of files.entries()) {
      const before = numbers.length;
      const { state, stat, content } = kind === "scan" ? scan(file) : await parse(file);
      states[at] = state;
      contents.push(content);
      counts[at] = numbers.length - before;
      if (stat !== undefined) stats.set([stat.size, stat.changed], at * statSize);
    }
    return {
      id,
      names: pool.takeNew(),
      isRenumbered: isFirstParse,
      states,
      counts,
      numbers: numbers.view().slice(),
      stats,
      contents,
      isWorn: isWorn(syntax),
    };

    function scan(file: string): FileOutcome {
      const source = tryRead(guard, file, buffer);
      if (source === undefined) return { state: fileStates.gone };
      if (source.language === undefined) return { state: fileStates.noSource, stat: source.stat };
      scanNames(source.bytes, source.language, { pool, stamps, found: numbers });
      return {
        state: fileStates.scanned,
        stat: source.stat,
        content: contentOf(source.bytes, source.language),
      };
    }

    async function parse(file: string): Promise<FileOutcome> {
      const look = await parseFile({ guard, syntax, into: buffer }, file);
      if (look === undefined) return { state: fileStates.gone };
      if (look.symbols !== undefined) numbers.pushAll(packSymbols(look.symbols, addTo(pool)));
      return look;
    }
  };
}

/** 32 MB are there from the beginning; a file of half a megabyte takes the rest. */
const maxTreeMemory = 48 * 1024 * 1024;

/** Of several grammars together; the largest has 5 MB. Languages are parsed one after another, so that the next jobs need one of them. */
const maxGrammarBytes = 4 * 1024 * 1024;

function isWorn(syntax: Syntax): boolean {
  const { grammars, bytes } = syntax.loaded();
  return syntax.memory() > maxTreeMemory || (grammars > 1 && bytes > maxGrammarBytes);
}

/** Nobody waits for the trees: let queries, and all else, have the processor first. On Linux this is the thread's own priority. */
function runInBackground(): void {
  if (process.platform !== "linux") return;
  try {
    setPriority(0, 10);
  } catch {
    // Forbidden by a sandbox: the thread keeps its priority.
  }
}

interface FileOutcome {
  readonly state: number;
  readonly stat?: FileStat;
  readonly content?: string;
}

function contentOf(bytes: Uint8Array, language: string): string {
  return `${createHash("sha256").update(bytes).digest("base64url").slice(0, 22)} ${language}`;
}

const encoder = new TextEncoder();

function addTo(pool: NamePool): (name: string) => number {
  return (name) => {
    const bytes = encoder.encode(name);
    return pool.add(bytes, { start: 0, end: bytes.length }, hashBytes(bytes, 0, bytes.length));
  };
}

/** Read a file; `undefined` where it cannot be read. Its bytes are valid until the next file is read. */
export function tryRead(
  guard: Guard,
  file: string,
  into: ReadBuffer,
): ReturnType<typeof readSource> | undefined {
  try {
    return readSource(guard, file, into);
  } catch {
    return undefined; // deleted, forbidden, or no longer a regular file
  }
}

/** Parsing is aborted after this long; the file is then found by its text only. */
const parseMs = 2000;

export interface ParseTools {
  readonly guard: Guard;
  readonly syntax: Syntax;
  readonly into: ReadBuffer;
}

/** Parse the current version of a file; `undefined` where it cannot be read. */
export async function parseFile(
  { guard, syntax, into }: ParseTools,
  file: string,
): Promise<(FileOutcome & { stat: FileStat; symbols: ReturnType<Syntax["symbols"]> }) | undefined> {
  const source = tryRead(guard, file, into);
  if (source === undefined) return undefined;
  const { stat, language, bytes } = source;
  if (language === undefined) return { state: fileStates.noSource, stat, symbols: undefined };
  // Others may read into the same memory while the grammar is loaded.
  const text = decodeSource(bytes);
  await syntax.load(language);
  let symbols: ReturnType<Syntax["symbols"]>;
  try {
    symbols = syntax.symbols(text, language, { timeoutMs: parseMs });
  } catch {
    symbols = undefined; // a fault in a grammar must not stop the rest
  }
  return { state: symbols === undefined ? fileStates.unparsed : fileStates.parsed, stat, symbols };
}
