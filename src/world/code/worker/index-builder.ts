import type { Syntax } from "../../../syntax/create-syntax.js";
import type { Guard } from "../../files/guard-types.js";
import { isVendored } from "../path-rank.js";
import type { IndexTables } from "./index-tables.js";
import { fileStates, parseFile, type ParseTools } from "./parser.js";
import type { ParsedFile, ParserPool } from "./parser-pool.js";
import { packSymbols } from "./symbol-pack.js";

/** Brings what files hold into the tables. */
export interface IndexBuilder {
  /** The names of every file that is not known at all. */
  scan(): Promise<void>;
  /** The definitions of every file that only its names are known of. */
  parse(isOver: () => boolean): Promise<void>;
  /** The definitions of some files, one after the other, until the time is up; how many were left. */
  readonly parseNow: (ids: readonly number[], until: number) => Promise<number>;
}

/** Files and bytes of one job. */
const scanJob = { files: 256, bytes: 4 * 1024 * 1024 };
const parseJob = { files: 32, bytes: 512 * 1024 };
/** A few files are scanned here: no thread has to be started for them. */
const few = 8;

/** Read files in jobs on the pool's threads; single ones here. */
export function createIndexBuilder(parts: {
  readonly guard: Guard;
  readonly tables: IndexTables;
  readonly pool: ParserPool;
  readonly syntax: Syntax;
}): IndexBuilder {
  const { tables, pool } = parts;
  const tools: ParseTools = { ...parts, into: { bytes: Buffer.alloc(0) } };
  const run = async (
    kind: "scan" | "parse",
    jobs: Iterator<number[]>,
    isOver: () => boolean,
  ): Promise<void> => {
    const lane = async (): Promise<void> => {
      for (let job = jobs.next(); job.done !== true && !isOver(); job = jobs.next()) {
        const readAt = Date.now();
        const ids = job.value;
        const found = await pool.run(
          kind,
          ids.map((id) => tables.file(id)?.path ?? ""),
        );
        for (const [at, id] of ids.entries()) settle(tables, id, { ...found[at]!, readAt });
      }
    };
    // One job waits while another runs, so that no thread idles.
    await Promise.all(Array.from({ length: pool.size * 2 }, lane));
  };
  const parseNow = async (ids: readonly number[], until: number): Promise<number> => {
    for (const [at, id] of ids.entries()) {
      if (at > 0 && performance.now() > until) return ids.length - at;
      await parseOne(tools, tables, id);
    }
    return 0;
  };
  return {
    async scan() {
      const unknown = idsIn(tables, fileStates.gone);
      if (unknown.length <= few) await parseNow(unknown, Number.POSITIVE_INFINITY);
      else await run("scan", jobsOf(tables, unknown, scanJob), () => false);
    },
    async parse(isOver) {
      const unparsed = idsIn(tables, fileStates.scanned);
      const own = unparsed.filter((id) => !isVendored(tables.file(id)?.path ?? ""));
      const foreign = unparsed.filter((id) => isVendored(tables.file(id)?.path ?? ""));
      await run("parse", jobsOf(tables, [...own, ...foreign], parseJob), isOver);
    },
    parseNow,
  };
}

function idsIn(tables: IndexTables, state: number): number[] {
  return [...tables.living()].filter((id) => tables.file(id)?.state === state);
}

function* jobsOf(
  tables: IndexTables,
  ids: readonly number[],
  most: { readonly files: number; readonly bytes: number },
): Generator<number[]> {
  let job: number[] = [];
  let bytes = 0;
  for (const id of ids) {
    const file = tables.file(id);
    if (file === undefined) continue; // another version took its place meanwhile
    job.push(id);
    bytes += file.size;
    if (job.length < most.files && bytes < most.bytes) continue;
    yield job;
    job = [];
    bytes = 0;
  }
  if (job.length > 0) yield job;
}

function settle(tables: IndexTables, id: number, found: ParsedFile & { readonly readAt: number }): void {
  const known = tables.file(id);
  if (known === undefined) return;
  if (found.state === fileStates.gone) return tables.removeFile(known.path);
  // A thread that died tells no stat.
  const look = found.size === -1 ? { size: known.size, changed: known.changed } : {};
  tables.settle(id, { ...found, ...look });
}

async function parseOne(tools: ParseTools, tables: IndexTables, id: number): Promise<void> {
  const file = tables.file(id);
  if (file === undefined || file.state === fileStates.parsed) return;
  const readAt = Date.now();
  const look = await parseFile(tools, file.path);
  if (look === undefined) return tables.removeFile(file.path);
  const symbols =
    look.symbols === undefined ? undefined : packSymbols(look.symbols, (name) => tables.names.add(name));
  const { size, changed } = look.stat;
  tables.settle(id, { state: look.state, size, changed, readAt, noted: undefined, symbols });
}
