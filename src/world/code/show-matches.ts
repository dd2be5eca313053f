import { Buffer } from "node:buffer";
import type { CodeMatch, ShownLines } from "../../contract/ports/code.js";
import type { Files, FileStat, OpenFile } from "../../contract/ports/files.js";
import { decodeText } from "../../text/decode-text.js";
import { looksBinary } from "../../text/is-binary.js";
import type { Candidate } from "./candidate.js";

/** What can be shown. */
export interface Showing {
  readonly matches: readonly CodeMatch[];
  readonly shown: readonly ShownLines[];
  /** More candidates than were shown. */
  readonly more: boolean;
  /** Some definitions are not where they were: their files changed since. */
  readonly stale: boolean;
}

export interface ShowOptions {
  readonly files: Files;
  readonly limit: number;
  readonly contextLines: number;
}

/** Lines are cut to this length, around the place. */
export const longestShown = 400;
/** Larger files are not read to show a line of them. */
const largestFile = 32 * 1024 * 1024;
/** Bytes that one answer may read. */
const mostBytes = 128 * 1024 * 1024;

/**
 * Read what is to be shown, through the call's own files: what the call may not read, and what is not there
 * any more, is left out, and the next candidate takes its place.
 */
export async function showMatches(candidates: readonly Candidate[], options: ShowOptions): Promise<Showing> {
  const { files, limit } = options;
  const matches: CodeMatch[] = [];
  const shown: ShownLines[] = [];
  const taken = new Set<string>();
  const pages = new Map<string, Page | undefined>();
  let bytes = 0;
  let stale = false;
  for (const candidate of candidates) {
    const key = `${candidate.file}:${candidate.kind === "file" ? "file" : candidate.line}`;
    if (taken.has(key)) continue;
    if (matches.length >= limit || bytes > mostBytes) return { matches, shown, more: true, stale };
    if (!pages.has(candidate.file)) {
      const page = await openPage(files, candidate);
      bytes += page?.stat.size ?? 0;
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
    if (match.shown !== undefined) shown.push(...match.shown);
  }
  return { matches, shown, more: false, stale };
}

interface Page {
  readonly stat: FileStat;
  /** Absent for a file that is only named. */
  readonly lines: readonly string[] | undefined;
}

async function openPage(files: Files, { file, kind }: Candidate): Promise<Page | undefined> {
  let open: OpenFile;
  try {
    open = await files.open(file);
  } catch {
    return undefined; // gone, or not to be read by this call
  }
  try {
    const { stat } = open;
    const bytes = stat.size > largestFile ? undefined : readAll(open);
    if (bytes === undefined || looksBinary(bytes.subarray(0, 8192))) return kind === "file" ? { stat, lines: undefined } : undefined;
    return { stat, lines: decodeText(bytes).text.split("\n") };
  } finally {
    open.close();
  }
}

function readAll(open: OpenFile): Uint8Array {
  const buffer = Buffer.allocUnsafeSlow(open.stat.size);
  let filled = 0;
  for (let got = 1; got > 0 && filled < buffer.length; filled += got) {
    got = open.readInto(buffer.subarray(filled), filled);
  }
  return buffer.subarray(0, filled);
}

function isAsExpected(
  { line, column }: Candidate,
  { name, size, changed }: NonNullable<Candidate["expected"]>,
  { stat, lines }: Page,
): boolean {
  if (stat.size !== size || Math.abs(stat.changed - changed) >= 0.01) return false;
  const text = lines?.[line - 1];
  // Quotes around a name, and what a grammar takes off it, stand before it.
  return text !== undefined && (text.startsWith(name, column - 1) || text.includes(name.slice(0, 3), column - 1));
}

function toMatch(
  candidate: Candidate,
  { stat, lines }: Page,
  { contextLines }: ShowOptions,
): { match: CodeMatch; shown?: ShownLines[] } | undefined {
  const { file, kind, line } = candidate;
  if (kind === "file") {
    const [first = ""] = lines ?? [];
    const code = lines === undefined ? "" : cut(withoutEnd(first), 0);
    const seen = lines === undefined ? [] : wholeRuns(file, stat.identity, { start: 1, lines: [withoutEnd(first)] });
    return { match: { file, line: 1, column: 1, code, context: code, kind }, shown: seen };
  }
  const text = lines?.[line - 1];
  if (lines === undefined || text === undefined) return undefined;
  const own = withoutEnd(text);
  const column = candidate.columnsIn === "characters" ? candidate.column : columnOf(own, candidate.column);
  const start = Math.max(1, line - contextLines);
  const around = lines.slice(start - 1, Math.min(lines.length, line + contextLines)).map(withoutEnd);
  // A text that ends with a line end has no line behind it.
  if (start + around.length - 1 === lines.length && around.at(-1) === "" && around.length > 1) around.pop();
  const code = cut(own, column - 1);
  const context = around.map((each, at) => (start + at === line ? code : cut(each, 0))).join("\n");
  return {
    match: { file, line, column, code, context, kind },
    shown: wholeRuns(file, stat.identity, { start, lines: around }),
  };
}

/** The lines that are shown whole, in runs. */
function wholeRuns(
  file: string,
  identity: string,
  { start, lines }: { start: number; lines: readonly string[] },
): ShownLines[] {
  const runs: ShownLines[] = [];
  let run: string[] = [];
  for (let at = 0; at <= lines.length; at += 1) {
    const line = lines[at];
    if (line !== undefined && line.length <= longestShown && !line.includes("\r")) {
      run.push(line);
      continue;
    }
    if (run.length > 0) runs.push({ file, identity, start: start + at - run.length, lines: run });
    run = [];
  }
  return runs;
}

function withoutEnd(line: string): string {
  return line.endsWith("\r") ? line.slice(0, -1) : line;
}

/** The part of a line around a place. */
function cut(line: string, at: number): string {
  if (line.length <= longestShown) return line;
  const start = Math.max(0, Math.min(at - longestShown / 4, line.length - longestShown));
  const part = line.slice(start, start + longestShown).toWellFormed();
  return `${start > 0 ? "…" : ""}${part}${start + longestShown < line.length ? "…" : ""}`;
}

/** A column in bytes of UTF-8 as one in characters; only the line's beginning is looked at. */
function columnOf(line: string, bytes: number): number {
  let left = bytes - 1;
  let at = 0;
  while (at < line.length && left > 0) {
    const code = line.codePointAt(at)!;
    left -= code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x1_0000 ? 3 : 4;
    at += code > 0xffff ? 2 : 1;
  }
  return at + 1;
}
