import type { FileHandle } from "node:fs/promises";
import { lastAtOrBefore } from "../../text/last-at-or-before.js";

/** Where lines begin, learnt as far as the file was read; a page far down starts at the nearest mark. */
export interface LineIndex {
  /** Bytes that were looked at. */
  scanned: number;
  /** Newlines among them. */
  newlines: number;
  /** Whether the last byte that was looked at ended a line. */
  endsLine: boolean;
  /** `[offset, line]` of lines that begin there, one for about every megabyte. */
  readonly marks: (readonly [offset: number, line: number])[];
}

const chunkBytes = 128 * 1024;
const markEvery = 1024 * 1024;
const newline = 10;

/** An index that knows nothing yet. */
export function createLineIndex(): LineIndex {
  return { scanned: 0, newlines: 0, endsLine: true, marks: [[0, 1]] };
}

/** Number of lines; a last one without an end counts. */
export function countLines({ newlines, endsLine }: LineIndex): number {
  return endsLine ? newlines : newlines + 1;
}

/** Read on to the end of the file and note where lines begin. */
export async function extendIndex(index: LineIndex, file: FileHandle): Promise<void> {
  for await (const chunk of readChunks(file, index.scanned)) {
    const base = index.scanned;
    for (let at = 0; at < chunk.length; at++) {
      if (chunk[at] !== newline) continue;
      index.newlines += 1;
      const offset = base + at + 1;
      if (offset - (index.marks.at(-1)?.[0] ?? 0) >= markEvery)
        index.marks.push([offset, index.newlines + 1]);
    }
    index.scanned += chunk.length;
    index.endsLine = chunk.at(-1) === newline;
  }
}

/** A file piece by piece. Each piece is the same buffer: it must be used before the next one is asked for. */
export async function* readChunks(file: FileHandle, from: number): AsyncGenerator<Buffer, void, void> {
  const buffer = Buffer.allocUnsafe(chunkBytes);
  for (let offset = from; ;) {
    const { bytesRead } = await file.read(buffer, 0, chunkBytes, offset);
    if (bytesRead === 0) return;
    yield buffer.subarray(0, bytesRead);
    offset += bytesRead;
  }
}

/** Where a line begins, or the end of the file where there are not so many. */
export async function offsetOfLine(file: FileHandle, index: LineIndex, line: number): Promise<number> {
  const [from, first] = markBefore(index, line);
  let missing = line - first;
  if (missing === 0) return from;
  let offset = from;
  for await (const chunk of readChunks(file, from)) {
    for (let at = 0; at < chunk.length; at++) {
      if (chunk[at] === newline && --missing === 0) return offset + at + 1;
    }
    offset += chunk.length;
  }
  return offset;
}

/** The number of the line that a byte stands in. */
export async function lineAt(file: FileHandle, { marks }: LineIndex, offset: number): Promise<number> {
  const [from, first] = marks.findLast(([mark]) => mark <= offset) ?? [0, 1];
  let line = first;
  let at = from;
  for await (const chunk of readChunks(file, from)) {
    line += countNewlines(chunk.subarray(0, Math.max(0, offset - at)));
    at += chunk.length;
    if (at >= offset) break;
  }
  return line;
}

/** How many lines end in a piece. */
export function countNewlines(block: Uint8Array): number {
  let count = 0;
  for (let at = 0; at < block.length; at++) if (block[at] === newline) count += 1;
  return count;
}

/** The last mark at or before a line. */
function markBefore({ marks }: LineIndex, line: number): readonly [offset: number, line: number] {
  return marks[lastAtOrBefore(marks.length, (at) => marks[at]?.[1] ?? 0, line)] ?? [0, 1];
}
