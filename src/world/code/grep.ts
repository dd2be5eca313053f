import { ToolValidationError } from "../../contract/errors.js";
import type { GrepAnswer, GrepLine, GrepQuery, ShownLines } from "../../contract/ports/code.js";
import type { CodeParts } from "./code-parts.js";
import { compileGlobScope } from "./file-scope.js";
import { runGrep, type GrepFound, type GrepHit } from "./grep-program.js";
import { createGrepLineReader, type GrepLineReader } from "./grep-lines.js";
import type { TextHit } from "./ripgrep.js";
import { scanFiles } from "./scan-files.js";
import {
  pathInWorkspace,
  resolveSearchRoot,
  shownPath,
  type SearchRoot,
  compareText,
} from "./search-root.js";

const searchMs = 20_000;

/** Find lines by a pattern, in the order of files and lines. */
export async function grep(parts: CodeParts, query: GrepQuery): Promise<GrepAnswer> {
  if (query.pattern.includes("\0")) {
    throw new ToolValidationError("The pattern contains a NUL character, which no text contains.", {
      code: "VALUE_INVALID",
    });
  }
  const root = await resolveSearchRoot(parts.files, query.path ?? ".");
  // A page that does not begin at the first match shows few of those that are found first.
  const reader = createGrepLineReader(parts.files, query.offset === 0 ? query.limit : 0);
  const found = await findIn(parts, query, { root, reader });
  const notes = [...found.notes, ...noteOnCut(found.cut)];
  const incomplete = found.cut !== undefined;
  const common = { incomplete, notes };
  if (query.mode === "content")
    return { ...common, ...(await showContent(parts, query, { hits: found.hits, reader })) };
  return { ...common, ...listFiles(parts, query, found.files) };
}

type FoundBelow = GrepFound & { readonly notes: readonly string[] };

/** Hits with the paths that are shown for them. */
async function findIn(
  parts: CodeParts,
  query: GrepQuery,
  { root, reader }: { root: SearchRoot; reader: GrepLineReader },
): Promise<FoundBelow> {
  const show = <Hit extends { readonly file: string }>(hit: Hit): Hit => ({
    ...hit,
    file: shownPath(root, hit.file),
  });
  const wants = compileGlobScope({ below: pathInWorkspace(root), glob: query.glob });
  const program = parts.ripgrep();
  const { signal } = parts;
  const { pattern, mode, context, ignoreCase, multiline } = query;
  const search = {
    ignoreCase,
    timeoutMs: searchMs,
    signal,
    wants: (file: string) => wants(shownPath(root, file)),
  };
  const found =
    program === undefined
      ? await scan(parts, query, { root, search })
      : await runGrep({
          ...search,
          program,
          directory: root.directory,
          file: root.file,
          pattern,
          mode,
          context,
          multiline,
          names: namesOf(query.glob),
          onFile: (hits) => reader.prefetch(uniqueLines(hits.map(show))),
        }).then((result) => ({ ...result, notes: [] }));
  if (root.shown === "") return found;
  return { ...found, hits: found.hits.map(show), files: found.files.map(show) };
}

/**
 * A glob without a slash is about names, so it can leave out files before they are searched. Only globs that mean the
 * same to ripgrep: it refuses a lone brace, which stands for itself here, and takes `{a}` and `{a,}` in its own way.
 */
function namesOf(glob: string | undefined): string | undefined {
  return glob !== undefined && plainGlob.test(glob) ? glob : undefined;
}

const plainGlob = /^(?:[\w.*?,+@-]|\{[\w.*?+@-]+(?:,[\w.*?+@-]+)+\})+$/;

interface ScanSearch {
  readonly root: SearchRoot;
  readonly search: {
    readonly ignoreCase: boolean;
    readonly timeoutMs: number;
    readonly signal: AbortSignal;
    readonly wants: (file: string) => boolean;
  };
}

