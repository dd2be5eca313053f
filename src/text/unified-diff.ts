import { quoteGitPath } from "./git-path.js";
import { loadDiff } from "./libraries.js";
import { countOf } from "./line-ends.js";

interface DiffShape {
  /** Unchanged lines shown around a change. @default 3 */
  readonly context?: number;
  /** Longer diffs are cut, and say so. @default 100_000 */
  readonly maxChars?: number;
  /** How many lines of the two files are above the texts. @default none */
  readonly linesAbove?: { readonly before: number; readonly after: number };
  /** Whether the lines with the paths come first. @default true */
  readonly header?: boolean;
}

/** One path for both sides, or one for each; `null` means "no such file". */
type DiffPaths =
  | { readonly path: string }
  | { readonly oldPath: string | null; readonly newPath: string | null };

export type UnifiedDiffOptions = DiffPaths & DiffShape & { readonly before: string; readonly after: string };

/** Show how one text became another, as git would; "" where they are equal. */
export function unifiedDiff(options: UnifiedDiffOptions): string {
  const { before, after, context = 3, maxChars = 100_000 } = options;
  if (before === after) return "";
  const window = findWindow(before, after, context);
  return formatDiff(options, toHunks(window, context, maxChars), window.firstLine);
}

/**
 * The same for lines that end with line feeds, where it is plain that they differ in one block of which nothing is kept;
 * else `undefined`.
 */
export function blockDiff(
  options: DiffPaths & DiffShape & { readonly before: readonly string[]; readonly after: readonly string[] },
): string | undefined {
  const block = replacedBlock(options.before, options.after, options.context ?? 3);
  return block && formatDiff(options, [block], 0);
}

function formatDiff(options: DiffPaths & DiffShape, hunks: readonly Hunk[], firstLine: number): string {
  const { maxChars = 100_000, header = true, linesAbove = { before: 0, after: 0 } } = options;
  const lines: string[] = header ? headerOf(options) : [];
  for (const { oldStart, oldLines, newStart, newLines, lines: shown } of hunks) {
    const oldRange = formatRange(oldStart + firstLine + linesAbove.before, oldLines);
    const newRange = formatRange(newStart + firstLine + linesAbove.after, newLines);
    lines.push(`@@ -${oldRange} +${newRange} @@`);
    for (const line of shown) lines.push(line);
  }
  const text = `${lines.join("\n")}\n`;
  if (text.length <= maxChars) return text;
  return `${text.slice(0, maxChars).toWellFormed()}\n\\ The diff goes on and was cut here.\n`;
}

/** Comparing stops after this long, or is not begun; what differs is then shown as one block. */
const timeLimitMs = 250;
const maxCompared = 8_000_000;

/** The part of both texts that holds every change, with its context, in whole lines. */
interface Window {
  readonly before: string;
  readonly after: string;
  readonly firstLine: number;
}

interface Hunk {
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
  readonly lines: readonly string[];
}

/** One edit in a large file shall not cost a comparison of all of it. */
function findWindow(before: string, after: string, context: number): Window {
  const same = commonStart(before, after);
  let start = lineStartAt(before, same);
  const room = Math.min(before.length, after.length) - start;
  let tail = commonEnd(before, after, room);
  // Whole lines only: the end begins after a line feed that both texts have.
  const feed = before.indexOf("\n", before.length - tail);
  tail = feed === -1 ? 0 : before.length - feed - 1;
  for (let line = 0; line < context && start > 0; line += 1) start = lineStartAt(before, start - 1);
  let end = before.length - tail;
  for (let line = 0; line < context && end < before.length; line += 1) {
    const next = before.indexOf("\n", end);
    end = next === -1 ? before.length : next + 1;
  }
  return {
    before: before.slice(start, end),
    after: after.slice(start, after.length - (before.length - end)),
    firstLine: countOf(before, "\n", 0, start),
  };
}

/** The start of the line that contains an index. */
function lineStartAt(text: string, index: number): number {
  return index <= 0 ? 0 : text.lastIndexOf("\n", index - 1) + 1;
}

const stride = 1 << 14;

function commonStart(left: string, right: string): number {
  const limit = Math.min(left.length, right.length);
  let at = 0;
  while (at + stride <= limit && left.slice(at, at + stride) === right.slice(at, at + stride)) at += stride;
  while (at < limit && left.charCodeAt(at) === right.charCodeAt(at)) at += 1;
  return at;
}

