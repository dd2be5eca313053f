import type { Syntax } from "../../../syntax/create-syntax.js";
import type { Guard } from "../../files/guard-types.js";
import { isVendored } from "../path-rank.js";
import type { IndexTables } from "./index-tables.js";
import { fileStates, parseFile, type ParseTools } from "./parser.js";
import type { ParsedFile, ParserPool } from "./parser-pool.js";
import { packSymbols } from "./symbol-pack.js";

/** Reads the content of files into the tables. */
export interface IndexBuilder {
  /** Scan every unknown file for names. */
  scan(): Promise<void>;
  /** Parse every file of which only the names are known. */
  parse(isOver: () => boolean): Promise<void>;
  /** Parse some files one after another until the deadline; returns how many were left. */
  readonly parseNow: (ids: readonly number[], until: number) => Promise<number>;
}

/** Files and bytes of one job. */
const scanJob = { files: 256, bytes: 4 * 1024 * 1024 };
const parseJob = { files: 32, bytes: 512 * 1024 };
/** Up to this many files are parsed on this thread, without starting another. */
const maxInlineFiles = 8;

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
    const runJobs = async (): Promise<void> => {
      for (let job = jobs.next(); job.done !== true && !isOver(); job = jobs.next()) {
        const readAt = Date.now();
        const ids = job.value;
        const found = await pool.run(
          kind,
          ids.map((id) => tables.file(id)?.path ?? ""),
        );
        for (const [at, id] of ids.entries()) storeResult(tables, id, { ...found[at]!, readAt });
      }
    };
    // One job waits while another runs, so that no thread idles.
    await Promise.all(Array.from({ length: pool.size * 2 }, runJobs));
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
      if (unknown.length <= maxInlineFiles) await parseNow(unknown, Number.POSITIVE_INFINITY);
      else await run("scan", jobsOf(tables, unknown, scanJob), () => false);
    },
    async parse(isOver) {
      const unparsed = idsIn(tables, fileStates.scanned);
      const own = unparsed.filter((id) => !isVendored(tables.file(id)?.path ?? ""));
      const vendored = unparsed.filter((id) => isVendored(tables.file(id)?.path ?? ""));
      await run("parse", jobsOf(tables, [...own, ...vendored], parseJob), isOver);
    },
    parseNow,
  };
}

function idsIn(tables: IndexTables, state: number): number[] {
  return [...tables.liveIds()].filter((id) => tables.file(id)?.state === state);
}

function* jobsOf(
  tables: IndexTables,
  ids: readonly number[],
  limits: { readonly files: number; readonly bytes: number },
): Generator<number[]> {
  let job: number[] = [];
  let bytes = 0;
  for (const id of ids) {
    const file = tables.file(id);
    if (file === undefined) continue; // replaced by another version meanwhile
    job.push(id);
    bytes += file.size;
    if (job.length < limits.files && bytes < limits.bytes) continue;
    yield job;
    job = [];
    bytes = 0;
  }
  if (job.length > 0) yield job;
}

function storeResult(tables: IndexTables, id: number, found: ParsedFile & { readonly readAt: number }): void {
  const known = tables.file(id);
  if (known === undefined) return;
  if (found.state === fileStates.gone) return tables.removeFile(known.path);
  // A thread that died returned no stat.
  const version = found.size === -1 ? { size: known.size, changed: known.changed } : {};
  tables.setContent(id, { ...found, ...version });
}

async function parseOne(tools: ParseTools, tables: IndexTables, id: number): Promise<void> {
  const file = tables.file(id);
  if (file === undefined || file.state === fileStates.parsed) return;
  const readAt = Date.now();
  const parsed = await parseFile(tools, file.path);
  if (parsed === undefined) return tables.removeFile(file.path);
  const symbols =
    parsed.symbols === undefined ? undefined : packSymbols(parsed.symbols, (name) => tables.names.add(name));
  const { size, changed } = parsed.stat;
  tables.setContent(id, { state: parsed.state, size, changed, readAt, possibleNames: undefined, symbols });
}
