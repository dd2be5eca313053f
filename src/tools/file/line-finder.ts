import type { LinePlace } from "./present-lines.js";

/** Finds lines in bytes, from the nearest place that is known. */
export interface LineFinder {
  /** Looks at the whole file when it is first asked for. */
  readonly count: number;
  readonly byteStart: (number: number) => number;
  readonly lineAt: (byte: number) => number;
}

export interface LineFinderOptions {
  /** Where the first line begins. */
  readonly from: number;
  /** The byte that ends a line. */
  readonly mark: number;
  /** Places, ascending. */
  readonly known: readonly LinePlace[];
}

/** Begin with the first line and the places that are known; more are learnt on the way. */
export function createLineFinder(whole: Buffer, { from, mark, known }: LineFinderOptions): LineFinder {
  const places = [
    { line: 1, byte: from },
    ...known.map((place) => someLinesAbove(whole, place, { from, mark })),
  ];
  let last: LinePlace = { line: 1, byte: from };
  let count: number | undefined;
  const nearest = (key: "line" | "byte", wanted: number): LinePlace => {
    const place = lastUpTo(places, key, wanted);
    return last[key] <= wanted && last.line > place.line ? last : place;
  };
  return {
    get count() {
      count ??= countLines(whole, { from, mark, places });
      return count;
    },
    byteStart(number) {
      let { line, byte } = nearest("line", number);
      while (line < number && byte < whole.length) {
        const end = whole.indexOf(mark, byte);
        byte = end === -1 ? whole.length : end + 1;
        line += 1;
      }
      // The end of the file is no line that others could be found from.
      if (line === number && byte < whole.length) last = { line, byte };
      return byte;
    },
    lineAt(byte) {
      let { line, byte: start } = nearest("byte", byte);
      for (;;) {
        const end = whole.indexOf(mark, start);
        if (end === -1 || end + 1 > byte) return line;
        start = end + 1;
        line += 1;
      }
    },
  };
}

/** What is shown around a line begins above it, and the way down is shorter than from the top. */
const linesAbove = 8;

function someLinesAbove(
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

/** The last place whose line or byte is not beyond another. */
function lastUpTo(places: readonly LinePlace[], key: "line" | "byte", wanted: number): LinePlace {
  let low = 0;
  let high = places.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((places[middle]?.[key] ?? 0) <= wanted) low = middle;
    else high = middle - 1;
  }
  return places[low] as LinePlace;
}

/** Of every so many lines the beginning is remembered. */
const everyLines = 64;

function countLines(
  whole: Buffer,
  { from, mark, places }: { from: number; mark: number; places: LinePlace[] },
): number {
  places.length = 0;
  let count = 0;
  for (let at = from; at < whole.length; count += 1) {
    if (count % everyLines === 0) places.push({ line: count + 1, byte: at });
    const end = whole.indexOf(mark, at);
    at = end === -1 ? whole.length : end + 1;
  }
  if (places.length === 0) places.push({ line: 1, byte: from });
  return count;
}