function commonEnd(left: string, right: string, limit: number): number {
  let size = 0;
  const slice = (text: string): string => text.slice(text.length - size - stride, text.length - size);
  while (size + stride <= limit && slice(left) === slice(right)) size += stride;
  while (
    size < limit &&
    left.charCodeAt(left.length - size - 1) === right.charCodeAt(right.length - size - 1)
  ) {
    size += 1;
  }
  return size;
}

function toHunks({ before, after }: Window, context: number, maxChars: number): Hunk[] {
  return compareLines(before, after, context) ?? [wholeHunk(before, after, maxChars)];
}

function compareLines(before: string, after: string, context: number): Hunk[] | undefined {
  // Cutting so much text into lines would take longer than the time limit, before it even counts.
  if (before.length + after.length > maxCompared) return undefined;
  if (before.endsWith("\n") && after.endsWith("\n")) {
    const [old, now] = [before, after].map((text) => text.slice(0, -1).split("\n")) as [string[], string[]];
    const block = replacedBlock(old, now, context);
    if (block !== undefined) return [block];
  }
  const { structuredPatch } = loadDiff();
  const options = { context, timeout: timeLimitMs };
  return structuredPatch("", "", before, after, undefined, undefined, options)?.hunks;
}

/**
 * The one block that differs, where it is plain that nothing in it is kept: most edits are of this kind, and need no
 * search for the shortest way from one text to the other.
 */
function replacedBlock(old: readonly string[], now: readonly string[], context: number): Hunk | undefined {
  const shorter = Math.min(old.length, now.length);
  let head = 0;
  while (head < shorter && old[head] === now[head]) head += 1;
  let tail = 0;
  while (tail < shorter - head && old[old.length - 1 - tail] === now[now.length - 1 - tail]) tail += 1;
  const removed = old.slice(head, old.length - tail);
  const added = now.slice(head, now.length - tail);
  const [few, many] = removed.length < added.length ? [removed, added] : [added, removed];
  const [only] = few;
  if (many.length === 0 || few.length > 1 || (only !== undefined && many.includes(only))) return undefined;
  const start = Math.max(0, head - context);
  const end = Math.min(old.length, old.length - tail + context);
  const kept = head - start + (end - (old.length - tail));
  const lines: string[] = [];
  for (let at = start; at < head; at += 1) lines.push(` ${old[at] ?? ""}`);
  for (const line of removed) lines.push(`-${line}`);
  for (const line of added) lines.push(`+${line}`);
  for (let at = old.length - tail; at < end; at += 1) lines.push(` ${old[at] ?? ""}`);
  return {
    oldStart: start + 1,
    oldLines: kept + removed.length,
    newStart: start + 1,
    newLines: kept + added.length,
    lines,
  };
}

function wholeHunk(before: string, after: string, maxChars: number): Hunk {
  // What would be cut away afterwards need not be made.
  const [removed, added] = [signed(before.slice(0, maxChars), "-"), signed(after.slice(0, maxChars), "+")];
  return {
    oldStart: 1,
    oldLines: countLines(before),
    newStart: 1,
    newLines: countLines(after),
    lines: [...removed, ...added],
  };
}

function signed(text: string, sign: string): string[] {
  if (text === "") return [];
  const lines = text.split("\n");
  if (lines.at(-1) === "") return lines.slice(0, -1).map((line) => sign + line);
  return [...lines.map((line) => sign + line), noNewline];
}

const noNewline = "\\ No newline at end of file";

function countLines(text: string): number {
  return countOf(text, "\n") + (text === "" || text.endsWith("\n") ? 0 : 1);
}

function headerOf(options: DiffPaths): string[] {
  const [oldPath, newPath] =
    "path" in options ? [options.path, options.path] : [options.oldPath, options.newPath];
  return [`--- ${headerName("a/", oldPath)}`, `+++ ${headerName("b/", newPath)}`];
}

/** A name with a blank is followed by a tab, so that readers know where it ends. */
function headerName(prefix: string, path: string | null): string {
  if (path === null) return "/dev/null";
  const name = quoteGitPath(prefix + path);
  return name.includes(" ") && !name.startsWith('"') ? `${name}\t` : name;
}

/** A count of one is left out; an empty range names the line before it. */
function formatRange(start: number, count: number): string {
  if (count === 1) return String(start);
  return `${count === 0 ? start - 1 : start},${count}`;
}
