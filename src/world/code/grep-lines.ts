import type { GrepLine, ShownLines } from "../../contract/ports/code.js";
import type { Files, OpenFile } from "../../contract/ports/files.js";
import { linesOfOpen } from "./file-lines.js";
import type { GrepHit } from "./grep-program.js";
import { columnOf, maxShownLength, partAround } from "./show-matches.js";

/** Reads the lines to show through the call's own files. What cannot be read any more is left out. */
export interface GrepLineReader {
  /** Read lines of one file that will probably be shown, while others are still being searched. */
  prefetch(hits: readonly GrepHit[]): void;
  read(hits: readonly GrepHit[]): Promise<{ lines: GrepLine[]; shown: ShownLines[] }>;
}

/** `maxPrefetched`: matches that are prefetched at most. */
export function createGrepLineReader(files: Files, maxPrefetched: number): GrepLineReader {
  const memory = Buffer.allocUnsafeSlow(maxBytesInMemory);
  const prefetched = new Map<string, Promise<FileParts | undefined>>();
  let left = maxPrefetched;
  const readFile = async (hits: readonly GrepHit[]): Promise<FileParts | undefined> => {
    const open = await files.open((hits[0] as GrepHit).file).catch(() => undefined);
    if (open === undefined) return undefined;
    try {
      return readParts(open, readerOf(open, memory), hits);
    } finally {
      open.close();
    }
  };
  return {
    prefetch(hits) {
      const matches = hits.filter(({ isMatch }) => isMatch).length;
      if (matches > left) return;
      left -= matches;
      const parts = readFile(hits);
      parts.catch(() => {}); // thrown where the lines are needed
      prefetched.set((hits[0] as GrepHit).file, parts);
    },
    async read(hits) {
      const found: FoundLines = { lines: [], shown: [] };
      for (const ofFile of byFile(hits)) {
        const ahead = await prefetched.get((ofFile[0] as GrepHit).file);
        const isComplete = ahead !== undefined && ofFile.every(({ line }) => ahead.parts.has(line));
        const parts = isComplete ? ahead : await readFile(ofFile);
        if (parts !== undefined) addLines(found, parts, ofFile);
      }
      return found;
    },
  };
}

/** Hits in the order of their files, by file. */
function byFile(hits: readonly GrepHit[]): GrepHit[][] {
  const groups: GrepHit[][] = [];
  for (const hit of hits) {
    const last = groups.at(-1);
    if (last?.[0]?.file === hit.file) last.push(hit);
    else groups.push([hit]);
  }
  return groups;
}

/** What was read of a file, by line; `undefined` for a line that is not there any more. */
interface FileParts {
  readonly path: string;
  readonly identity: string;
  readonly parts: ReadonlyMap<number, ShownPart | undefined>;
}

function readParts(open: OpenFile, bytesAt: ReadBytes, hits: readonly GrepHit[]): FileParts {
  const lineAt =
    hasMark(bytesAt(0, 3)) || hits.some(({ offset }) => offset < 0) ? linesOfOpen(open) : undefined;
  const parts = new Map<number, ShownPart | undefined>();
  for (const { line, offset, column } of hits) {
    parts.set(line, lineAt === undefined ? readPart(bytesAt, offset, column) : partOf(lineAt(line), column));
  }
  return { path: open.path, identity: open.stat.identity, parts };
}

interface FoundLines {
  readonly lines: GrepLine[];
  readonly shown: ShownLines[];
}

function addLines(
  { lines, shown }: FoundLines,
  { path, identity, parts }: FileParts,
  hits: readonly GrepHit[],
): void {
  const about = { file: path, identity, isRealPath: true };
  for (const { file, line, isMatch } of hits) {
    const part = parts.get(line);
    if (part === undefined) continue;
    const { text, start, isEnd } = part;
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
