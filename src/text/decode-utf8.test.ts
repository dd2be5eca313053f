import { isUtf8 } from "node:buffer";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeUtf8, isCharBoundary, sequenceLength } from "./decode-utf8.js";

/** How many bytes the first character has, asked of Node.js; 0 where the first byte is broken. */
const firstSize = (bytes: Buffer): number =>
  [1, 2, 3, 4].find((size) => size <= bytes.length && isUtf8(bytes.subarray(0, size))) ?? 0;

/** The text with one U+FFFD for each broken byte, and for each of its characters the first byte and the kind. */
function decodeSlowly(bytes: Buffer): { text: string; starts: number[]; exact: boolean[] } {
  const out = { text: "", starts: [] as number[], exact: [] as boolean[] };
  for (let at = 0; at < bytes.length;) {
    const size = firstSize(bytes.subarray(at, at + 4));
    const char = size === 0 ? "\uFFFD" : bytes.toString("utf8", at, at + size);
    for (const _ of char.split("")) {
      out.starts.push(at);
      out.exact.push(size > 0);
    }
    out.text += char;
    at += Math.max(1, size);
  }
  return out;
}

describe("decodeUtf8", () => {
  it("gives every byte that is broken one character, and keeps all others where they are", () => {
    const part = fc.oneof(
      fc
        .constantFrom("a", "\n", "é", "文", "🙂", "\u07FF", "\u0800", "\uFFFF", "\u{10FFFF}")
        .map((text) => Buffer.from(text)),
      fc
        .constantFrom("80", "c1", "ff", "c3", "e6", "e696", "f09f99", "eda080", "f4908080")
        .map((hex) => Buffer.from(hex, "hex")),
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
        const bytes = Buffer.concat(parts);
        const wanted = decodeSlowly(bytes);
        const decoded = decodeUtf8(bytes);
        expect(decoded.text).toBe(wanted.text);
        const { length } = wanted.text;
        expect([decoded.byteOffset(-1), decoded.byteOffset(0), decoded.byteOffset(length)]).toEqual([
          0,
          0,
          bytes.length,
        ]);
        expect(decoded.byteOffset(length + 1)).toBe(bytes.length);
        for (let at = length - 1; at >= 0; at -= 1) {
          expect(decoded.byteOffset(at)).toBe(wanted.starts[at]);
          for (let end = at + 1; end <= length; end += 1) {
            const isWhole = isCharBoundary(wanted.text, at) && isCharBoundary(wanted.text, end);
            const isExact = wanted.exact.slice(at, end).every(Boolean);
            expect(decoded.isExact(at, end)).toBe(isWhole && isExact);
          }
        }
      }),
    );
  });

  it.each([0, 1, 2, 3, 4])(
    "cuts no character %i bytes before the end of a block of a broken file",
    (before) => {
      const block = 1 << 16;
      for (const char of ["é", "文", "🙂"]) {
        const bytes = Buffer.concat([
          Buffer.from("x".repeat(block - before) + char + "y".repeat(9)),
          Buffer.from([0xff]),
        ]);
        const { text, byteOffset } = decodeUtf8(bytes);
        expect(text).toBe(`${"x".repeat(block - before)}${char}${"y".repeat(9)}\uFFFD`);
        expect(byteOffset(text.length - 1)).toBe(bytes.length - 1);
      }
    },
  );

  it("ends a block amid bytes that continue no character", () => {
    const bytes = Buffer.concat([
      Buffer.from("x".repeat((1 << 16) - 8)),
      Buffer.alloc(16, 0x80),
      Buffer.from("end"),
    ]);
    const { text, byteOffset, isExact } = decodeUtf8(bytes);
    expect(text).toBe(`${"x".repeat((1 << 16) - 8)}${"\uFFFD".repeat(16)}end`);
    expect(byteOffset(text.indexOf("end"))).toBe(bytes.length - 3);
    expect([isExact(text.length - 3, text.length), isExact(text.length - 4, text.length)]).toEqual([
      true,
      false,
    ]);
  });

  it("takes indices for offsets where all is ASCII", () => {
    const { text, byteOffset, isExact } = decodeUtf8(Buffer.from("abc"));
    expect([text, [-1, 0, 2, 3, 4].map(byteOffset)]).toEqual(["abc", [0, 0, 2, 3, 3]]);
    expect(isExact(0, 3)).toBe(true);
  });
});

describe("sequenceLength", () => {
  const edges = [0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0];

  it("agrees with Node.js about every first byte and the limits of those after it", () => {
    const wrong: unknown[] = [];
    for (let lead = 0; lead < 256; lead += 1)
      for (const second of edges)
        for (const rest of [
          [0x80, 0x80],
          [0xbf, 0xbf],
          [0x7f, 0x80],
          [0x80, 0xc0],
        ]) {
          const bytes = Buffer.from([lead, second, ...rest]);
          for (let end = rest[0] === 0x80 ? 1 : 4; end <= 4; end += 1)
            if (sequenceLength(bytes, 0, end) !== firstSize(bytes.subarray(0, end))) wrong.push([bytes, end]);
        }
    expect(wrong).toEqual([]);
  });
});

describe("isCharBoundary", () => {
  it("is everywhere but between the halves of a pair", () => {
    const text = "a🙂\uDE42b\uD83D";
    const places = Array.from({ length: text.length + 1 }, (_, at) => at);
    expect(places.filter((at) => !isCharBoundary(text, at))).toEqual([2]);
    expect(isCharBoundary("\uD800\uDC00", 1)).toBe(false);
    expect(isCharBoundary("\uDBFF\uDFFF", 1)).toBe(false);
    expect(isCharBoundary("\uDBFF\uE000", 1)).toBe(true);
    expect(isCharBoundary("\uDC00\uDC00", 1)).toBe(true);
    expect(isCharBoundary("\uD7FF\uDC00", 1)).toBe(true);
  });
});
