import { Buffer, isUtf8 } from "node:buffer";
import type { Files, FileStat, OpenFile } from "../../contract/ports/files.js";
import { decodeText } from "../../text/decode-text.js";
import { looksBinary } from "../../text/is-binary.js";
import type { LineUnit, NewlineCounter } from "../../text/newline-counter.js";

/** A file whose lines can be shown. */
export interface FileLines {
  readonly stat: FileStat;
  /** A line without its end, counted from 1; `undefined` where there is none. */
  line(number: number): string | undefined;
}

/** Larger files are not read to show a line of them. */
export const maxFileBytes = 32 * 1024 * 1024;

/** Open a file through the call's own files; `undefined` where it cannot be read. Binary files have no lines. */
export async function openFileLines(
  files: Files,
  path: string,
  counter: () => NewlineCounter,
): Promise<FileLines | undefined> {
  let open: OpenFile;
  try {
    open = await files.open(path);
  } catch {
    return undefined; // gone, or not to be read by this call
  }
  try {
    return { stat: open.stat, line: linesOfOpen(open, counter) };
  } finally {
    open.close();
  }
}

/** The lines of an open file. Binary and very large files have none. */
export function linesOfOpen(open: OpenFile, counter?: () => NewlineCounter): FileLines["line"] {
  const bytes = open.stat.size > maxFileBytes ? undefined : readAll(open);
  if (bytes === undefined || looksBinary(bytes.subarray(0, 4096))) return () => undefined;
  return isUtf8(bytes) ? linesOfBytes(bytes, counter) : linesOfText(decodeText(bytes).text);
}

function readAll(open: OpenFile): Buffer {
  const buffer = Buffer.allocUnsafeSlow(open.stat.size);
  let filled = 0;
  for (let got = 1; got > 0 && filled < buffer.length; filled += got) {
    got = open.readInto(buffer.subarray(filled), filled);
  }
  return buffer.subarray(0, filled);
}

/** Most files are UTF-8: only the requested lines are decoded. */
function linesOfBytes(bytes: Buffer, counter: (() => NewlineCounter) | undefined): FileLines["line"] {
  const bom = bytes.length >= 3 && bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  let known = { number: 1, start: bom };
  return (number) => {
    const from = number >= known.number ? known : { number: 1, start: bom };
    const near = counter === undefined ? from : skipPieces(bytes, from, { number, counter });
    let { start } = near;
    for (let left = number - near.number; left > 0; left -= 1) {
      start = bytes.indexOf(10, start) + 1;
      if (start === 0) return undefined;
    }
    if (start === bytes.length && number > 1) return undefined;
    known = { number, start };
    const end = bytes.indexOf(10, start);
    return withoutEnd(bytes.toString("utf8", start, end === -1 ? bytes.length : end));
  };
}

/** So many lines are found one by one. */
const fewLines = 100;
const pieceBytes = 64 * 1024;
const lineFeed: LineUnit = { width: 1, bigEndian: false, mark: "\n" };

/** Go on by whole pieces of a file as long as the line lies behind them: their line ends are counted, not found. */
function skipPieces(
  bytes: Buffer,
  from: { readonly number: number; readonly start: number },
  { number, counter }: { readonly number: number; readonly counter: () => NewlineCounter },
): { number: number; start: number } {
  let { number: reached, start } = from;
  while (number - reached > fewLines && start + pieceBytes <= bytes.length) {
    const { window, count } = counter();
    window.set(bytes.subarray(start, start + pieceBytes));
    const ends = count(0, pieceBytes, lineFeed);
    if (reached + ends >= number) break;
    reached += ends;
    start += pieceBytes;
  }
  return { number: reached, start };
}

function linesOfText(text: string): FileLines["line"] {
  const lines = text.split("\n");
  if (lines.length > 1 && lines.at(-1) === "") lines.pop();
  return (number) => {
    const line = lines[number - 1];
    return line === undefined ? undefined : withoutEnd(line);
  };
}

function withoutEnd(line: string): string {
  return line.endsWith("\r") ? line.slice(0, -1) : line;
}
