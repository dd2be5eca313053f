import { createDiffCursor, diffFault, type DiffCursor } from "./diff-cursor.js";
import type { FilePatch, Hunk, HunkLine } from "./file-patch.js";
import { unwrapPatch } from "./unwrap-patch.js";

/** Whether a text is in the `*** Begin Patch` format rather than a unified diff. */
export function isBeginPatch(text: string): boolean {
  const [first = ""] = /^(?!\s*(?:```|(?:apply_patch\s*)?<<))\s*\S.*$/m.exec(text) ?? [];
  return /^\s*\*\*\* (?:Begin Patch|(?:Add|Update|Delete) File:)/.test(first);
}

/** Read a patch in the `*** Begin Patch` format; throws if it is incomplete or malformed. */
export function parseBeginPatch(patch: string): FilePatch[] {
  const cursor = createDiffCursor(unwrapPatch(patch));
  if (cursor.peek()?.trim() !== beginMark) {
    throw cursor.fault(`The first line of a patch must be '${beginMark}'.`, howToWrite);
  }
  cursor.skip();
  const files: FilePatch[] = [];
  for (;;) {
    skipBlanks(cursor);
    const line = cursor.peek();
    if (line === undefined) throw diffFault(`The patch is incomplete: '${endMark}' is missing.`, howToWrite);
    if (line.trim() === endMark) break;
    files.push(readFile(cursor));
  }
  cursor.skip();
  skipBlanks(cursor);
  if (cursor.peek() !== undefined) {
    throw cursor.fault(`There is text after '${endMark}'.`, "Send one patch that ends there.");
  }
  if (files.length === 0) throw diffFault("The patch changes no file.", howToWrite);
  return files;
}

/** Read the hunks of one file, as they are below an `*** Update File:` line. */
export function parsePatchHunks(diff: string): Hunk[] {
  const cursor = createDiffCursor(diff);
  const hunks = readHunks(cursor);
  if (cursor.peek() !== undefined) throw cursor.fault("This line is not part of a hunk.", howToHunk);
  return hunks;
}

/** Read the lines of a new file, as they are below an `*** Add File:` line. */
export function parseAddedLines(diff: string): Hunk[] {
  const cursor = createDiffCursor(diff);
  const hunks = readAddedLines(cursor);
  if (cursor.peek() !== undefined) {
    throw cursor.fault("A line of a new file does not begin with '+'.", howToAdd);
  }
  return hunks;
}

const beginMark = "*** Begin Patch";
const endMark = "*** End Patch";
const fileEndMark = "*** End of File";
const howToWrite =
  "Send '*** Begin Patch', then for each file '*** Add File: path', '*** Update File: path' or '*** Delete File: path' with its lines, then '*** End Patch'.";
const howToHunk =
  "Begin a hunk with '@@' or '@@ heading', and each of its lines with ' ' (kept), '-' (removed) or '+' (added).";
const howToAdd = "Begin every line of a new file with '+', empty lines too.";

function skipBlanks(cursor: DiffCursor): void {
  while (cursor.peek()?.trim() === "") cursor.skip();
}

function readFile(cursor: DiffCursor): FilePatch {
  const line = cursor.peek() ?? "";
  const [, action, path = ""] = /^\*\*\* (Add|Update|Delete) File: *(.*?)\s*$/.exec(line) ?? [];
  if (action === undefined) throw cursor.fault(unexpectedLine(line), howToWrite);
  if (path === "") throw cursor.fault("The patch names no file here.", howToWrite);
  cursor.skip();
  if (action === "Delete") {
    requireEnd(cursor, "'*** Delete File:' takes no lines.", "Name the file and nothing else.");
    return { style: "begin-patch", kind: "delete", oldPath: path, hunks: [] };
  }
  if (action === "Add") {
    const hunks = readAddedLines(cursor);
    requireEnd(cursor, "A line of a new file does not begin with '+'.", howToAdd);
    return { style: "begin-patch", kind: "create", newPath: path, hunks };
  }
  return readUpdate(cursor, path);
}

/** After the lines of a file come the next file or the end of the patch. */
function requireEnd(cursor: DiffCursor, message: string, hint: string): void {
  const line = cursor.peek();
  if (line !== undefined && line.trim() !== "" && !line.startsWith("***")) throw cursor.fault(message, hint);
}

function unexpectedLine(line: string): string {
  if (line.trim() === beginMark) return `'${beginMark}' appears twice.`;
  return "Expected '*** Add File:', '*** Update File:', '*** Delete File:' or '*** End Patch'.";
}

function readUpdate(cursor: DiffCursor, path: string): FilePatch {
  const moved = /^\*\*\* Move to: *(.*?)\s*$/.exec(cursor.peek() ?? "");
  if (moved !== null) cursor.skip();
  if (moved?.[1] === "") throw cursor.fault("'*** Move to:' names no file.", howToWrite);
  const hunks = readHunks(cursor);
  if (hunks.length === 0 && moved === null) {
    throw cursor.fault(`The patch has no hunk for ${JSON.stringify(path)}.`, howToHunk);
  }
  const newPath = moved?.[1] ?? path;
  return {
    style: "begin-patch",
    kind: newPath === path ? "modify" : "rename",
    oldPath: path,
    newPath,
    hunks,
  };
}

function readAddedLines(cursor: DiffCursor): Hunk[] {
  const from = cursor.position;
  const lines: HunkLine[] = [];
  for (let line = cursor.peek(); line !== undefined; line = cursor.peek()) {
    if (!line.startsWith("+") && !(line.trim() === "" && isAddedLater(cursor))) break;
    lines.push({ sign: "+", text: line.slice(1), noNewline: false });
    cursor.skip();
  }
  return lines.length === 0 ? [] : [{ headings: [], lines, source: cursor.sourceFrom(from) }];
}

/** An empty line whose "+" is missing counts if more lines of the file follow. */
function isAddedLater(cursor: DiffCursor): boolean {
  let ahead = 1;
  while (cursor.peek(ahead)?.trim() === "") ahead += 1;
  return cursor.peek(ahead)?.startsWith("+") === true;
}

function readHunks(cursor: DiffCursor): Hunk[] {
  const hunks: Hunk[] = [];
  for (let line = cursor.peek(); line !== undefined && !endsFile(line); line = cursor.peek()) {
    const hunk = readHunk(cursor);
    if (hunk !== undefined) hunks.push(hunk);
  }
  return hunks;
}

function endsFile(line: string): boolean {
  return line.startsWith("*** ") && line.trimEnd() !== fileEndMark;
}

/** `undefined` if only blank lines are left. */
function readHunk(cursor: DiffCursor): Hunk | undefined {
  const from = cursor.position;
  const { headings, oldStart } = readHeadings(cursor);
  const lines: HunkLine[] = [];
  let blanks = 0;
  for (let line = cursor.peek(); line !== undefined; line = cursor.peek()) {
    if (line.startsWith("@@") || line.startsWith("***")) break;
    // Blank lines at the end of a hunk separate it from the next one.
    blanks = line === "" ? blanks + 1 : 0;
    addLine(cursor, lines, line);
    cursor.skip();
  }
  lines.length -= blanks;
  const atEnd = cursor.peek()?.trimEnd() === fileEndMark;
  if (lines.length === 0) {
    if (cursor.position === from + blanks && blanks > 0 && !atEnd) return undefined;
    throw cursor.fault("A hunk has no lines.", howToHunk, Math.max(from, cursor.position - 1));
  }
  const source = cursor.sourceFrom(from);
  if (atEnd) cursor.skip();
  return { headings, lines, source, ...(atEnd && { atEnd }), ...(oldStart !== undefined && { oldStart }) };
}

function addLine(cursor: DiffCursor, lines: HunkLine[], line: string): void {
  const sign = line === "" ? " " : line.charAt(0);
  if (sign === " " || sign === "-" || sign === "+") {
    lines.push({ sign, text: line.slice(1), noNewline: false });
    return;
  }
  if (!line.startsWith("\\ ")) {
    throw cursor.fault("A line of a hunk begins with neither ' ', '-' nor '+'.", howToHunk);
  }
}

/** The lines that begin with "@@", outermost heading first; some models write line numbers there. */
function readHeadings(cursor: DiffCursor): { headings: string[]; oldStart?: number } {
  const headings: string[] = [];
  let oldStart: number | undefined;
  for (let line = cursor.peek(); line?.startsWith("@@") === true; line = cursor.peek()) {
    if (line === "@@") {
      cursor.skip();
      continue;
    }
    const numbered = /^@@ *-(\d+)(?:,\d+)? +\+\d+(?:,\d+)? *@@/.exec(line);
    if (numbered !== null) oldStart = Number(numbered[1]);
    else
      headings.push(
        line
          .slice(2)
          .replace(/\s*@@\s*$/, "")
          .trim(),
      );
    cursor.skip();
  }
  const named = headings.filter((heading) => heading !== "");
  return { headings: named, ...(oldStart !== undefined && { oldStart }) };
}
