import type { AuditRecord } from "../../contract/ports/audit.js";
import { readPart } from "./read-lines.js";
import { parseLine, type SegmentIndex } from "./segment-index.js";
import { linesPerBlock, slotsOf } from "./text-filter.js";

/**
 * Looks for a text in the lines of a segment, a block of lines at a time: one read and one look through the block cost
 * about a tenth of what they cost for each line.
 */
export class TextBlocks {
  readonly #index: SegmentIndex;
  /** The text as it stands in a line of JSON. */
  readonly #needle: string;
  readonly #slots: readonly number[];
  readonly #isAscii: boolean;
  #block = -1;
  #base = 0;
  #bytes: Buffer = Buffer.alloc(0);
  /** Rows of the block whose lines have the text anywhere. */
  #rows: ReadonlySet<number> = new Set();

  constructor(index: SegmentIndex, text: string) {
    this.#index = index;
    this.#needle = JSON.stringify(text).slice(1, -1).toLowerCase();
    this.#slots = slotsOf(this.#needle);
    // oxlint-disable-next-line no-control-regex -- all of ASCII
    this.#isAscii = /^[\x00-\x7f]*$/.test(this.#needle);
  }

  /** Whether the block of a row is at hand. */
  isRead(row: number): boolean {
    return blockOf(row) === this.#block;
  }

  /** Read the block of a row; `false` if no line of it has the text. */
  read(row: number, open: () => number): boolean {
    const block = blockOf(row);
    if (!this.#index.filter.mayHold(block, this.#slots)) return false;
    const { offset, length, rows } = this.#index;
    const first = block * linesPerBlock;
    const last = Math.min(rows, first + linesPerBlock) - 1;
    const base = offset.at(first);
    const bytes = readPart(open(), base, offset.at(last) + length.at(last) - base);
    const found = this.#isAscii ? this.#findAscii(bytes, first, last) : this.#findAny(bytes, first, last);
    if (found.size === 0) return false;
    this.#block = block;
    this.#base = base;
    this.#bytes = bytes;
    this.#rows = found;
    return true;
  }

  /** The record of a row of the block that was read, if its tool, arguments or error have the text. */
  recordAt(row: number): AuditRecord | undefined {
    if (!this.#rows.has(row)) return undefined;
    const record = parseLine(this.#lineAt(this.#bytes, this.#base, row));
    if (record === undefined) return undefined;
    const { tool, arguments: args, error } = record;
    return JSON.stringify([tool, args, error]).toLowerCase().includes(this.#needle) ? record : undefined;
  }

  /** The bytes of ASCII are the same whatever stands around them. */
  #findAscii(bytes: Buffer, first: number, last: number): ReadonlySet<number> {
    const text = bytes.toString("latin1").toLowerCase();
    const found = new Set<number>();
    const { offset } = this.#index;
    const base = offset.at(first);
    let row = first;
    for (let at = text.indexOf(this.#needle); at >= 0 && row <= last;) {
      while (row < last && offset.at(row + 1) - base <= at) row++;
      found.add(row);
      at = text.indexOf(this.#needle, offset.at(++row) - base);
    }
    return found;
  }

  #findAny(bytes: Buffer, first: number, last: number): ReadonlySet<number> {
    const base = this.#index.offset.at(first);
    const found = new Set<number>();
    for (let row = first; row <= last; row++)
      if (this.#lineAt(bytes, base, row).toString().toLowerCase().includes(this.#needle)) found.add(row);
    return found;
  }

  #lineAt(bytes: Buffer, base: number, row: number): Buffer {
    const start = this.#index.offset.at(row) - base;
    return bytes.subarray(start, start + this.#index.length.at(row));
  }
}

function blockOf(row: number): number {
  return Math.floor(row / linesPerBlock);
}
