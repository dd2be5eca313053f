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
  for (let at = 0; at < hits.length;) {
    const { file } = hits[at] as GrepHit;
    let end = at;
    while (hits[end]?.file === file) end += 1;
    const open = await files.open(file).catch(() => undefined);
    if (open !== undefined) {
      try {
        readFile(open, hits.slice(at, end), { lines, shown });
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
  hits: readonly GrepHit[],
  { lines, shown }: { lines: GrepLine[]; shown: ShownLines[] },
): void {
  const { path, stat } = open;
  const source = inMemory(open, hits.length);
  const about = { file: path, identity: stat.identity, isRealPath: true };
  const lineAt = hasMark(source) || hits.some(({ offset }) => offset < 0) ? linesOfOpen(open) : undefined;
  for (const { file, line, offset, column, isMatch } of hits) {
    const read = lineAt === undefined ? readPart(source, offset, column) : partOf(lineAt(line), column);
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

/** Where bytes of a file are read from. */
type ByteSource = Pick<OpenFile, "readInto">;

/** Files of this size are read once for all their lines. */
const maxBytesInMemory = 1 << 17;

function inMemory(open: OpenFile, hits: number): ByteSource {
  const { size } = open.stat;
  if (hits < 2 || size > maxBytesInMemory) return open;
  const bytes = Buffer.allocUnsafe(size);
  const got = open.readInto(bytes, 0);
  return {
    readInto: (buffer, position) => (position >= got ? 0 : bytes.copy(buffer, 0, position, got)),
  };
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
function readPart(open: ByteSource, offset: number, column: number): ShownPart | undefined {
  const shown = column > maxColumn ? 1 : column;
  return partOf(lineAtByte(open, offset, shown + bytesAfter), shown);
}

/** Offsets of files with a byte order mark are those of the decoded text. */
function hasMark(open: ByteSource): boolean {
  const head = Buffer.alloc(3);
  const got = open.readInto(head, 0);
  return (got >= 2 && /^(fffe|feff)/.test(head.toString("hex"))) || head.toString("hex") === "efbbbf";
}

/** The line that begins at a byte, as far as it fits; `undefined` if no line begins there any more. */
function lineAtByte(open: ByteSource, offset: number, maxBytes: number): string | undefined {
  const from = Math.max(0, offset - 1);
  const bytes = Buffer.allocUnsafe(maxBytes + 1);
  const got = open.readInto(bytes, from);
  if (offset > 0 && (got === 0 || bytes[0] !== 10)) return undefined;
  const start = offset - from;
  const end = bytes.indexOf(10, start);
  const stop = end === -1 || end > got ? got : end;
  return bytes.toString("utf8", start, stop).replace(/\r$/, "");
}
