import type { DecodedText } from "./decoded-text.js";
import { countOf } from "./line-ends.js";

/**
 * Where a text is searched. UTF-8 is searched as bytes, without decoding the file: a well-formed sequence is
 * only ever found where that character stands. Other encodings are searched as decoded text. Either way
 * what is searched is a string ("packed") in which line ends, blanks and tabs are themselves.
 */
export interface SearchSpace {
  /** Whether it is the bytes of the file, after a BOM, that are searched. */
  readonly isBytes: boolean;
  readonly length: number;
  /** All of it as one packed string, made on first use. */
  readonly packed: string;
  slice(start: number, end: number): string;
  /** A function that finds a packed string at or after an index; -1 where there is no more. */
  finder(packed: string): (from: number) => number;
  /** How many line feeds (or, where there are none, carriage returns) lie between two indices. */
  countLineEnds(start: number, end: number): number;
  readonly pack: (text: string) => string;
  /** The bytes of a packed string; `undefined` where the encoding has no code for a character. */
  toBytes(packed: string): Uint8Array | undefined;
  byteOffset(index: number): number;
  isExact(start: number, end: number): boolean;
  /** Whether a packed string can be cut here without cutting a character. */
  canCut(packed: string, index: number): boolean;
}

export function createSearchSpace(bytes: Uint8Array, decoded: DecodedText): SearchSpace {
  if (decoded.encoding !== "utf8") return createTextSpace(decoded);
  return createByteSpace(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), decoded.bom ? 3 : 0);
}

function createTextSpace(decoded: DecodedText): SearchSpace {
  const { text } = decoded;
  const mark = text.includes("\n") ? "\n" : "\r";
  return {
    isBytes: false,
    length: text.length,
    packed: text,
    slice: (start, end) => text.slice(start, end),
    finder: (packed) => (from) => text.indexOf(packed, from),
    countLineEnds: (start, end) => countOf(text, mark, start, end),
    pack: (plain) => plain,
    toBytes: (packed) => decoded.encode(packed),
    byteOffset: (index) => decoded.byteOffset(index),
    isExact: (start, end) => decoded.isExact(start, end),
    canCut: isNoLowSurrogate,
  };
}

function createByteSpace(file: Buffer, bomLength: number): SearchSpace {
  const body = file.subarray(bomLength);
  let packed: string | undefined;
  let mark: number | undefined;
  return {
    isBytes: true,
    length: body.length,
    get packed() {
      packed ??= body.toString("latin1");
      return packed;
    },
    slice: (start, end) => packed?.slice(start, end) ?? body.toString("latin1", start, end),
    finder(wanted) {
      const needle = Buffer.from(wanted, "latin1");
      return (from) => (from > body.length ? -1 : body.indexOf(needle, from));
    },
    countLineEnds(start, end) {
      mark ??= body.includes(0x0a) ? 0x0a : 0x0d;
      const range = [start, Math.min(end, body.length)] as const;
      const isSmall = end - start <= sampleBytes;
      return (isSmall || hasLongLines(body, mark, range) ? countByJumps : countByte)(body, mark, range);
    },
    // What is plain ASCII packs to itself, and a patch has many such lines.
    pack: (text) => (isAscii.test(text) ? text : Buffer.from(text, "utf8").toString("latin1")),
    toBytes: (bytes) => Buffer.from(bytes, "latin1"),
    byteOffset: (index) => bomLength + index,
    // Only whole, well-formed sequences are found or cut at, and these encode to themselves.
    isExact: () => true,
    canCut: isNoContinuation,
  };
}

// oxlint-disable-next-line no-control-regex -- control characters are ASCII, too
const isAscii = /^[\0-\x7F]*$/;

const sampleBytes = 1 << 13;
const longLine = 64;

/** Judged by the first bytes. */
function hasLongLines(bytes: Buffer, mark: number, [from, to]: readonly [number, number]): boolean {
  const end = Math.min(from + sampleBytes, to);
  return countByte(bytes, mark, [from, end]) * longLine < end - from;
}

/** From one to the next: twice as fast where lines are long. */
function countByJumps(bytes: Buffer, wanted: number, [from, to]: readonly [number, number]): number {
  const part = bytes.subarray(from, to);
  let count = 0;
  for (let at = part.indexOf(wanted); at !== -1; at = part.indexOf(wanted, at + 1)) count += 1;
  return count;
}

/** Eight bytes at a time: no native function counts. */
function countByte(bytes: Buffer, wanted: number, [from, to]: readonly [number, number]): number {
  const aligned = from + (-(bytes.byteOffset + from) & 3);
  const wordCount = (to - aligned) >> 2;
  if (wordCount < 8) return countOneByOne(bytes, wanted, [from, to]);
  const words = new Int32Array(bytes.buffer, bytes.byteOffset + aligned, wordCount);
  const pattern = wanted * 0x01010101;
  let count = 0;
  for (let at = 0; at + 1 < wordCount; at += 2) {
    const one = (words[at] ?? 0) ^ pattern;
    const two = (words[at + 1] ?? 0) ^ pattern;
    // Most pairs of words have no byte that is equal, and this much tells.
    const some = (((one - 0x01010101) & ~one) | ((two - 0x01010101) & ~two)) & 0x80808080;
    if (some !== 0) count += zeroBytes(one) + zeroBytes(two);
  }
  const rest = countOneByOne(bytes, wanted, [aligned + (wordCount & ~1) * 4, to]);
  return count + countOneByOne(bytes, wanted, [from, aligned]) + rest;
}

function zeroBytes(word: number): number {
  const tops = ~(((word & 0x7f7f7f7f) + 0x7f7f7f7f) | word | 0x7f7f7f7f);
  return Math.imul(tops >>> 7, 0x01010101) >>> 24;
}

function countOneByOne(bytes: Buffer, wanted: number, [from, to]: readonly [number, number]): number {
  let count = 0;
  for (let at = from; at < to; at += 1) {
    if (bytes[at] === wanted) count += 1;
  }
  return count;
}

function isNoLowSurrogate(text: string, index: number): boolean {
  const unit = text.charCodeAt(index);
  return !(unit >= 0xdc00 && unit <= 0xdfff);
}

function isNoContinuation(packed: string, index: number): boolean {
  return (packed.charCodeAt(index) & 0xc0) !== 0x80;
}
