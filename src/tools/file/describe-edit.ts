import { blockDiff, unifiedDiff } from "../../text/unified-diff.js";
import { textsBetween, type EditedText } from "./edited-text.js";

/** The paths in a diff: one for both sides, or one for each. */
export type DiffNames =
  | { readonly path: string }
  | { readonly oldPath: string | null; readonly newPath: string | null };

/** How an edit is shown. */
export interface EditDescription {
  readonly diff: string;
  /** The first changed lines and the lines around them, with line numbers. */
  readonly snippet: string;
}

const contextLines = 3;

/** Describe an edit; only the changed part of a large file is read. */
export function describeEdit(names: DiffNames, edited: EditedText): EditDescription {
  return { diff: diffOf(names, edited), snippet: snippetOf(edited) };
}

/** Longer diffs are cut; what would be cut away is not compared. */
const maxDiffChars = 100_000;

/** Parts of the file that are far apart are compared one by one: what lies between them is known to be equal. */
function diffOf(names: DiffNames, edited: EditedText): string {
  // Joined at the end: a text of many concatenations takes several times its size for as long as the result is kept.
  const pieces: string[] = [];
  let size = 0;
  let shift = 0;
  const addsReturns = edited.splices.some(({ data }) => data.includes(carriageReturn));
  for (const part of partsOf(edited.changes)) {
    const start = Math.max(part.startLine - contextLines, 1);
    const end = part.endLine + 1 + contextLines;
    const linesAbove = { before: start - 1, after: start - 1 + shift };
    const options = {
      ...names,
      context: contextLines,
      maxChars: maxDiffChars,
      linesAbove,
      header: size === 0,
    };
    const lines = addsReturns ? undefined : linesBetween(edited, part, [start, end]);
    const piece =
      (lines && blockDiff({ ...options, ...lines })) ??
      unifiedDiff({ ...options, ...textsBetween(edited, [start, end]) });
    pieces.push(piece);
    size += piece.length;
    shift += part.growth;
    if (size > maxDiffChars) {
      return `${pieces.join("").slice(0, maxDiffChars).toWellFormed()}\n\\ The diff goes on and was cut here.\n`;
    }
  }
  return pieces.join("");
}

/** The lines before and after a single change, if they end with nothing but line feeds. */
function linesBetween(
  { before, lines, splices }: EditedText,
  { startLine, endLine, newLines }: ChangedPart,
  [first, end]: readonly [number, number],
): { before: readonly string[]; after: readonly string[] } | undefined {
  if (newLines === undefined || lines.encoding !== "utf8") return undefined;
  const [from, to] = [lines.byteStart(first), lines.byteStart(end)];
  // The last line of a file may have no end, or lose it.
  const isLast = to >= before.length;
  if (isLast && (before.at(-1) !== feed || (splices.at(-1)?.end ?? 0) >= before.length)) return undefined;
  if (before.subarray(from, to).includes(carriageReturn)) return undefined;
  const old = lines.slice(first, end - 1);
  const now = [...old.slice(0, startLine - first), ...newLines, ...old.slice(endLine - first + 1)];
  return { before: old, after: now };
}

const feed = 0x0a;
const carriageReturn = 0x0d;

/** Lines of the old text that hold changes, and how many lines they gain. */
interface ChangedPart {
  startLine: number;
  endLine: number;
  growth: number;
  /** The lines in their place, if it is one change. */
  newLines?: readonly string[] | undefined;
}

function partsOf(changes: EditedText["changes"]): ChangedPart[] {
  const parts: ChangedPart[] = [];
  for (const { startLine, endLine, newLines } of changes) {
    const growth = newLines.length - (endLine - startLine + 1);
    const last = parts.at(-1);
    if (last === undefined || startLine > last.endLine + 2 * contextLines + 1) {
      parts.push({ startLine, endLine, growth, newLines });
    } else {
      last.endLine = endLine;
      last.growth += growth;
      last.newLines = undefined;
    }
  }
  return parts;
}

const maxShownLines = 40;

function snippetOf({ lines, changes }: EditedText): string {
  const [change] = changes;
  if (change === undefined) return "";
  const { startLine, endLine, newLines } = change;
  const above = lines.slice(startLine - contextLines, startLine - 1);
  const below = lines.slice(endLine + 1, endLine + contextLines);
  const shown = [...above, ...newLines.slice(0, maxShownLines)];
  const isCut = newLines.length > maxShownLines;
  const first = startLine - above.length;
  const all = isCut ? shown : [...shown, ...below];
  const width = String(first + all.length - 1).length;
  const numbered = all.map((line, at) => `${String(first + at).padStart(width)}\t${clipLine(line)}`);
  if (isCut) numbered.push(`[… ${newLines.length - maxShownLines} more new lines]`);
  if (changes.length > 1)
    numbered.push(`[… and ${changes.length - 1} more changed ${changes.length === 2 ? "part" : "parts"}]`);
  return numbered.join("\n");
}

const maxShownChars = 400;

function clipLine(line: string): string {
  return line.length > maxShownChars ? `${line.slice(0, maxShownChars).toWellFormed()}[…]` : line;
}
