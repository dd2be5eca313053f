import { Buffer, isUtf8 } from "node:buffer";
import type { Files, FileStat, OpenFile } from "../../contract/ports/files.js";
import { decodeText } from "../../text/decode-text.js";
import { looksBinary } from "../../text/is-binary.js";

/** A file whose lines can be shown. */
export interface FileLines {
  readonly stat: FileStat;
  /** A line without its end, counted from 1; `undefined` where there is none. */
  line(number: number): string | undefined;
}

/** Larger files are not read to show a line of them. */
export const maxFileBytes = 32 * 1024 * 1024;

/** Open a file through the call's own files; `undefined` where it cannot be read. Binary files have no lines. */
export async function openFileLines(files: Files, path: string): Promise<FileLines | undefined> {
  let open: OpenFile;
  try {
    open = await files.open(path);
  } catch {
    return undefined; // gone, or not to be read by this call
  }
  try {
    return { stat: open.stat, line: linesOfOpen(open) };
  } finally {
    open.close();
  }
}

/** The lines of an open file. Binary and very large files have none. */
export function linesOfOpen(open: OpenFile): FileLines["line"] {
  const bytes = open.stat.size > maxFileBytes ? undefined : readAll(open);
  if (bytes === undefined || looksBinary(bytes.subarray(0, 4096))) return () => undefined;
  return isUtf8(bytes) ? linesOfBytes(bytes) : linesOfText(decodeText(bytes).text);
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
function linesOfBytes(bytes: Buffer): FileLines["line"] {
  const bom = bytes.length >= 3 && bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  const starts = [bom];
  return (number) => {
    while (starts.length < number + 1) {
      const end = bytes.indexOf(10, starts.at(-1));
      if (end === -1) break;
      starts.push(end + 1);
    }
    const start = starts[number - 1];
    if (start === undefined || (start === bytes.length && number > 1)) return undefined;
    const next = starts[number];
    return withoutEnd(bytes.toString("utf8", start, next === undefined ? bytes.length : next - 1));
  };
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
