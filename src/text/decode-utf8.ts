import { isUtf8 } from "node:buffer";
import type { Decoding } from "./decoded-text.js";
import { createPieceMap, type Piece } from "./piece-map.js";

/** Decode UTF-8; broken bytes become one U+FFFD each, and nothing near them is lost. */
export function decodeUtf8(bytes: Buffer): Decoding {
  const decoded = isUtf8(bytes)
    ? { text: bytes.toString("utf8"), pieces: [{ charStart: 0, byteStart: 0, exact: true }] }
    : decodeBroken(bytes);
  const { text } = decoded;
  // As many characters as bytes and nothing broken: all of it is ASCII, and offsets are indices.
  if (text.length === bytes.length && decoded.pieces.every((piece) => piece.exact)) {
    return { text, byteOffset: (index) => Math.max(0, Math.min(index, text.length)), isExact: () => true };
  }
  return createPieceMap({ ...decoded, byteLength: bytes.length, sizeOf: utf8Size, canCut: isCharBoundary });
}

/** Whether an index does not lie between the halves of a surrogate pair. */
export function isCharBoundary(text: string, index: number): boolean {
  const after = text.charCodeAt(index);
  if (!(after >= 0xdc00 && after <= 0xdfff)) return true;
  const before = text.charCodeAt(index - 1);
  return !(before >= 0xd800 && before <= 0xdbff);
}

function utf8Size(text: string): number {
  return Buffer.byteLength(text, "utf8");
}

const blockSize = 1 << 16;

interface Growing {
  readonly parts: string[];
  readonly pieces: Piece[];
  chars: number;
}

/** Whole blocks are checked natively; only those with a fault are walked byte by byte. */
function decodeBroken(bytes: Buffer): { text: string; pieces: Piece[] } {
  const out: Growing = { parts: [], pieces: [], chars: 0 };
  let at = 0;
  while (at < bytes.length) {
    const end = blockEnd(bytes, at);
    if (isUtf8(bytes.subarray(at, end))) addValid(out, bytes, [at, end]);
    else walkBlock(out, bytes, [at, end]);
    at = end;
  }
  return { text: out.parts.join(""), pieces: out.pieces };
}

/** A block ends before a byte that can begin a character, so that none is cut. */
function blockEnd(bytes: Buffer, start: number): number {
  const far = start + blockSize;
  if (far >= bytes.length) return bytes.length;
  for (let end = far; end > far - 4; end -= 1) {
    if (((bytes[end] ?? 0) & 0xc0) !== 0x80) return end;
  }
  return far;
}

function walkBlock(out: Growing, bytes: Buffer, [start, end]: readonly [number, number]): void {
  const units = new Uint16Array(end - start);
  let count = 0;
  for (let at = start; at < end;) {
    const size = sequenceLength(bytes, at, end);
    addPiece(out, { byteStart: at, charStart: out.chars + count, exact: size > 0 });
    count = addUnits(units, count, size > 0 ? codePointAt(bytes, at, size) : 0xfffd);
    at += Math.max(1, size);
  }
  out.parts.push(Buffer.from(units.buffer, 0, count * 2).toString("utf16le"));
  out.chars += count;
}

function codePointAt(bytes: Buffer, at: number, size: number): number {
  const lead = bytes[at] ?? 0;
  let point = size === 1 ? lead : lead & (0x7f >> size);
  for (let next = at + 1; next < at + size; next += 1) point = (point << 6) | ((bytes[next] ?? 0) & 0x3f);
  return point;
}

function addUnits(units: Uint16Array, count: number, point: number): number {
  if (point < 0x10000) {
    units[count] = point;
    return count + 1;
  }
  units[count] = 0xd7c0 + (point >> 10);
  units[count + 1] = 0xdc00 + (point & 0x3ff);
  return count + 2;
}

function addValid(out: Growing, bytes: Buffer, [start, end]: readonly [number, number]): void {
  addPiece(out, { byteStart: start, charStart: out.chars, exact: true });
  const text = bytes.toString("utf8", start, end);
  out.parts.push(text);
  out.chars += text.length;
}

/** Joins adjacent pieces of one kind. */
function addPiece(out: Growing, piece: Piece): void {
  if (out.pieces.at(-1)?.exact !== piece.exact) out.pieces.push(piece);
}

/** How many bytes the well-formed character at this byte has; 0 where there is none (Unicode, table 3-7). */
export function sequenceLength(bytes: Buffer, at: number, end: number): number {
  const lead = bytes[at] ?? 0;
  if (lead < 0x80) return 1;
  const length = lead >= 0xc2 && lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  if (lead < 0xc2 || lead > 0xf4 || at + length > end) return 0;
  const second = bytes[at + 1] ?? 0;
  const low = lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80;
  const high = lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf;
  if (second < low || second > high) return 0;
  for (let next = at + 2; next < at + length; next += 1) {
    if (((bytes[next] ?? 0) & 0xc0) !== 0x80) return 0;
  }
  return length;
}
