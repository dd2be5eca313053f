import { setImmediate as nextTurn } from "node:timers/promises";
import type { OpenFile } from "../../../contract/ports/files.js";
import { endOfNth } from "./line-ends-in.js";
import { type LineUnit, type NewlineCounter, unitValue, WINDOW } from "./newline-counter.js";

/** Where lines begin in a large file, by blocks: a few kilobytes for gigabytes. */
export interface LineIndex {
  readonly unit: LineUnit;
  /** Bytes of a block. */
  readonly block: number;
  /** Line ends before each block. */
  readonly before: Float64Array;
  readonly ends: number;
  /** Lines in all; `undefined` where time ran out before the end of the file. */
  readonly total: number | undefined;
}

export interface IndexOptions {
  readonly counter: NewlineCounter;
  readonly unit: LineUnit;
  readonly signal: AbortSignal;
  /** Milliseconds for counting. @default 20000 */
  readonly maxMs?: number;
}

const SMALLEST_BLOCK = 64 * 1024;
const MOST_BLOCKS = 32 * 1024;
/** Milliseconds of work after which others get their turn. */
const SLICE = 8;

/** Count the lines of an open file; a lone carriage return ends a line only where no line feed does. */
export async function indexLines(file: OpenFile, options: IndexOptions): Promise<LineIndex> {
  const index = await scan(file, options);
  if (index.ends > 0 || index.total !== 1 || options.unit.mark === "\r") return index;
  const returns = await scan(file, { ...options, unit: { ...options.unit, mark: "\r" } });
  return returns.ends > 0 ? returns : index;
}

async function scan(
  file: OpenFile,
  { counter, unit, signal, maxMs = 20_000 }: IndexOptions,
): Promise<LineIndex> {
  const block = blockFor(file.stat.size);
  const before: number[] = [];
  const { window } = counter;
  const deadline = performance.now() + maxMs;
  let until = performance.now() + SLICE;
  let ends = 0;
  let position = 0;
  for (;;) {
    const got = fill(file, window, position);
    for (let start = 0; start < got; start += SMALLEST_BLOCK) {
      if ((position + start) % block === 0) before.push(ends);
      const end = Math.min(start + SMALLEST_BLOCK, got);
      ends += counter.count(start, end - ((end - start) % unit.width), unit);
    }
    position += got;
    if (got < window.length) {
      const open = position > 0 && !endsWithUnit(window, { length: got, unit, file, position });
      return { unit, block, before: Float64Array.from(before), ends, total: ends + (open ? 1 : 0) };
    }
    if (performance.now() < until) continue;
    if (performance.now() > deadline) {
      return { unit, block, before: Float64Array.from(before), ends, total: undefined };
    }
    await nextTurn();
    signal.throwIfAborted();
    until = performance.now() + SLICE;
  }
}

/**
 * The byte at which a line begins (lines from 1); `undefined` where the block that should hold it is not as
 * it was counted, because the file has changed.
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
    const got = fill(file, counter.window.subarray(0, length), position);
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
export function fill(file: OpenFile, buffer: Uint8Array, position: number): number {
  let filled = 0;
  while (filled < buffer.length) {
    const got = file.readInto(filled === 0 ? buffer : buffer.subarray(filled), position + filled);
    if (got === 0) break;
    filled += got;
  }
  return filled;
}

function blockFor(size: number): number {
  let block = SMALLEST_BLOCK;
  while (size / block > MOST_BLOCKS) block *= 2;
  return block;
}

interface Ending {
  readonly length: number;
  readonly unit: LineUnit;
  readonly file: OpenFile;
  /** Behind the last byte. */
  readonly position: number;
}

function endsWithUnit(window: Uint8Array, { length, unit, file, position }: Ending): boolean {
  const { width } = unit;
  const last = Buffer.alloc(width);
  if (length >= width) last.set(window.subarray(length - width, length));
  else fill(file, last, position - width);
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
