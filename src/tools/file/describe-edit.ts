import { unifiedDiff } from "../../text/unified-diff.js";
import { textsBetween, type EditedText } from "./edited-text.js";
import { shiftHunks } from "./layer-errors.js";

/** The names in a diff: one for both sides, or one for each. */
export type DiffNames =
  | { readonly path: string }
  | { readonly oldPath: string | null; readonly newPath: string | null };

/** How an edit is shown. */
export interface EditDescription {
  readonly diff: string;
  /** The first changed lines and those around them, numbered. */
  readonly snippet: string;
}

const context = 3;

/** Show an edit; of a large file only the part that changed is looked at. */
export function describeEdit(names: DiffNames, edited: EditedText): EditDescription {
  return { diff: diffOf(names, edited), snippet: snippetOf(edited) };
}

function diffOf(names: DiffNames, edited: EditedText): string {
  const { changes } = edited;
  const [first, last] = [changes[0], changes.at(-1)];
  if (first === undefined || last === undefined) return "";
  const start = Math.max(first.startLine - context, 1);
  const end = last.endLine + 1 + context;
  const texts = textsBetween(edited, [start, end]);
  return shiftHunks(unifiedDiff({ ...names, ...texts, context }), { before: start - 1, after: start - 1 });
}

const shownLines = 40;

function snippetOf({ lines, changes }: EditedText): string {
  const [change] = changes;
  if (change === undefined) return "";
  const { startLine, endLine, newLines } = change;
  const above = lines.slice(startLine - context, startLine - 1);
  const below = lines.slice(endLine + 1, endLine + context);
  const shown = [...above, ...newLines.slice(0, shownLines)];
  const isCut = newLines.length > shownLines;
  const first = startLine - above.length;
  const all = isCut ? shown : [...shown, ...below];
  const width = String(first + all.length - 1).length;
  const numbered = all.map((line, at) => `${String(first + at).padStart(width)}\t${clip(line)}`);
  if (isCut) numbered.push(`[… ${newLines.length - shownLines} more new lines]`);
  if (changes.length > 1)
    numbered.push(`[… and ${changes.length - 1} more changed ${changes.length === 2 ? "part" : "parts"}]`);
  return numbered.join("\n");
}

const lineChars = 400;

function clip(line: string): string {
  return line.length > lineChars ? `${line.slice(0, lineChars).toWellFormed()}[…]` : line;
}
