import { createLineTable, type SplitLine } from "./line-table.js";
import { normalizeLineEnds } from "./normal-text.js";
import { findOccurrences, searchString } from "./occurrences.js";
import type { SearchSpace } from "./search-space.js";

/** The lines of a file, in the form in which it is searched. */
export interface FileLines {
  readonly count: number;
  line(at: number): SplitLine;
  /** The index in the search space at which a line begins. */
  readonly start: (at: number) => number;
  /** Every line at which these lines (without their ends) stand in a row, whole lines only. */
  find(lines: readonly string[]): number[];
}

/**
 * Read the lines of a search space. In a file without line feeds carriage returns end the lines, unless it
 * is compared with lines that have returns within them, as git writes such a file.
 */
export function createFileLines(space: SearchSpace, returnsWithin: boolean): FileLines {
  const { packed } = space;
  const mark = returnsWithin || packed.includes("\n") ? "\n" : "\r";
  const table = createLineTable(packed, mark);
  let search: ReturnType<typeof createLineSearch> | undefined;
  return {
    count: table.count,
    start: table.start,
    line(at) {
      const [start, end, next] = [table.start(at), table.contentEnd(at), table.start(at + 1)];
      return { text: packed.slice(start, end), end: packed.slice(end, next) };
    },
    find(lines) {
      search ??= createLineSearch(packed, mark);
      return search(lines);
    },
  };
}

/** Line feeds before and after what is sought make whole lines of it. */
function createLineSearch(packed: string, mark: "\n" | "\r"): (lines: readonly string[]) => number[] {
  const { text } = normalizeLineEnds(packed, mark === "\r");
  // The line feed put before the text moves every index by one: a match begins where its line does.
  const framed = `\n${text}${text === "" || text.endsWith("\n") ? "" : "\n"}`;
  const table = createLineTable(text, "\n");
  const inText = searchString(framed);
  return (lines) => findOccurrences(inText, `\n${lines.join("\n")}\n`).map((at) => table.lineAt(at));
}
