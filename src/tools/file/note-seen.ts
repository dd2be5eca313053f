import type { ToolContext } from "../../contract/context.js";

/** Lines that were returned, and where they come from. */
export interface Shown {
  readonly path: string;
  readonly identity: string;
  readonly startLine: number;
  readonly lines: readonly string[];
  /** Lines of the whole file. */
  readonly totalLines: number | undefined;
  /** The last line is not whole. */
  readonly partial: boolean;
  /** The encoding that the caller named, if any. */
  readonly named?: string | undefined;
}

/**
 * Remember what was read of a file: exactly the lines that were returned whole. One that the text for the
 * model cuts short counts too, or a file with a long line could never be overwritten; edits compare it whole.
 */
export function noteSeen({ seen }: Pick<ToolContext, "seen">, shown: Shown): void {
  const { path, identity, startLine: start, totalLines, named } = shown;
  const lines = shown.partial ? shown.lines.slice(0, -1) : shown.lines;
  const complete = start === 1 && lines.length === totalLines;
  if (lines.length === 0 && !complete) return;
  seen.note(path, { identity, start, lines, complete, ...(named !== undefined && { encoding: named }) });
}
