import type { Span } from "./find-match.js";
import type { SearchSpace } from "./search-space.js";

/** Writes a new text with the line ends of the place where it lands. */
export type PlaceText = (span: Span, newText: string) => string;

/** Make the function that gives new texts their line ends; it expects spans in ascending order. */
export function createPlaceText(space: SearchSpace): PlaceText {
  const landing = createLanding(space);
  return (span, newText) => {
    if (!newText.includes("\n")) return newText;
    const lines = newText.replaceAll("\r\n", "\n");
    const old = space.slice(span.start, span.end);
    if (!/[\r\n]/.test(old)) return lines.replaceAll("\n", landing(span));
    return old.includes("\r") ? takeLineEnds(old, lines) : lines;
  };
}

/** The line end of the line where a span lies: its own, that before it, else a line feed. */
function createLanding(space: SearchSpace): (span: Span) => string {
  const findFeed = space.finder("\n");
  let next = -2;
  let last: string | undefined;
  const endAt = (feed: number): string => (space.slice(feed - 1, feed) === "\r" ? "\r\n" : "\n");
  return ({ end }) => {
    if (next !== -1 && next < end) next = findFeed(end);
    if (next !== -1) return endAt(next);
    // Nothing follows, and so for every later span: what stands before is found once.
    last ??= lastLineEnd(space, endAt);
    return last;
  };
}

function lastLineEnd(space: SearchSpace, endAt: (feed: number) => string): string {
  const feed = space.packed.lastIndexOf("\n");
  if (feed !== -1) return endAt(feed);
  return space.packed.includes("\r") ? "\r" : "\n";
}

/**
 * Lines that stay, and lines that replace as many others, keep the line ends that stood there; where lines
 * are added or taken away, the new ones take the kind that is most frequent in the old text.
 */
function takeLineEnds(old: string, newText: string): string {
  const oldLines = old.split(/\r\n|\n|\r/);
  const ends = old.match(/\r\n|\n|\r/g) ?? [];
  const newLines = newText.split("\n");
  const shorter = Math.min(oldLines.length, newLines.length);
  let head = 0;
  while (head < shorter && oldLines[head] === newLines[head]) head += 1;
  let tail = 0;
  while (tail < shorter - head && oldLines.at(-1 - tail) === newLines.at(-1 - tail)) tail += 1;
  const grown = newLines.length - oldLines.length;
  const usual = mostFrequent(ends);
  return newLines
    .map((line, at) => {
      if (at === newLines.length - 1) return line;
      if (grown === 0 || at < Math.min(head, ends.length)) return line + (ends[at] ?? usual);
      return line + (at >= newLines.length - tail ? (ends[at - grown] ?? usual) : usual);
    })
    .join("");
}

function mostFrequent(ends: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const end of ends) counts.set(end, (counts.get(end) ?? 0) + 1);
  return [...counts].reduce((best, one) => (one[1] > best[1] ? one : best), ["\n", 0])[0];
}
