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

function diffOf(names: DiffNames, edited: EditedText): string {
  const { changes } = edited;
  const [first, last] = [changes[0], changes.at(-1)];
  if (first === undefined || last === undefined) return "";
  const start = Math.max(first.startLine - contextLines, 1);
  const end = last.endLine + 1 + contextLines;
  const texts = textsBetween(edited, [start, end]);
  return shiftHunks(unifiedDiff({ ...names, ...texts, context: contextLines }), {
    before: start - 1,
    after: start - 1,
  });
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
