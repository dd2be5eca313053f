import type { Decoding } from "./decoded-text.js";
import { loadIconv } from "./libraries.js";

/** Decode an encoding of one byte a character: the index is the offset. */
export function decodeSingleByte(bytes: Buffer, encoding: string): Decoding {
  if (encoding === "latin1") return byIndex(bytes.toString("latin1"), () => true);
  const iconv = loadIconv();
  const table = iconv.decode(everyByte(), encoding, { stripBOM: false });
  // Bytes without a character, and those whose character another byte encodes as well.
  const back = iconv.encode(table, encoding);
  const exact = Array.from(table, (char, byte) => char !== "\uFFFD" && back[byte] === byte);
  return byIndex(iconv.decode(bytes, encoding, { stripBOM: false }), (start, end) => {
    for (let at = start; at < end; at += 1) {
      if (exact[bytes[at] ?? 0] !== true) return false;
    }
    return true;
  });
}

/** Decode UTF-16: two bytes a unit; halves of pairs are kept as they are, an odd last byte is broken. */
export function decodeUtf16(bytes: Buffer, encoding: string): Decoding {
  const even = bytes.length & ~1;
  const units = bytes.subarray(0, even);
  const text = (encoding === "utf16be" ? Buffer.from(units).swap16() : units).toString("utf16le");
  const odd = bytes.length !== even;
  return {
    text: odd ? `${text}\uFFFD` : text,
    byteOffset: (index) => Math.max(0, Math.min(index * 2, bytes.length)),
    isExact: (_start, end) => !odd || end * 2 <= even,
  };
}

/** A text that no part of can be kept byte-exact: it can be read, but not edited. */
export function decodeOpaque(text: string, byteLength: number): Decoding {
  return {
    text,
    byteOffset: (index) => (index <= 0 ? 0 : byteLength),
    isExact: () => false,
  };
}

function byIndex(text: string, isExact: Decoding["isExact"]): Decoding {
  return { text, byteOffset: (index) => Math.max(0, Math.min(index, text.length)), isExact };
}

function everyByte(): Buffer {
  return Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
}
