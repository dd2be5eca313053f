import type { Candidate, Candidates } from "./candidate.js";
import type { Search } from "./code-parts.js";
import { pathPenalty } from "./path-rank.js";
import { shownPath, compareText } from "./search-root.js";
import { searchText, type TextHit, type TextHits, type TextSearch } from "./ripgrep.js";
import { scanFiles } from "./scan-files.js";

/** What lines must contain. */
export interface TextQuery {
  readonly patterns: readonly string[];
  readonly regex: boolean;
  readonly ignoreCase: boolean;
  readonly wholeWords?: boolean;
  readonly kind: string;
  /** Most lines of one file. */
  readonly perFile: number;
}

/** Lines of all files that are collected and ranked. */
const maxHits = 5000;
const searchMs = 15_000;

/** Lines that contain a text, ranked by path: own code before vendored code and tests. */
export async function findText(search: Search, textQuery: TextQuery): Promise<Candidates> {
  const { hits, cut, notes } = await findHits(search, textQuery);
  const { root } = search;
  const penalties = new Map<string, number>();
  const penaltyOf = (file: string): number => {
    let penalty = penalties.get(file);
    if (penalty === undefined) penalties.set(file, (penalty = pathPenalty(file)));
    return penalty;
  };
  const ranked = [...hits].sort(
    (one, other) =>
      penaltyOf(one.file) - penaltyOf(other.file) ||
      compareText(one.file, other.file) ||
      one.line - other.line ||
      one.column - other.column,
  );
  const candidates = firstLines(ranked, textQuery).map(({ file, line, column }): Candidate => ({
    file: shownPath(root, file),
    line,
    column,
    columnsIn: "bytes",
    kind: textQuery.kind,
  }));
  return { candidates, more: cut !== undefined, notes: [...notes, ...noteOnCut(cut)] };
}

/** For a text of several lines ripgrep reports each of them; only the first is needed. */
function firstLines(hits: readonly TextHit[], { patterns }: TextQuery): readonly TextHit[] {
  const lines = Math.max(...patterns.map((pattern) => pattern.split("\n").length));
  if (lines === 1) return hits;
  let last: TextHit | undefined;
  return hits.filter((hit) => {
    if (last?.file === hit.file && hit.line < last.line + lines) return false;
    last = hit;
    return true;
  });
}

/** Matching lines below the search root, unordered. */
export async function findHits(
  search: Search,
  textQuery: TextQuery,
): Promise<TextHits & { notes: readonly string[] }> {
  const { root, parts, wants } = search;
  const program = parts.ripgrep();
  const common = {
    patterns: textQuery.patterns,
    regex: textQuery.regex,
    ignoreCase: textQuery.ignoreCase,
    wholeWords: textQuery.wholeWords,
    perFile: textQuery.perFile,
    maxHits,
    wants: (file: string) => wants(shownPath(root, file)),
    timeoutMs: Math.max(500, Math.min(searchMs, search.until - performance.now())),
    signal: parts.signal,
  } satisfies Partial<TextSearch>;
  if (program !== undefined) {
    const { directory, file } = root;
    const found = await searchText({
      ...common,
      program,
      directory,
      files: file === undefined ? undefined : [file],
    });
    return { ...found, notes: [] };
  }
  const found = await scanFiles(parts.files, root, common);
  return {
    ...found,
    notes: [
      "ripgrep is missing on this machine: files were listed and read one by one, which is slower.",
      ...found.skipped,
    ],
  };
}

function noteOnCut(cut: TextHits["cut"]): string[] {
  if (cut === "time") return ["The search took too long and was stopped: some files were not searched."];
  return cut === "count"
    ? ["There are too many matches: not all files were searched; narrow the path, glob or query."]
    : [];
}
