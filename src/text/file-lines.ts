import { createLooseFold } from "./fold-punctuation.js";
import { createLineIndex, type LineIndex } from "./line-index.js";
import { createLineLookup, type LineLookup } from "./line-lookup.js";
import { createLineTable, type SplitLine } from "./line-table.js";
import { normalizeLineEnds } from "./normal-text.js";
import { findOccurrences, searchString } from "./find-match.js";
import type { SearchSpace } from "./search-space.js";

/** The lines of a file, in the form in which it is searched. */
export interface FileLines {
  readonly count: number;
  line(at: number): SplitLine;
  /** Whether the file has no carriage returns and a line feed ends each of these lines. */
  endsWithFeeds(at: number, size: number): boolean;
  /** Whether a line is this text, with this end. */
  isLine(at: number, text: string, end: "" | "\n"): boolean;
  /** The index in the search space at which a line begins. */
  readonly start: (at: number) => number;
  /** The same for all lines. */
  readonly starts: readonly number[];
  /** What ends a line. */
  readonly mark: "\n" | "\r";
  /** Every line at which these lines (without their ends) stand in a row, whole lines only. */
  find(lines: readonly string[]): readonly number[];
  /** The same, regardless of trailing blanks and of typographic quotes, dashes and spaces. */
  findLoosely(lines: readonly string[]): readonly number[];
  /** The lines that a heading names: equal up to blanks, else with the heading as a part. */
  findHeading(heading: string): readonly number[];
  /** Where the blocks below headings end, as far as that was looked for. */
  readonly blockEnds: Map<number, number>;
}

/** With more searches, an index of all lines pays off. */
const searchesBeforeIndex = 4;

/**
 * Read the lines of a search space. In a file without line feeds carriage returns end the lines, unless it
 * is compared with lines that have returns within them, as git writes such a file.
 *
 * @param options.searches How many searches are to be expected.
 */
export function createFileLines(
  space: SearchSpace,
  { returnsWithin, searches }: { readonly returnsWithin: boolean; readonly searches: number },
): FileLines {
  const { packed, pack } = space;
  const mark = returnsWithin || packed.includes("\n") ? "\n" : "\r";
  const table = createLineTable(packed, mark);
  const line = (at: number): SplitLine => {
    const [start, end, next] = [table.start(at), table.contentEnd(at), table.start(at + 1)];
    return { text: packed.slice(start, end), end: packed.slice(end, next) };
  };
  const indexBy = (key: (text: string) => string): (() => LineIndex) => {
    let index: LineIndex | undefined;
    return () => (index ??= createLineIndex(table.count, (at) => key(line(at).text)));
  };
  const foldLoosely = createLooseFold(pack);
  const foldHeading = (text: string): string => foldLoosely(text).trim();
  const [loose, trimmed] = [indexBy(foldLoosely), indexBy(foldHeading)];
  const headings = new Map<string, readonly number[]>();
  let exact: LineLookup | undefined;
  let hasReturns: boolean | undefined;
  let search: ReturnType<typeof createLineSearch> | undefined;
  const usesIndex = searches > searchesBeforeIndex;
  return {
    count: table.count,
    start: table.start,
    starts: table.starts,
    mark,
    line,
    endsWithFeeds(at, size) {
      hasReturns ??= packed.includes("\r");
      return size > 0 && !hasReturns && (at + size < table.count || packed.endsWith("\n"));
    },
    isLine(at, text, end) {
      const [start, next] = [table.start(at), table.start(at + 1)];
      if (next - start !== text.length + end.length || !packed.startsWith(text, start)) return false;
      return end === "" || packed[next - 1] === end;
    },
    find(lines) {
      if (usesIndex) return (exact ??= createLineLookup(packed, table)).find(lines);
      search ??= createLineSearch(packed, mark);
      return search(lines);
    },
    findLoosely: (lines) => loose().find(lines.map(foldLoosely)),
    findHeading(heading) {
      const known = headings.get(heading);
      if (known !== undefined) return known;
      const wanted = foldHeading(pack(heading));
      const whole = trimmed().find([wanted]);
      const found = whole.length > 0 ? whole : trimmed().where((text) => hasWords(text, wanted));
      headings.set(heading, found);
      return found;
    },
    blockEnds: new Map(),
  };
}

/** Whether a line has the heading as a part that does not begin or end within a word. */
function hasWords(text: string, wanted: string): boolean {
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + 1)) {
    const [before, after] = [text.charAt(at - 1), text.charAt(at + wanted.length)];
    const cuts = (one: string, other: string): boolean => /^\w\w$/.test(one + other);
    if (!cuts(before, wanted.charAt(0)) && !cuts(wanted.charAt(wanted.length - 1), after)) return true;
  }
  return false;
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
