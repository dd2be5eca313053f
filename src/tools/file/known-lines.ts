import { decodeText } from "../../text/decode-text.js";
import { coversChars, editPart, mergePart, type LinePart } from "../../text/line-parts.js";
import { hasLine, type LineChange, type LineRun } from "../../text/line-runs.js";
import type { ReplacedSpan } from "../../text/plan-edit.js";
import type { LineSpan } from "../../text/splice.js";
import type { PresentLines } from "./present-lines.js";

/** The lines that a session knows, by their current numbers, and parts of lines that are too long to be shown whole. */
export interface KnownLines {
  readonly runs: readonly LineRun[];
  readonly parts: readonly LinePart[];
}

export const nothingKnown: KnownLines = { runs: [], parts: [] };

/** Where a text begins in its first line and ends in its last one, as indexes of characters. */
export interface CharSpan {
  readonly from: number;
  readonly to: number;
}

/** Where a text lies in its lines. */
export function charSpanOf(
  { bytes, lines }: { readonly bytes: Uint8Array; readonly lines: PresentLines },
  { startLine, endLine, start, end }: ReplacedSpan,
): CharSpan {
  const lengthUpTo = (line: number, byte: number): number =>
    decodeText(bytes.subarray(lines.byteStart(line), byte), lines.encoding).text.length;
  // The text may include the end of its last line.
  const to = Math.min(lengthUpTo(endLine, end), lines.line(endLine).length);
  return { from: lengthUpTo(startLine, start), to };
}

interface KnownText {
  readonly isLineKnown: (line: number) => boolean;
  readonly parts: readonly LinePart[];
}

/** Whether each line of a text is known, or the part of the line that belongs to the text. */
export function isKnownText(
  { isLineKnown, parts }: KnownText,
  { startLine, endLine }: LineSpan,
  { from, to }: CharSpan,
): boolean {
  for (let line = startLine; line <= endLine; line += 1) {
    if (isLineKnown(line)) continue;
    // The whole of a line between the first and the last is known only as a line.
    if (line !== startLine && line !== endLine) return false;
    const part = parts.find((each) => each.line === line && each.isEnd);
    const end = part === undefined ? Number.POSITIVE_INFINITY : part.char - 1 + part.text.length;
    const span = { from: line === startLine ? from : 0, to: line === endLine ? to : end };
    if (!coversChars(parts, line, span)) return false;
  }
  return true;
}

/** The parts that still occur in the current lines: in their place, or elsewhere but only once. */
export function partsIn(parts: readonly LinePart[], lines: readonly string[]): LinePart[] {
  return parts.flatMap((part) => {
    const own = lines[part.line - 1];
    if (own?.startsWith(part.text, part.char - 1) === true) return [{ ...part, isEnd: endsLine(part, own) }];
    const found = lines.flatMap((line, at): LinePart[] => {
      const index = line.length < part.text.length ? -1 : line.indexOf(part.text);
      if (index === -1 || line.includes(part.text, index + 1)) return [];
      const moved = { ...part, line: at + 1, char: index + 1 };
      return [{ ...moved, isEnd: endsLine(moved, line) }];
    });
    return found.length === 1 ? found : [];
  });
}

function endsLine({ char, text }: LinePart, line: string): boolean {
  return char - 1 + text.length === line.length;
}

interface ChangedText {
  readonly lines: PresentLines;
  readonly changes: readonly LineChange[];
}

/** The known parts of lines after an edit. */
export function partsAfter(parts: readonly LinePart[], { lines, changes }: ChangedText): readonly LinePart[] {
  return parts
    .flatMap((part) => partAfter(part, changes, lines))
    .reduce<readonly LinePart[]>((known, part) => mergePart(known, part), []);
}

function partAfter(part: LinePart, changes: readonly LineChange[], lines: PresentLines): LinePart[] {
  let shift = 0;
  for (const { startLine, endLine, newLines } of changes) {
    if (part.line < startLine) break;
    if (part.line <= endLine) {
      if (startLine !== endLine || newLines.length !== 1) return [];
      const edited = editPart(part, lines.line(startLine), newLines[0] ?? "");
      return edited.map((each) => ({ ...each, line: each.line + shift }));
    }
    shift += newLines.length - (endLine - startLine + 1);
  }
  return [{ ...part, line: part.line + shift }];
}

/** Lines to read, or characters of one line that is too long to be read as a whole. */
export interface UnreadPlace extends LineSpan {
  readonly startChar?: number;
  readonly endChar?: number;
}

/** Longer lines are read in parts. */
const longLineChars = 20_000;
/** Characters around a text that are read with it. */
const aroundChars = 200;

/** What to read to know a text: its lines, or a part of its line if that is very long. */
export function toPlace(
  { startLine, endLine }: LineSpan,
  lines: PresentLines,
  textIn?: () => CharSpan,
): UnreadPlace {
  const span = { startLine, endLine };
  if (textIn === undefined || startLine !== endLine) return span;
  const { length } = lines.line(startLine);
  if (length <= longLineChars) return span;
  const { from, to } = textIn();
  const startChar = Math.max(1, from + 1 - aroundChars);
  return { ...span, startChar, endChar: Math.min(length, Math.max(to, from + 1) + aroundChars) };
}

/** Whether a text is known. */
export function isKnown({ runs, parts }: KnownLines, span: LineSpan, textIn: () => CharSpan): boolean {
  const isLineKnown = (line: number): boolean => hasLine(runs, line);
  for (let line = span.startLine; line <= span.endLine; line += 1) {
    if (!isLineKnown(line)) return parts.length > 0 && isKnownText({ isLineKnown, parts }, span, textIn());
  }
  return true;
}
