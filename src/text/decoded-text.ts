export type LineEnding = "lf" | "crlf" | "cr" | "mixed" | "none";

/** The text of a file, and the position of each of its characters in the bytes. */
export interface DecodedText {
  /** Without the BOM; a byte that is not text becomes one U+FFFD. Decoded on first use. */
  readonly text: string;
  readonly encoding: string;
  readonly bom: boolean;
  readonly lineEnding: LineEnding;
  /** The byte at which the character of that UTF-16 index begins (in the file, BOM counted). */
  byteOffset(index: number): number;
  /** The bytes of a fragment in this encoding; `undefined` where it cannot be written in it. */
  encode(fragment: string): Uint8Array | undefined;
  /** Whether these characters would be encoded to precisely the bytes they came from. */
  isExact(start: number, end: number): boolean;
}

/** What differs between families of encodings; offsets are those of the bytes after the BOM. */
export interface Decoding {
  readonly text: string;
  readonly byteOffset: (index: number) => number;
  readonly isExact: (start: number, end: number) => boolean;
}