/** Without ripgrep, files are read one by one. */
async function scan(parts: CodeParts, query: GrepQuery, { root, search }: ScanSearch): Promise<FoundBelow> {
  if (query.multiline) {
    throw new ToolValidationError("A search over several lines needs ripgrep, which is missing here.", {
      code: "VALUE_INVALID",
      hint: "Leave out multiline.",
    });
  }
  const limits = { perFile: Number.MAX_SAFE_INTEGER, maxHits: 200_000 };
  const { hits, cut, skipped } = await scanFiles(parts.files, root, {
    ...search,
    ...limits,
    patterns: [query.pattern],
    regex: true,
  });
  const counts = new Map<string, number>();
  for (const { file } of hits) counts.set(file, (counts.get(file) ?? 0) + 1);
  return {
    hits: hits.flatMap((hit) => around(hit, query.context)),
    files: [...counts].map(([file, count]) => ({ file, count })),
    cut,
    notes: ["ripgrep is missing on this machine: files were read one by one, which is slower.", ...skipped],
  };
}

function around({ file, line, column }: TextHit, context: number): GrepHit[] {
  const lines = Array.from({ length: 2 * context + 1 }, (_, at) => line - context + at);
  return lines
    .filter((each) => each >= 1)
    .map((each) => {
      const isMatch = each === line;
      return { file, line: each, offset: -1, column: isMatch ? column : 1, isMatch };
    });
}

async function showContent(
  { files }: CodeParts,
  { limit, offset, context }: GrepQuery,
  { hits, reader }: { hits: readonly GrepHit[]; reader: GrepLineReader },
): Promise<{ lines: GrepLine[]; files: []; total: number; shown: ShownLines[] }> {
  const readable = createReadable(files);
  const sorted = uniqueLines(hits.filter(({ file }) => readable(file)));
  const matches = sorted.filter(({ isMatch }) => isMatch);
  const page = matches.slice(offset, offset + limit);
  const wanted = context === 0 ? page : withContext(sorted, page, context);
  const { lines, shown } = await reader.read(wanted);
  return { lines, files: [], total: matches.length, shown };
}

/** In order; a line that is found twice counts once, as a match if it is one. */
function uniqueLines(hits: readonly GrepHit[]): GrepHit[] {
  const sorted = [...hits].sort(
    (one, other) =>
      compareText(one.file, other.file) ||
      one.line - other.line ||
      Number(other.isMatch) - Number(one.isMatch),
  );
  return sorted.filter(
    ({ file, line }, at) => sorted[at - 1]?.line !== line || sorted[at - 1]?.file !== file,
  );
}

/** The lines of a page and those around them. */
function withContext(sorted: readonly GrepHit[], page: readonly GrepHit[], context: number): GrepHit[] {
  const near = new Set(page.map(({ file, line }) => `${file}\0${line}`));
  const isNear = ({ file, line }: GrepHit): boolean => {
    for (let at = line - context; at <= line + context; at += 1) if (near.has(`${file}\0${at}`)) return true;
    return false;
  };
  return sorted
    .filter(isNear)
    .map((hit) => ({ ...hit, isMatch: hit.isMatch && near.has(`${hit.file}\0${hit.line}`) }));
}

function listFiles(
  parts: CodeParts,
  { limit, offset, mode }: GrepQuery,
  found: GrepFound["files"],
): Pick<GrepAnswer, "lines" | "files" | "total" | "shown"> {
  const readable = createReadable(parts.files);
  const files = found
    .filter(({ file }) => readable(file))
    .sort((one, other) => compareText(one.file, other.file));
  const page = files.slice(offset, offset + limit);
  const counted = mode === "count";
  const total = counted ? files.reduce((sum, { count }) => sum + count, 0) : files.length;
  return {
    lines: [],
    files: page.map(({ file, count }) => (counted ? { file, count } : { file })),
    total,
    shown: [],
  };
}

/** Whether this call may read a file that was found; each is judged once. A search follows no links. */
function createReadable(files: CodeParts["files"]): (file: string) => boolean {
  const known = new Map<string, boolean>();
  return (file) => {
    let verdict = known.get(file);
    if (verdict === undefined)
      known.set(file, (verdict = files.check(file, "read", { links: false }).allowed));
    return verdict;
  };
}

function noteOnCut(cut: GrepFound["cut"]): string[] {
  if (cut === "time") return ["The search took too long and was stopped: some files were not searched."];
  return cut === "count"
    ? ["There are too many matches: not all files were searched; narrow the path, glob or pattern."]
    : [];
}
