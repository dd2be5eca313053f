import { decodeOpaque } from "./decode-fixed.js";
import { isCharBoundary } from "./decode-utf8.js";
import type { Decoding } from "./decoded-text.js";
import { loadIconv } from "./libraries.js";
import { createPieceMap, type Piece } from "./piece-map.js";

/** Decode an encoding whose characters take one to four bytes (GB18030, Shift_JIS, EUC, Big5). */
export function decodeMultiByte(bytes: Buffer, encoding: string): Decoding {
  const codec = createCodec(encoding);
  const whole = codec.decode(bytes);
  const decoded = codec.encode(whole).equals(bytes)
    ? { text: whole, pieces: [{ charStart: 0, byteStart: 0, exact: true }] }
    : decodeByChunk(bytes, codec);
  return decoded === undefined ? decodeOpaque(whole, bytes.length) : mapPieces(decoded, codec, bytes.length);
}

/** Decode an encoding that is exact as a whole or not at all (UTF-32, CESU-8). */
export function decodeWhole(bytes: Buffer, encoding: string): Decoding {
  const codec = createCodec(encoding);
  const text = codec.decode(bytes);
  if (!codec.encode(text).equals(bytes)) return decodeOpaque(text, bytes.length);
  return mapPieces({ text, pieces: [{ charStart: 0, byteStart: 0, exact: true }] }, codec, bytes.length);
}

interface Codec {
  decode(bytes: Buffer): string;
  encode(text: string): Buffer;
}

function createCodec(encoding: string): Codec {
  const iconv = loadIconv();
  return {
    decode: (bytes) => iconv.decode(bytes, encoding, { stripBOM: false }),
    encode: (text) => iconv.encode(text, encoding, { addBOM: false }),
  };
}

function mapPieces(decoded: Decoded, codec: Codec, byteLength: number): Decoding {
  return createPieceMap({
    ...decoded,
    byteLength,
    sizeOf: (text) => codec.encode(text).length,
    canCut: (text, index) => canCut(codec, text, index),
  });
}

/** Some tables have one code for two characters (a letter and its accent); these must not be separated. */
function canCut(codec: Codec, text: string, index: number): boolean {
  if (!isCharBoundary(text, index)) return false;
  if (index <= 0 || index >= text.length) return true;
  const before = text.slice(index - (isCharBoundary(text, index - 1) ? 1 : 2), index);
  const after = text.slice(index, index + (isCharBoundary(text, index + 1) ? 1 : 2));
  return codec.encode(before + after).equals(Buffer.concat([codec.encode(before), codec.encode(after)]));
}

interface Decoded {
  readonly text: string;
  readonly pieces: readonly Piece[];
}

/** Text with more errors than this is not in that encoding, and walking it would take seconds. */
const maxWalked = 1 << 17;

function decodeByChunk(bytes: Buffer, codec: Codec): Decoded | undefined {
  const parts: string[] = [];
  const pieces: Piece[] = [];
  let chars = 0;
  let walked = 0;
  const add = (byteStart: number, text: string, exact: boolean): void => {
    if (!exact || pieces.at(-1)?.exact !== true) pieces.push({ charStart: chars, byteStart, exact });
    parts.push(text);
    chars += text.length;
  };
  for (let start = 0, end = 0; start < bytes.length; start = end) {
    end = chunkEnd(bytes, start);
    const chunk = bytes.subarray(start, end);
    const text = codec.decode(chunk);
    if (codec.encode(text).equals(chunk)) {
      add(start, text, true);
      continue;
    }
    walked += chunk.length;
    if (walked > maxWalked) return undefined;
    walkChunk(chunk, codec, (at, char, exact) => add(start + at, char, exact));
  }
  return { text: parts.join(""), pieces };
}

/** Bytes below "0" never continue a longer character in any of these encodings: an invalid one ends there. */
function chunkEnd(bytes: Buffer, start: number): number {
  for (let at = start + 64; at < bytes.length; at += 1) {
    if ((bytes[at] ?? 0) < 0x30) return at + 1;
  }
  return bytes.length;
}

function walkChunk(
  chunk: Buffer,
  codec: Codec,
  add: (at: number, text: string, exact: boolean) => void,
): void {
  for (let at = 0; at < chunk.length;) {
    const char = characterAt(chunk, at, codec);
    add(at, char.text, char.exact);
    at += char.size;
  }
}

/** The character at this byte: exact, or one that would be written with other bytes, or a broken byte. */
function characterAt(
  chunk: Buffer,
  at: number,
  codec: Codec,
): { text: string; size: number; exact: boolean } {
  for (let size = 1; size <= 4 && at + size <= chunk.length; size += 1) {
    const bytes = chunk.subarray(at, at + size);
    const text = codec.decode(bytes);
    if (text.includes("\uFFFD") || text.length > 2) continue;
    const exact = codec.encode(text).equals(bytes);
    if (exact || text.length === 1) return { text, size, exact };
  }
  return { text: "\uFFFD", size: 1, exact: false };
}
