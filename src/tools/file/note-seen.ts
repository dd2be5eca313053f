import type { ToolContext } from "../../contract/context.js";
import type { OpenFile } from "../../contract/ports/files.js";
import type { SeenPart } from "../../contract/ports/seen.js";

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
  /** A part of a line. */
  readonly part?: SeenPart;
  /** The encoding that the caller named, if any. */
  readonly named?: string | undefined;
  /** The path is that of an open file. @default false */
  readonly isRealPath?: boolean;
}

/**
 * Remember which lines of a file were returned completely, and which parts of others. A line that is shortened only in the text for the model
 * counts, too: otherwise a file with a long line could never be overwritten.
 */
export function noteSeen({ seen }: Pick<ToolContext, "seen">, shown: ShownLines): void {
  const { path, identity, startLine: start, totalLines, named, part, isRealPath } = shown;
  const lines = shown.partial ? shown.lines.slice(0, -1) : shown.lines;
  const complete = start === 1 && lines.length === totalLines;
  const cut = shown.partial ? shown.lines.at(-1) : undefined;
  const parts: SeenPart[] = part === undefined ? [] : [part];
  if (cut !== undefined) parts.push({ line: start + lines.length, char: 1, text: cut, isEnd: false });
  if (lines.length === 0 && !complete && parts.length === 0) return;
  seen.note(path, {
    identity,
    start,
    lines,
    complete,
    ...(parts.length > 0 && { parts }),
    ...(named !== undefined && { encoding: named }),
    ...(isRealPath === true && { isRealPath }),
  });
}

/** Which file was read, by what its opening told. */
export function openedAs({ path, stat }: OpenFile): Pick<ShownLines, "path" | "identity" | "isRealPath"> {
  return { path, identity: stat.identity, isRealPath: true };
}
