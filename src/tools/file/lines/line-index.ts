import { setImmediate as nextTurn } from "node:timers/promises";
import type { OpenFile } from "../../../contract/ports/files.js";
import { endOfNth } from "./line-ends-in.js";
import { type LineUnit, type NewlineCounter, unitValue, WINDOW } from "../../../text/newline-counter.js";

/** Where lines start in a large file, by blocks: a few kilobytes of memory for gigabytes of text. */
export interface LineIndex {
  readonly unit: LineUnit;
  /** Bytes of a block. */
  readonly block: number;
  /** Line ends before each block. */
  readonly before: Float64Array;
  readonly ends: number;
  /** The total number of lines; `undefined` if time ran out before the end of the file. */
  readonly total: number | undefined;
  /** Bytes that were counted. */
  readonly position: number;
}

export interface IndexOptions {
  readonly counter: NewlineCounter;
  readonly unit: LineUnit;
  readonly signal: AbortSignal;
  /** Milliseconds for counting. @default 20000 */
  readonly maxMs?: number;
  /** An index of the same file that is not complete, to continue. */
  readonly before?: LineIndex | undefined;
}

const MIN_BLOCK_BYTES = 64 * 1024;
const MAX_BLOCKS = 32 * 1024;
/** Milliseconds of work before the event loop gets a turn. */
const SLICE_MS = 8;

/** Count the lines of an open file; a lone carriage return ends a line only if the file has no line feeds. */
export async function indexLines(file: OpenFile, options: IndexOptions): Promise<LineIndex> {
  const unit = options.before?.unit ?? options.unit;
  const index = await scanLines(file, { ...options, unit });
  if (index.ends > 0 || index.total !== 1 || unit.mark === "\r") return index;
  const returns = await scanLines(file, { ...options, before: undefined, unit: { ...unit, mark: "\r" } });
  return returns.ends > 0 ? returns : index;
}

async function scanLines(
  file: OpenFile,
  { counter, unit, signal, maxMs = 20_000, before: known }: IndexOptions,
): Promise<LineIndex> {
  const block = blockSizeFor(file.stat.size);
  const before: number[] = [...(known?.before ?? [])];
  const { window } = counter;
  const deadline = performance.now() + maxMs;
  let until = performance.now() + SLICE_MS;
  let ends = known?.ends ?? 0;
  let position = known?.position ?? 0;
  const indexOf = (total: number | undefined): LineIndex => ({
    unit,
    block,
    before: Float64Array.from(before),
    ends,
    total,
    position,
  });
  for (;;) {
    const got = fillBuffer(file, window, position);
    for (let start = 0; start < got; start += MIN_BLOCK_BYTES) {
      if ((position + start) % block === 0) before.push(ends);
      const end = Math.min(start + MIN_BLOCK_BYTES, got);
      ends += counter.count(start, end - ((end - start) % unit.width), unit);
    }
    position += got;
    if (got < window.length) {
      const open = position > 0 && !endsWithUnit(window, { length: got, unit, file, position });
      return indexOf(ends + (open ? 1 : 0));
    }
    if (performance.now() < until) continue;
    if (performance.now() > deadline) return indexOf(undefined);
    await nextTurn();
    signal.throwIfAborted();
    until = performance.now() + SLICE_MS;
  }
}

/**
 * The byte at which a line starts (lines count from 1); `undefined` if the block that should contain it has a
 * different number of line ends because the file has changed.
 */
export function lineOffset(
  file: OpenFile,
  line: number,
  { index, counter }: { index: LineIndex; counter: NewlineCounter },
): number | undefined {
  if (line <= 1) return 0;
  const at = lastBlockBefore(index.before, line - 1);
  const first = index.before[at] ?? 0;
  let missing = line - 1 - first;
  let offset: number | undefined;
  let seen = 0;
  const start = at * index.block;
  for (let position = start; position < start + index.block; position += WINDOW) {
    const length = Math.min(WINDOW, start + index.block - position);
    const got = fillBuffer(file, counter.window.subarray(0, length), position);
    const ends = counter.count(0, got - (got % index.unit.width), index.unit);
    if (offset === undefined && ends >= missing) {
      offset = position + endOfNth(counter.window, { length: got, unit: index.unit, count: missing }).end;
    }
    missing -= ends;
    seen += ends;
    if (got < length) break;
  }
  return seen === (index.before[at + 1] ?? index.ends) - first ? offset : undefined;
}

/** Read until the buffer is full or the file ends. */
export function fillBuffer(file: OpenFile, buffer: Uint8Array, position: number): number {
  let filled = 0;
  while (filled < buffer.length) {
    const got = file.readInto(filled === 0 ? buffer : buffer.subarray(filled), position + filled);
    if (got === 0) break;
    filled += got;
  }
  return filled;
}

function blockSizeFor(size: number): number {
  let block = MIN_BLOCK_BYTES;
  while (size / block > MAX_BLOCKS) block *= 2;
  return block;
}

interface FileEnd {
  readonly length: number;
  readonly unit: LineUnit;
  readonly file: OpenFile;
  /** The position after the last byte. */
  readonly position: number;
}

function endsWithUnit(window: Uint8Array, { length, unit, file, position }: FileEnd): boolean {
  const { width } = unit;
  const last = Buffer.alloc(width);
  if (length >= width) last.set(window.subarray(length - width, length));
  else fillBuffer(file, last, position - width);
  return position % width === 0 && last.readUIntLE(0, width) === unitValue(unit);
}

function lastBlockBefore(before: Float64Array, ends: number): number {
  let low = 0;
  let high = before.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((before[middle] ?? 0) < ends) low = middle;
    else high = middle - 1;
  }
  return low;
}
