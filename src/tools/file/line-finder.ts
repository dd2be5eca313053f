import { lastAtOrBefore } from "../../text/last-at-or-before.js";
import type { LinePlace } from "./present-lines.js";

/** Finds lines in bytes, starting from the nearest known position. */
export interface LineFinder {
  /** Scans the whole file when first read. */
  readonly count: number;
  readonly byteStart: (number: number) => number;
  readonly lineAt: (byte: number) => number;
}

export interface LineFinderOptions {
  /** Where the first line begins. */
  readonly from: number;
  /** The byte that ends a line. */
  readonly mark: number;
  /** Known positions, ascending. */
  readonly known: readonly LinePlace[];
}

/** Create a finder from the first line and the known positions; it learns more on the way. */
export function createLineFinder(whole: Buffer, { from, mark, known }: LineFinderOptions): LineFinder {
  const positions: LinePlace[] = [{ line: 1, byte: from }];
  for (const place of known) positions.push(positionAbove(whole, place, { from, mark }));
  // Lines are mostly asked for in order, each a few times: from the latest positions the way is short.
  const recent: LinePlace[] = [];
  let count: number | undefined;
  const nearest = (key: "line" | "byte", wanted: number): LinePlace => {
    let best = lastPositionUpTo(positions, key, wanted);
    for (const place of recent) if (place[key] <= wanted && place.line > best.line) best = place;
    return best;
  };
  const remember = (place: LinePlace): void => {
    for (const { line } of recent) if (line === place.line) return;
    recent.unshift(place);
    if (recent.length > maxRecent) recent.pop();
  };
  return {
    get count() {
      count ??= countLines(whole, { from, mark, positions });
      return count;
    },
    byteStart(number) {
      let { line, byte } = nearest("line", number);
      while (line < number && byte < whole.length) {
        const end = whole.indexOf(mark, byte);
        byte = end === -1 ? whole.length : end + 1;
        line += 1;
      }
      // The end of the file is not the start of a line, so it is not remembered.
      if (line === number && byte < whole.length) remember({ line, byte });
      return byte;
    },
    lineAt(byte) {
      let { line, byte: start } = nearest("byte", byte);
      for (;;) {
        const end = whole.indexOf(mark, start);
        if (end === -1 || end + 1 > byte) {
          if (start < whole.length) remember({ line, byte: start });
          return line;
        }
        start = end + 1;
        line += 1;
      }
    },
  };
}

/** Where each line begins; the first one at `from`. */
export function lineStarts(whole: Buffer, from: number, mark: number): number[] {
  const starts: number[] = [];
  for (let at = from; at < whole.length;) {
    starts.push(at);
    const end = whole.indexOf(mark, at);
    at = end === -1 ? whole.length : end + 1;
  }
  return starts;
}

/** A finder for lines of which all positions are known. */
export function finderIn(starts: readonly number[], whole: Buffer, mark: number): LineFinder {
  const { length } = whole;
  const isEnded = length === 0 || whole[length - 1] === mark;
  const startOf = (at: number): number => starts[at] ?? length;
  // Lines are mostly asked for in order.
  let last = 0;
  return {
    count: starts.length,
    byteStart: (number) => startOf(number - 1),
    lineAt(byte) {
      if (byte >= length && isEnded) return starts.length + 1;
      const isNear = startOf(last) <= byte && byte < startOf(last + 1);
      if (!isNear) last = lastAtOrBefore(starts.length, startOf, byte);
      return last + 1;
    },
  };
}

const maxRecent = 4;

/** Lines above a position are shown as context, and are found faster from a little above it. */
const linesAbove = 8;

function positionAbove(
  whole: Buffer,
  place: LinePlace,
  { from, mark }: Omit<LineFinderOptions, "known">,
): LinePlace {
  let { line, byte } = place;
  for (let left = linesAbove; ; left -= 1) {
    const end = byte <= from ? -1 : whole.lastIndexOf(mark, byte - 1);
    byte = Math.max(end + 1, from);
    if (left === 0 || line === 1 || byte <= from) return { line, byte };
    line -= 1;
    byte -= 1;
  }
}

/** The last position whose line or byte is at most `wanted`. */
function lastPositionUpTo(positions: readonly LinePlace[], key: "line" | "byte", wanted: number): LinePlace {
  let low = 0;
  let high = positions.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((positions[middle]?.[key] ?? 0) <= wanted) low = middle;
    else high = middle - 1;
  }
  return positions[low] as LinePlace;
}

/** Every this many lines, the position is remembered. */
const positionEvery = 64;

function countLines(
  whole: Buffer,
  { from, mark, positions }: { from: number; mark: number; positions: LinePlace[] },
): number {
  positions.length = 0;
  let count = 0;
  for (let at = from; at < whole.length; count += 1) {
    if (count % positionEvery === 0) positions.push({ line: count + 1, byte: at });
    const end = whole.indexOf(mark, at);
    at = end === -1 ? whole.length : end + 1;
  }
  if (positions.length === 0) positions.push({ line: 1, byte: from });
  return count;
}
