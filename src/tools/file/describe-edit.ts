import { unifiedDiff } from "../../text/unified-diff.js";
import { textsBetween, type EditedText } from "./edited-text.js";
import { shiftHunks } from "./layer-errors.js";

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
  for (const part of partsOf(edited.changes)) {
    const start = Math.max(part.startLine - contextLines, 1);
    const end = part.endLine + 1 + contextLines;
    const texts = textsBetween(edited, [start, end]);
    const whole = unifiedDiff({ ...names, ...texts, context: contextLines, maxChars: maxDiffChars });
    const shifted = shiftHunks(whole, { before: start - 1, after: start - 1 + shift });
    const piece = size === 0 ? shifted : shifted.slice(shifted.indexOf("@@"));
    pieces.push(piece);
    size += piece.length;
    shift += part.growth;
    if (size > maxDiffChars) {
      return `${pieces.join("").slice(0, maxDiffChars).toWellFormed()}\n\\ The diff goes on and was cut here.\n`;
    }
  }
  return pieces.join("");
}

/** Lines of the old text that hold changes, and how many lines they gain. */
interface ChangedPart {
  startLine: number;
  endLine: number;
  growth: number;
}

function partsOf(changes: EditedText["changes"]): ChangedPart[] {
  const parts: ChangedPart[] = [];
  for (const { startLine, endLine, newLines } of changes) {
    const growth = newLines.length - (endLine - startLine + 1);
    const last = parts.at(-1);
    if (last === undefined || startLine > last.endLine + 2 * contextLines + 1) {
      parts.push({ startLine, endLine, growth });
    } else {
      last.endLine = endLine;
      last.growth += growth;
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
