import type { DiffCursor } from "./diff-cursor.js";
import type { Hunk, HunkLine } from "./file-patch.js";

/** Whether a line opens a hunk; the numbers after "@@" may be missing. */
export function isHunkHeader(line: string): boolean {
  return /^@@(?!@)/.test(line);
}

/** Whether the next lines name a file: "--- a" and "+++ b", or one of them right before a hunk. */
export function startsFile(cursor: DiffCursor): boolean {
  const [line = "", next = ""] = [cursor.peek(), cursor.peek(1)];
  if (line.startsWith("--- ")) return next.startsWith("+++ ") || isHunkHeader(next);
  return line.startsWith("+++ ") && isHunkHeader(next);
}

/** Read a hunk by its counts where they are right, else up to what cannot belong to it. */
export function parseHunk(cursor: DiffCursor): Hunk {
  const from = cursor.position;
  const header = readHunkHeader(cursor.peek() ?? "");
  cursor.skip();
  const size = countedSize(cursor, header) ?? looseSize(cursor);
  const lines = readLines(cursor, size);
  if (!lines.some((line) => line.sign !== " ")) {
    throw cursor.fault("A hunk has no line that begins with '-' or '+'.", howToHunk, from);
  }
  const { oldStart } = header;
  return { ...(oldStart === undefined ? {} : { oldStart }), lines, source: cursor.sourceFrom(from) };
}

const howToHunk = "Begin every line of a hunk with ' ' (kept), '-' (taken out) or '+' (put in).";

interface HunkHeader {
  readonly oldStart?: number;
  readonly oldCount?: number;
  readonly newCount?: number;
}

function readHunkHeader(line: string): HunkHeader {
  const match = /^@@+ *-(\d+)(?:,(\d+))? +\+(\d+)(?:,(\d+))?/.exec(line);
  if (match === null) {
    const start = /^@@+ *-(\d+)/.exec(line)?.[1];
    return start === undefined ? {} : { oldStart: Number(start) };
  }
  const [, oldStart, oldCount = "1", , newCount = "1"] = match;
  return { oldStart: Number(oldStart), oldCount: Number(oldCount), newCount: Number(newCount) };
}

/** How many lines the hunk has by its counts; `undefined` where the lines do not bear them out. */
function countedSize(cursor: DiffCursor, { oldCount, newCount }: HunkHeader): number | undefined {
  if (oldCount === undefined || newCount === undefined) return undefined;
  let [old, added] = [oldCount, newCount];
  let size = 0;
  let hasChange = false;
  for (; old > 0 || added > 0; size += 1) {
    const line = cursor.peek(size);
    if (line === undefined) return undefined;
    if (line.startsWith("\\")) continue;
    const sign = signOf(line);
    if (sign === undefined) return undefined;
    hasChange ||= sign !== " ";
    if (sign === " " || sign === "-") old -= 1;
    if (sign === " " || sign === "+") added -= 1;
    if (old < 0 || added < 0) return undefined;
  }
  while (cursor.peek(size)?.startsWith("\\")) size += 1;
  return hasChange && endsAt(cursor, size) ? size : undefined;
}

/** After a complete hunk comes no line that looks like more of it. */
function endsAt(cursor: DiffCursor, size: number): boolean {
  const line = cursor.peek(size);
  if (line === undefined || line.trim() === "" || !/^[ +-]/.test(line)) return true;
  return isSignature(cursor, size) || isFileHeader(cursor, size);
}

/** "-- " and git's version, with which a mailed patch ends. */
function isSignature(cursor: DiffCursor, ahead: number): boolean {
  return /^-- ?\r?$/.test(cursor.peek(ahead) ?? "") && /^\d+\.\d+/.test(cursor.peek(ahead + 1) ?? "");
}

function isFileHeader(cursor: DiffCursor, ahead: number): boolean {
  const [line = "", next = ""] = [cursor.peek(ahead), cursor.peek(ahead + 1)];
  return line.startsWith("--- ") && next.startsWith("+++ ");
}

/** Up to the next header; blank lines count only where more of the hunk follows. */
function looseSize(cursor: DiffCursor): number {
  let size = 0;
  for (let ahead = 0; ; ahead += 1) {
    const line = cursor.peek(ahead);
    if (line === undefined || isSignature(cursor, ahead)) return size;
    if (isHunkHeader(line) || isFileHeader(cursor, ahead) || endsDiff.test(line)) return size;
    if (line === "" || line === "\r") continue;
    if (signOf(line) === undefined && !line.startsWith("\\")) {
      // Words after a blank line do not belong to the diff; directly below a hunk, a sign was forgotten.
      if (ahead > size) return size;
      cursor.skip(ahead);
      throw cursor.fault("A line of a hunk begins with neither ' ', '-' nor '+'.", howToHunk);
    }
    size = ahead + 1;
  }
}

const endsDiff =
  /^(diff --git |Index: |index [0-9a-f]{4,}|=====+$|```|~~~|\*\*\* |GIT binary patch|Binary files )/;

function readLines(cursor: DiffCursor, size: number): HunkLine[] {
  const lines: HunkLine[] = [];
  for (let at = 0; at < size; at += 1) {
    const line = cursor.peek() ?? "";
    const sign = signOf(line);
    const last = lines.at(-1);
    if (sign !== undefined)
      lines.push({ sign, text: line.startsWith(sign) ? line.slice(1) : line, noNewline: false });
    else if (last !== undefined) lines[lines.length - 1] = { ...last, noNewline: true };
    cursor.skip();
  }
  return lines;
}

/** An empty line is a kept empty line whose blank an editor took away. */
function signOf(line: string): HunkLine["sign"] | undefined {
  const first = line.charAt(0);
  if (first === " " || first === "-" || first === "+") return first;
  return line === "" || line === "\r" ? " " : undefined;
}
