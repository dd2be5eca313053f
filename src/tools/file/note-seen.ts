import type { ToolContext } from "../../contract/context.js";

/** Lines that were returned, and their file. */
export interface ShownLines {
  readonly path: string;
  readonly identity: string;
  readonly startLine: number;
  readonly lines: readonly string[];
  /** Lines of the whole file. */
  readonly totalLines: number | undefined;
  /** Whether the last line is incomplete. */
  readonly partial: boolean;
  /** The encoding that the caller named, if any. */
  readonly named?: string | undefined;
}

/**
 * Remember which lines of a file were returned completely. A line that is shortened only in the text for the model
 * counts, too: otherwise a file with a long line could never be overwritten.
 */
export function noteSeen({ seen }: Pick<ToolContext, "seen">, shown: ShownLines): void {
  const { path, identity, startLine: start, totalLines, named } = shown;
  const lines = shown.partial ? shown.lines.slice(0, -1) : shown.lines;
  const complete = start === 1 && lines.length === totalLines;
  if (lines.length === 0 && !complete) return;
  seen.note(path, { identity, start, lines, complete, ...(named !== undefined && { encoding: named }) });
}
