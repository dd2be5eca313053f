import type { CodeMatch, ShownLines } from "../../contract/ports/code.js";
import type { Files } from "../../contract/ports/files.js";
import type { NewlineCounter } from "../../text/newline-counter.js";
import type { Candidate } from "./candidate.js";
import { maxFileBytes, openFileLines, type FileLines } from "./file-lines.js";

export interface ShownMatches {
  readonly matches: readonly CodeMatch[];
  readonly shown: readonly ShownLines[];
  /** More candidates than were shown. */
  readonly more: boolean;
  /** Files with matches that are too large to show lines of. */
  readonly tooLarge: readonly string[];
  /** Some definitions have moved because their files changed. */
  readonly stale: boolean;
}

export interface ShowOptions {
  readonly files: Files;
  readonly newlineCounter: () => NewlineCounter;
  readonly limit: number;
  readonly contextLines: number;
}

/** Lines are cut to this length, around the place. */
export const maxShownLength = 400;
/** Bytes that one answer may read. */
const maxBytes = 128 * 1024 * 1024;

/**
 * Read the lines to show through the call's own files. Candidates that the call may not read, or that no longer
 * exist, are skipped in favor of the next ones.
 */
export async function showMatches(
  candidates: readonly Candidate[],
  options: ShowOptions,
): Promise<ShownMatches> {
  const { files, limit } = options;
  const matches: CodeMatch[] = [];
  const shown: ShownLines[] = [];
  const taken = new Set<string>();
  const pages = new Map<string, FileLines | undefined>();
  const tooLarge = new Set<string>();
  let bytes = 0;
  let stale = false;
  const end = (more: boolean): ShownMatches => ({ matches, shown, more, stale, tooLarge: [...tooLarge] });
  for (const candidate of candidates) {
    const key = `${candidate.file}:${candidate.kind === "file" ? "file" : candidate.line}`;
    if (taken.has(key)) continue;
    if (matches.length >= limit || bytes > maxBytes) return end(true);
    if (candidate.kind === "file") {
      if (!(await isReadableFile(files, candidate.file))) continue;
      taken.add(key);
      matches.push({ file: candidate.file, line: 1, column: 1, code: "", context: "", kind: "file" });
      continue;
    }
    if (!pages.has(candidate.file)) {
      const page = await openFileLines(files, candidate.file, options.newlineCounter);
      if (page !== undefined && page.stat.size > maxFileBytes) tooLarge.add(candidate.file);
      else bytes += page?.stat.size ?? 0;
      pages.set(candidate.file, page);
    }
    const page = pages.get(candidate.file);
    if (page === undefined) continue;
    if (candidate.expected !== undefined && !isAsExpected(candidate, candidate.expected, page)) {
      stale = true;
      continue;
    }
    const match = toMatch(candidate, page, options);
    if (match === undefined) continue;
    taken.add(key);
    matches.push(match.match);
    shown.push(...match.shown);
  }
  return end(false);
}

/** Whether it is a file that this call may read. */
async function isReadableFile(files: Files, path: string): Promise<boolean> {
  try {
    return (await files.stat(path))?.type === "file";
  } catch {
    return false;
  }
}

function isAsExpected(
  { line, column }: Candidate,
  { name, size, changed }: NonNullable<Candidate["expected"]>,
  page: FileLines,
): boolean {
  if (page.stat.size !== size || Math.abs(page.stat.changed - changed) >= 0.01) return false;
  const text = page.line(line);
  // The column may be that of a quote or of a prefix that the grammar strips from the name.
  return (
    text !== undefined && (text.startsWith(name, column - 1) || text.includes(name.slice(0, 3), column - 1))
  );
}

function toMatch(
  candidate: Candidate,
  page: FileLines,
  { contextLines }: ShowOptions,
): { match: CodeMatch; shown: ShownLines[] } | undefined {
  const { file, kind, line } = candidate;
  const { identity } = page.stat;
  const own = page.line(line);
  if (own === undefined) return undefined;
  const column = candidate.columnsIn === "characters" ? candidate.column : columnOf(own, candidate.column);
  const start = Math.max(1, line - contextLines);
  const around: string[] = [];
  for (let at = start; at <= line + contextLines; at += 1) {
    const text = page.line(at);
    if (text === undefined) break;
    around.push(text);
  }
  const code = clipAround(own, column - 1);
  const shownPart = (): ShownLines[] => {
    if (own.length <= maxShownLength || own.includes("\r")) return [];
    const { text, start: from, isEnd } = partAround(own, column - 1);
    return [{ file, identity, start: line, lines: [], parts: [{ line, char: from + 1, text, isEnd }] }];
  };
  const context = around.map((each, at) => (start + at === line ? code : clipAround(each, 0))).join("\n");
  return {
    match: { file, line, column, code, context, kind },
    shown: [...completeRuns(file, identity, { start, lines: around }), ...shownPart()],
  };
}

/** Runs of lines that are shown completely. */
function completeRuns(
  file: string,
  identity: string,
  { start, lines }: { start: number; lines: readonly string[] },
): ShownLines[] {
  const runs: ShownLines[] = [];
  let run: string[] = [];
  for (let at = 0; at <= lines.length; at += 1) {
    const line = lines[at];
    if (line !== undefined && line.length <= maxShownLength && !line.includes("\r")) {
      run.push(line);
      continue;
    }
    if (run.length > 0) runs.push({ file, identity, start: start + at - run.length, lines: run });
    run = [];
  }
  return runs;
}

/** The part of a line around a position; all of a short line. */
export function partAround(line: string, at: number): { text: string; start: number; isEnd: boolean } {
  if (line.length <= maxShownLength) return { text: line, start: 0, isEnd: true };
  const middle = Math.max(0, Math.min(at - maxShownLength / 4, line.length - maxShownLength));
  const start = /[\uDC00-\uDFFF]/.test(line[middle] ?? "") ? Math.max(0, middle - 1) : middle;
  const end = Math.min(line.length, start + maxShownLength);
  const isInPair = /[\uD800-\uDBFF]/.test(line[end - 1] ?? "") && end < line.length;
  const text = line.slice(start, isInPair ? end - 1 : end);
  return { text, start, isEnd: start + text.length === line.length };
}

/** The same, with marks where something is left out. */
function clipAround(line: string, at: number): string {
  const { text, start, isEnd } = partAround(line, at);
  return `${start > 0 ? "…" : ""}${text.toWellFormed()}${isEnd ? "" : "…"}`;
}

/** Convert a column in UTF-8 bytes to one in characters. */
export function columnOf(line: string, bytes: number): number {
  let left = bytes - 1;
  let at = 0;
  while (at < line.length && left > 0) {
    const code = line.codePointAt(at)!;
    left -= code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x1_0000 ? 3 : 4;
    at += code > 0xffff ? 2 : 1;
  }
  return at + 1;
}
