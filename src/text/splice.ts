/** A run of bytes to take out and what to put there; offsets are those of the untouched file. */
export interface Splice {
  readonly start: number;
  readonly end: number;
  readonly data: Uint8Array;
}

/** Lines of the old text, counted from 1, both ends included. */
export interface LineSpan {
  readonly startLine: number;
  readonly endLine: number;
}
