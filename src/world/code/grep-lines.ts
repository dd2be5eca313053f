import type { GrepLine, ShownLines } from "../../contract/ports/code.js";
import type { Files, OpenFile } from "../../contract/ports/files.js";
import { linesOfOpen } from "./file-lines.js";
import type { GrepHit } from "./grep-program.js";
import { columnOf, maxShownLength, partAround } from "./show-matches.js";

/** Read the lines to show through the call's own files. What cannot be read any more is left out. */
export async function readGrepLines(
  files: Files,
  hits: readonly GrepHit[],
): Promise<{ lines: GrepLine[]; shown: ShownLines[] }> {
  const lines: GrepLine[] = [];
  const shown: ShownLines[] = [];
  const memory = Buffer.allocUnsafeSlow(maxBytesInMemory);
  for (let at = 0; at < hits.length;) {
    const { file } = hits[at] as GrepHit;
    let end = at;
    while (hits[end]?.file === file) end += 1;
    const open = await files.open(file).catch(() => undefined);
    if (open !== undefined) {
      try {
        readFile(open, readerOf(open, memory), { hits: hits.slice(at, end), lines, shown });
      } finally {
        open.close();
      }
    }
    at = end;
  }
  return { lines, shown };
}

function readFile(
  open: OpenFile,
  bytesAt: ReadBytes,
  { hits, lines, shown }: { hits: readonly GrepHit[]; lines: GrepLine[]; shown: ShownLines[] },
): void {
  const { path, stat } = open;
  const about = { file: path, identity: stat.identity, isRealPath: true };
  const lineAt =
    hasMark(bytesAt(0, 3)) || hits.some(({ offset }) => offset < 0) ? linesOfOpen(open) : undefined;
  for (const { file, line, offset, column, isMatch } of hits) {
    const read = lineAt === undefined ? readPart(bytesAt, offset, column) : partOf(lineAt(line), column);
    if (read === undefined) continue;
    const { text, start, isEnd } = read;
    const isWhole = start === 0 && isEnd;
    lines.push({
      file,
      line,
      isMatch,
      ...(start > 0 && { startChar: start + 1 }),
      text: `${start > 0 ? "…" : ""}${text.toWellFormed()}${isEnd ? "" : "…"}`,
    });
    if (text.includes("\r") || text.includes("\uFFFD")) continue;
    const last = shown.at(-1);
    if (!isWhole) {
      shown.push({ ...about, start: line, lines: [], parts: [{ line, char: start + 1, text, isEnd }] });
    } else if (last?.file === path && last.lines.length > 0 && last.start + last.lines.length === line) {
      shown[shown.length - 1] = { ...last, lines: [...last.lines, text] };
    } else shown.push({ ...about, start: line, lines: [text] });
  }
}

/** The bytes of a file from a position on, at most `length` of them. */
type ReadBytes = (position: number, length: number) => Buffer;

/** Files of this size are read once for all their lines. */
const maxBytesInMemory = 1 << 17;

/** `memory` holds a small file until the next one is read. */
function readerOf(open: OpenFile, memory: Buffer): ReadBytes {
  const { size } = open.stat;
  const read = (bytes: Buffer, position: number): Buffer => bytes.subarray(0, open.readInto(bytes, position));
  if (size > memory.length) return (position, length) => read(Buffer.allocUnsafe(length), position);
  const all = read(memory.subarray(0, size), 0);
  return (position, length) => all.subarray(position, position + length);
}

/** What is shown of a line: a part of its text that begins at the index `start`. */
interface ShownPart {
  readonly text: string;
  readonly start: number;
  readonly isEnd: boolean;
}

function partOf(line: string | undefined, column: number): ShownPart | undefined {
  return line === undefined ? undefined : partAround(line, columnOf(line, column) - 1);
}

/** Bytes that are read of a line after the start of a match. */
const bytesAfter = 4 * maxShownLength + 8;
/** Where a match is further into a line, the start of the line is shown. */
const maxColumn = 32 * 1024 * 1024;

/** The part to show of the line that begins at a byte. */
function readPart(bytesAt: ReadBytes, offset: number, column: number): ShownPart | undefined {
  const shown = column > maxColumn ? 1 : column;
  return partOf(lineAtByte(bytesAt, offset, shown + bytesAfter), shown);
}

/** Offsets of files with a byte order mark are those of the decoded text. */
function hasMark([first, second, third]: Buffer): boolean {
  if (first === 0xef) return second === 0xbb && third === 0xbf;
  return (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
}

/** The line that begins at a byte, as far as it fits; `undefined` if no line begins there any more. */
function lineAtByte(bytesAt: ReadBytes, offset: number, maxBytes: number): string | undefined {
  const from = Math.max(0, offset - 1);
  const bytes = bytesAt(from, maxBytes + 1);
  if (offset > 0 && bytes[0] !== 10) return undefined;
  const start = offset - from;
  const end = bytes.indexOf(10, start);
  return bytes.toString("utf8", start, end === -1 ? bytes.length : end).replace(/\r$/, "");
}
