import { lastAtOrBefore } from "./last-at-or-before.js";

/** Where the lines of a text are. */
export interface LineTable {
  readonly count: number;
  /** The index at which a line begins (lines from 0; that after the last is the end of the text). */
  readonly start: (line: number) => number;
  /** The index at which the line's own characters end, before its line end. */
  contentEnd(line: number): number;
  lineAt(index: number): number;
  /** The index at which each line begins. */
  readonly starts: readonly number[];
}

/**
 * Find the lines of a text. A line ends with a line feed, its carriage return included; a lone carriage
 * return is a character of its line, but in a text without line feeds it ends lines itself.
 */
export function createLineTable(text: string, mark: "\n" | "\r" = markOf(text)): LineTable {
  const starts = lineStarts(text, mark);
  const feeds = mark === "\n";
  const count = starts.length;
  const start = (line: number): number => starts[line] ?? text.length;
  return {
    count,
    start,
    contentEnd(line) {
      const next = start(line + 1);
      if (next <= start(line) || text.charAt(next - 1) !== mark) return next;
      return feeds && text.charAt(next - 2) === "\r" ? next - 2 : next - 1;
    },
    lineAt: (index) => lastAtOrBefore(count, start, index),
    starts,
  };
}

/** The index at which each line begins; an empty text has no line, a last line end opens none. */
export function lineStarts(text: string, mark: "\n" | "\r" = markOf(text)): number[] {
  const starts: number[] = [];
  for (let at = 0; at < text.length;) {
    starts.push(at);
    const next = text.indexOf(mark, at);
    if (next === -1) break;
    at = next + 1;
  }
  return starts;
}

function markOf(text: string): "\n" | "\r" {
  return text.includes("\n") ? "\n" : "\r";
}

/** A line without its end, and that end ("" for a last line without one). */
export interface SplitLine {
  readonly text: string;
  readonly end: string;
}

/** Split a text into lines, such that joining texts and ends gives it back. */
export function splitLines(text: string): SplitLine[] {
  const table = createLineTable(text);
  return Array.from({ length: table.count }, (_, line) => ({
    text: text.slice(table.start(line), table.contentEnd(line)),
    end: text.slice(table.contentEnd(line), table.start(line + 1)),
  }));
}
