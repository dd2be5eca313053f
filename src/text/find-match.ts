import { toLineFeeds } from "./line-ends.js";
import { matchIndentation } from "./match-indentation.js";
import { normalizeLineEnds } from "./normal-text.js";
import { findDisjoint, findOccurrences, searchString } from "./occurrences.js";
import type { SearchSpace } from "./search-space.js";

/** What had to be overlooked to find the old text. */
export type MatchedHow = "exact" | "line-ends" | "indentation";

/** From one index of a search space to another. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Where the old text stands, and the new text as it is meant there (packed). */
export interface Match {
  readonly how: MatchedHow;
  readonly spans: readonly Span[];
  readonly newText: string;
}

export interface WantedEdit {
  /** Packed, not empty. */
  readonly oldText: string;
  readonly newText: string;
  readonly replaceAll: boolean;
}

/** Find the old text: as it is; else but for line ends; else but for one shift of its indentation. */
export function findMatch(space: SearchSpace, wanted: WantedEdit): Match | undefined {
  return (
    findExact(space, wanted) ??
    findByLineEnds(space, wanted) ??
    findAtOpenEnd(space, wanted) ??
    matchIndentation(space, wanted)
  );
}

function findExact(space: SearchSpace, { oldText, newText, replaceAll }: WantedEdit): Match | undefined {
  // Who sees lines and not their ends means lines of either kind: all of them, or the only one.
  if (oldText.includes("\n") && !oldText.includes("\r") && hasReturns(space)) return undefined;
  const starts = replaceAll ? findDisjoint(space, oldText) : findOccurrences(space, oldText);
  if (starts.length === 0) return undefined;
  const spans = starts.map((start) => ({ start, end: start + oldText.length }));
  if (spans.some((span) => cutsLineEnd(space, oldText, span))) return undefined;
  return { how: "exact", spans, newText };
}

/** To begin or end between the two characters of a line end would leave half of it behind. */
function cutsLineEnd(space: SearchSpace, oldText: string, { start, end }: Span): boolean {
  const cutsBefore = oldText.startsWith("\n") && space.slice(start - 1, start) === "\r";
  return cutsBefore || (oldText.endsWith("\r") && space.slice(end, end + 1) === "\n");
}

function findByLineEnds(space: SearchSpace, { oldText, newText, replaceAll }: WantedEdit): Match | undefined {
  const needle = toLineFeeds(oldText);
  if (!needle.includes("\n") || (needle === oldText && !hasReturns(space))) return undefined;
  const normal = normalizeLineEnds(space.packed, true);
  const inText = searchString(normal.text);
  const starts = replaceAll ? findDisjoint(inText, needle) : findOccurrences(inText, needle);
  if (starts.length === 0) return undefined;
  const spans = starts.map((start) => spanOf(normal.original, start, needle.length));
  const same = spans.every(({ start, end }) => space.slice(start, end) === oldText);
  return { how: same ? "exact" : "line-ends", spans, newText };
}

/** A last line without a line end matches one with it, and stays without. */
function findAtOpenEnd(space: SearchSpace, { oldText, newText }: WantedEdit): Match | undefined {
  const lines = toLineFeeds(oldText);
  const needle = lines.slice(0, -1);
  if (!lines.endsWith("\n") || needle === "" || needle.endsWith("\n")) return undefined;
  // No more of the file than can be the text with the longest line ends.
  const from = Math.max(0, space.length - lines.length * 2);
  const normal = normalizeLineEnds(space.slice(from, space.length), true);
  if (!normal.text.endsWith(needle)) return undefined;
  const start = from + normal.original(normal.text.length - needle.length);
  const spans = [{ start, end: space.length }];
  return { how: "line-ends", spans, newText: newText.replace(/\r?\n$/, "") };
}

function spanOf(original: (index: number) => number, start: number, length: number): Span {
  const from = original(start);
  return { start: from, end: original(start + length) };
}

function hasReturns(space: SearchSpace): boolean {
  return space.finder("\r")(0) !== -1;
}
