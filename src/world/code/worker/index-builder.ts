import type { Syntax } from "../../../syntax/create-syntax.js";
import type { Guard } from "../../files/guard-types.js";
import { languages } from "../../../syntax/languages/index.js";
import { languageOfName } from "../../../text/detect-language.js";
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
/** The tree of a larger file takes up to 120 MB of memory that its thread does not give back. */
const largeBytes = 512 * 1024;
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
    nextJob: NextJob,
    { isOver, store }: { isOver: () => boolean; store: (id: number, found: FoundContent) => void },
  ): Promise<void> => {
    const runJobs = async (runner: number): Promise<void> => {
      for (let ids = nextJob(runner); ids !== undefined && !isOver(); ids = nextJob(runner)) {
        const readAt = Date.now();
        const paths = ids.map((id) => tables.file(id)?.path ?? "");
        const found = await pool.run(kind, paths, runner % pool.size);
        for (const [at, id] of ids.entries()) store(id, { ...found[at]!, readAt });
      }
    };
    // One job waits while another runs, so that no thread idles.
    await Promise.all(Array.from({ length: pool.size * 2 }, (_, runner) => runJobs(runner)));
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
      else {
        const store = (id: number, found: FoundContent): void => storeResult(tables, id, found);
        const jobs = jobsOf(tables, unknown, scanJob);
        await run("scan", () => takeJob(jobs), { isOver: () => false, store });
      }
    },
    async parse(isOver) {
      // A copy of a file that changed meanwhile is left for another round.
      for (let left = copiesOf(tables); left.size > 0 && !isOver(); left = copiesOf(tables)) {
        const store = (id: number, found: FoundContent): void =>
          storeForCopies(tables, found, { id, copies: left.get(id) ?? [] });
        await run("parse", parseJobsOf(tables, [...left.keys()]), { isOver, store });
      }
    },
    parseNow,
  };
}

function idsIn(tables: IndexTables, state: number): number[] {
  return [...tables.liveIds()].filter((id) => tables.file(id)?.state === state);
}

/** Every content that is not parsed yet: its first file, the workspace's own before vendored ones, and the others. */
function copiesOf(tables: IndexTables): Map<number, number[]> {
  const unparsed = idsIn(tables, fileStates.scanned);
  const vendored = new Set(unparsed.filter((id) => isVendored(tables.file(id)?.path ?? "")));
  const copies = new Map<number, number[]>();
  const firsts = new Map<string, number>();
  for (const id of [...unparsed.filter((each) => !vendored.has(each)), ...vendored]) {
    const content = tables.file(id)?.content;
    const first = content === undefined ? undefined : firsts.get(content);
    if (first !== undefined) copies.get(first)?.push(id);
    else {
      copies.set(id, []);
      if (content !== undefined) firsts.set(content, id);
    }
  }
  return copies;
}

/** The next job for one of those that run jobs, one after another; `undefined` where there is none left. */
type NextJob = (runner: number) => number[] | undefined;

/**
 * The workspace's own files before vendored ones, and those whose grammar is slow to compile after all others. One runner begins with
 * large files and the others with small ones, so that only one thread at a time needs the memory for large trees.
 */
function parseJobsOf(tables: IndexTables, ids: readonly number[]): NextJob {
  const isOwn = (id: number): boolean => !isVendored(tables.file(id)?.path ?? "");
  const isLarge = (id: number): boolean => (tables.file(id)?.size ?? 0) > largeBytes;
  const isSmall = (id: number): boolean => !isLarge(id);
  const isSlow = (id: number): boolean =>
    languages.get(languageOfName(tables.file(id)?.path ?? "") ?? "")?.isSlowToCompile === true;
  const others = ids.filter((id) => !isSlow(id));
  const groups = [others.filter(isOwn), others.filter((id) => !isOwn(id)), ids.filter(isSlow)]
    .flatMap((group) => byLanguage(tables, group))
    .map((group) => ({
      small: jobsOf(tables, group.filter(isSmall), parseJob),
      large: jobsOf(tables, group.filter(isLarge), parseJob),
    }));
  return (runner) => {
    for (const { small, large } of groups) {
      const job = runner === 0 ? (takeJob(large) ?? takeJob(small)) : (takeJob(small) ?? takeJob(large));
      if (job !== undefined) return job;
    }
    return undefined;
  };
}

/**
 * The files of each language, the one with the most code first. V8 optimizes the functions of grammars one after another, and a single one of
 * PowerShell takes 6 seconds and 75 MB: what most files need must not wait for what a few files need.
 */
function byLanguage(tables: IndexTables, ids: readonly number[]): number[][] {
  const groups = new Map<string | undefined, { ids: number[]; bytes: number }>();
  for (const id of ids) {
    const { path = "", size = 0 } = tables.file(id) ?? {};
    const language = languageOfName(path);
    const group = groups.get(language) ?? { ids: [], bytes: 0 };
    groups.set(language, group);
    group.ids.push(id);
    group.bytes += size;
  }
  return [...groups.values()].sort((one, other) => other.bytes - one.bytes).map((group) => group.ids);
}

function takeJob(jobs: Iterator<number[]>): number[] | undefined {
  const next = jobs.next();
  return next.done === true ? undefined : next.value;
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

interface FoundContent extends ParsedFile {
  readonly readAt: number;
}

function storeResult(tables: IndexTables, id: number, found: FoundContent): void {
  const known = tables.file(id);
  if (known === undefined) return;
  if (found.state === fileStates.gone) return tables.removeFile(known.path);
  // A thread that died returned no stat.
  const version = found.size === -1 ? { size: known.size, changed: known.changed } : {};
  tables.setContent(id, { ...found, ...version });
}

/** Store what a tree showed for the file that was parsed, and for files that had the same content when they were scanned. */
function storeForCopies(
  tables: IndexTables,
  found: FoundContent,
  { id, copies }: { id: number; copies: readonly number[] },
): void {
  const before = tables.file(id);
  storeResult(tables, id, found);
  const after = tables.file(id);
  if (before === undefined || after === undefined) return;
  // Parsed in another version than it was scanned in: that says nothing about the others.
  if (after.size !== before.size || after.changed !== before.changed) return;
  for (const copy of copies) {
    const known = tables.file(copy);
    if (known?.state !== fileStates.scanned) continue;
    const { size, changed, readAt } = known;
    tables.setContent(copy, { ...found, size, changed, readAt });
  }
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
