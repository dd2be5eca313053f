import type { Candidate, Candidates } from "./candidate.js";
import type { Search } from "./code-parts.js";
import { pathPenalty } from "./path-rank.js";
import { shownPath } from "./place.js";
import { searchText, type TextHit, type TextHits, type TextSearch } from "./ripgrep.js";
import { scanFiles } from "./scan-files.js";

/** How lines are looked for. */
export interface TextWish {
  readonly patterns: readonly string[];
  readonly regex: boolean;
  readonly ignoreCase: boolean;
  readonly wholeWords?: boolean;
  readonly kind: string;
  /** Most lines of one file. */
  readonly perFile: number;
}

/** Lines of all files that are collected and ranked. */
const mostHits = 5000;
const searchMs = 15_000;

/** Lines that hold a text, best first: near, own, no tests. */
export async function findText(search: Search, wish: TextWish): Promise<Candidates> {
  const { hits, cut, notes } = await findHits(search, wish);
  const { place } = search;
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
  const candidates = firstLines(ranked, wish).map(({ file, line, column }): Candidate => ({
    file: shownPath(place, file),
    line,
    column,
    columnsIn: "bytes",
    kind: wish.kind,
  }));
  return { candidates, more: cut !== undefined, notes: [...notes, ...noteOnCut(cut)] };
}

/** Of a text over several lines ripgrep tells every line; where it begins is enough. */
function firstLines(hits: readonly TextHit[], { patterns }: TextWish): readonly TextHit[] {
  const lines = Math.max(...patterns.map((pattern) => pattern.split("\n").length));
  if (lines === 1) return hits;
  let last: TextHit | undefined;
  return hits.filter((hit) => {
    if (last?.file === hit.file && hit.line < last.line + lines) return false;
    last = hit;
    return true;
  });
}

/** Files below the place with lines that fit, in no order. */
export async function findHits(
  search: Search,
  wish: TextWish,
): Promise<TextHits & { notes: readonly string[] }> {
  const { place, parts, wants } = search;
  const program = parts.ripgrep();
  const common = {
    patterns: wish.patterns,
    regex: wish.regex,
    ignoreCase: wish.ignoreCase,
    wholeWords: wish.wholeWords,
    perFile: wish.perFile,
    most: mostHits,
    wants: (file: string) => wants(shownPath(place, file)),
    timeoutMs: Math.max(500, Math.min(searchMs, search.until - performance.now())),
    signal: parts.signal,
  } satisfies Partial<TextSearch>;
  if (program !== undefined) {
    const { directory, file } = place;
    const found = await searchText({
      ...common,
      program,
      directory,
      files: file === undefined ? undefined : [file],
    });
    return { ...found, notes: [] };
  }
  const found = await scanFiles(parts.files, place, common);
  return {
    ...found,
    notes: ["ripgrep is missing on this machine: files were listed and read one by one, which is slower."],
  };
}

function noteOnCut(cut: TextHits["cut"]): string[] {
  if (cut === "time") return ["The search took too long and was stopped: some files were not searched."];
  return cut === "count"
    ? ["There are very many hits: not all files were searched; narrow the path, glob or query."]
    : [];
}

function compareText(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
