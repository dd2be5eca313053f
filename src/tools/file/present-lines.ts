import { isUtf8 } from "node:buffer";
import { decodeText } from "../../text/decode-text.js";
import { createLineTable } from "../../text/line-table.js";
import { createLineFinder, finderIn, lineStarts } from "./line-finder.js";

/** The current lines of a file, numbered from 1, without line ends. */
export interface PresentLines {
  readonly encoding: string;
  readonly count: number;
  line(number: number): string;
  /** The lines from `first` to `last` (inclusive), as far as they exist. */
  slice(first: number, last: number): string[];
  /** The byte at which a line starts; for lines after the last one, the end of the file. */
  byteStart(number: number): number;
  /** The line that contains a byte. After a final line end, the end of the file counts as one more line. */
  lineAt(byte: number): number;
}

/** A line and a byte inside it. */
export interface LinePlace {
  readonly line: number;
  readonly byte: number;
}

/** What is known about where lines are. */
export interface KnownPlaces {
  /** Positions, ascending, near which lines will be requested. */
  readonly near?: readonly LinePlace[];
  /** The byte at which each line begins. */
  readonly starts?: readonly number[] | undefined;
}

/** Index the lines of a file once: lines that are not requested are neither decoded nor searched for. */
export function createPresentLines(
  bytes: Uint8Array,
  encoding = "auto",
  places: KnownPlaces = {},
): PresentLines {
  const decoded = decodeText(bytes, encoding);
  const whole = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (decoded.encoding !== "utf8") return textLines(decoded, whole.length);
  return utf8Lines(whole, decoded.bom ? 3 : 0, places);
}

/** Of a file up to this size all lines are found at once. */
const smallBytes = 1 << 16;

function utf8Lines(whole: Buffer, bomLength: number, { near = [], starts }: KnownPlaces): PresentLines {
  const mark = whole.includes(0x0a) ? 0x0a : 0x0d;
  const known = starts ?? (whole.length <= smallBytes ? lineStarts(whole, bomLength, mark) : undefined);
  const finder =
    known === undefined
      ? createLineFinder(whole, { from: bomLength, mark, known: near })
      : finderIn(known, whole, mark);
  const { byteStart, lineAt } = finder;
  // Checked once for all lines, unless few of very many are read.
  let isValid: boolean | undefined;
  const textIn = (start: number, next: number): string => {
    let end = next;
    if (end > start && whole[end - 1] === mark) end -= 1;
    if (end > start && end < next && mark === 0x0a && whole[end - 1] === 0x0d) end -= 1;
    isValid ??= whole.length <= maxChecked && isUtf8(whole);
    return isValid ? whole.toString("utf8", start, end) : readUtf8(whole.subarray(start, end));
  };
  return {
    encoding: "utf8",
    get count() {
      return finder.count;
    },
    line: (number) => textIn(byteStart(number), byteStart(number + 1)),
    slice(first, last) {
      const lines: string[] = [];
      let number = Math.max(first, 1);
      for (let start = byteStart(number); number <= last && start < whole.length; number += 1) {
        const next = byteStart(number + 1);
        lines.push(textIn(start, next));
        start = next;
      }
      return lines;
    },
    byteStart,
    lineAt,
  };
}

const maxChecked = 1 << 23;

function readUtf8(bytes: Buffer): string {
  return isUtf8(bytes) ? bytes.toString() : decodeText(bytes, "utf8").text;
}

function textLines(decoded: ReturnType<typeof decodeText>, size: number): PresentLines {
  const { text } = decoded;
  const table = createLineTable(text);
  const { count } = table;
  const line = (number: number): string => text.slice(table.start(number - 1), table.contentEnd(number - 1));
  const byteStart = (number: number): number =>
    number > count ? size : decoded.byteOffset(table.start(number - 1));
  const isEnded = text !== "" && text.endsWith(text.includes("\n") ? "\n" : "\r");
  const lineAt = (byte: number): number => {
    let low = 1;
    let high = isEnded || count === 0 ? count + 1 : count;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (byteStart(middle) <= byte) low = middle;
      else high = middle - 1;
    }
    return low;
  };
  return {
    encoding: decoded.encoding,
    count,
    line,
    slice(first, last) {
      const lines: string[] = [];
      for (let number = Math.max(first, 1); number <= last && number <= count; number += 1)
        lines.push(line(number));
      return lines;
    },
    byteStart,
    lineAt,
  };
}
