import { closeSync, openSync } from "node:fs";
import type { AuditQuery, AuditRecord } from "../../contract/ports/audit.js";
import { compileQuery } from "./compile-query.js";
import { linesPerSegment } from "./line.js";
import { readPart } from "./read-lines.js";
import { parseLine, type SegmentIndex } from "./segment-index.js";
import { linesPerBlock } from "./text-filter.js";
import { TextBlocks } from "./text-blocks.js";

/** A segment and what is known of it. */
export interface Found {
  readonly segment: number;
  readonly index: SegmentIndex;
}

/** Which records come after the position at which a page starts. */
export interface Start {
  readonly ended: number;
  readonly seq: number;
}

export interface CursorOptions {
  readonly query: AuditQuery;
  readonly start: Start | undefined;
  readonly way: "up" | "down";
}

/** How many blocks of lines may still be searched before the event loop gets a turn. */
export interface Turn {
  blocks: number;
}

/** Walks the rows of one segment that fit a query. */
export class Cursor {
  readonly #found: Found;
  readonly #file: string;
  readonly #fits: (row: number) => boolean;
  readonly #step: 1 | -1;
  readonly #text: TextBlocks | undefined;
  readonly #since: number;
  #row: number;
  #record: AuditRecord | undefined;
  #fd: number | undefined;

  constructor(file: string, found: Found, { query, start, way }: CursorOptions) {
    this.#found = found;
    this.#file = file;
    const { index } = found;
    const fits = compileQuery(index, query);
    this.#since = query.since ?? Number.NEGATIVE_INFINITY;
    this.#step = way === "up" ? 1 : -1;
    const seqOf = (row: number): number => found.segment * linesPerSegment + row;
    const isBefore = (row: number): boolean =>
      start === undefined ||
      index.ended.at(row) < start.ended ||
      (index.ended.at(row) === start.ended && seqOf(row) < start.seq);
    this.#fits = (row) => fits !== undefined && isBefore(row) && fits(row);
    this.#row = fits === undefined ? -1 : way === "up" ? 0 : index.rows - 1;
    if (query.text !== undefined && query.text !== "") this.#text = new TextBlocks(index, query.text);
  }

  /** Go on to the next row that fits, or to the end; `false` if the turn ended before that. */
  seek(turn: Turn): boolean {
    const { index } = this.#found;
    while (this.#record === undefined && this.#row >= 0 && this.#row < index.rows) {
      // What ended before the time that is asked for also came before it, and so did all further down.
      if (this.#step < 0 && index.ended.at(this.#row) < this.#since) this.#row = -1;
      else if (this.#text?.isRead(this.#row) === false) {
        if (turn.blocks-- <= 0) return false;
        if (!this.#text.read(this.#row, () => this.#open())) this.#skipBlock();
      } else {
        if (this.#fits(this.#row)) this.#record = this.#read(this.#row);
        if (this.#record === undefined) this.#row += this.#step;
      }
    }
    return true;
  }

  /** Whether the cursor is on a row. */
  get isThere(): boolean {
    return this.#record !== undefined;
  }

  take(): AuditRecord {
    const record = this.#record as AuditRecord;
    this.#record = undefined;
    this.#row += this.#step;
    return record;
  }

  /**
   * Whether its record comes first in the direction of the walk. One that was not sought yet stands before its record,
   * so that where this is false there is no need to seek.
   */
  isAhead(other: Cursor): boolean {
    const own = this.#found.index.ended.at(this.#row);
    const theirs = other.#found.index.ended.at(other.#row);
    return (own === theirs ? this.#found.segment > other.#found.segment : own > theirs) === this.#step < 0;
  }

  close(): void {
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = undefined;
  }

  #open(): number {
    return (this.#fd ??= openSync(this.#file, "r"));
  }

  /** Skip the lines of a block that does not contain the text. */
  #skipBlock(): void {
    const block = Math.floor(this.#row / linesPerBlock);
    this.#row = this.#step > 0 ? (block + 1) * linesPerBlock : block * linesPerBlock - 1;
  }

  #read(row: number): AuditRecord | undefined {
    if (this.#text !== undefined) return this.#text.recordAt(row);
    const { index } = this.#found;
    return parseLine(readPart(this.#open(), index.offset.at(row), index.length.at(row)));
  }
}
