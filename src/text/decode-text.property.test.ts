import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeText } from "./decode-text.js";
import { encodeText } from "./encode-text.js";
import { randomCases } from "../../test/setup/random-cases.js";
import { anyCharacter } from "../../test/setup/any-character.js";

const encodings = [
  "auto",
  "utf8",
  "ascii",
  "latin1",
  "utf16le",
  "utf16be",
  "utf32le",
  "windows-1252",
  "koi8-r",
  "gb18030",
  "gbk",
  "shift_jis",
  "euc-jp",
  "euc-kr",
  "big5",
];

const someBytes = fc.oneof(
  fc.uint8Array({ maxLength: 40 }),
  fc
    .array(
      fc.oneof(
        fc.constantFrom("a", "é", "文", "🙂", "\r\n", "ア").map((text) => Buffer.from(text)),
        fc.uint8Array({ maxLength: 3 }),
      ),
      {
        maxLength: 12,
      },
    )
    .map((parts) => Buffer.concat(parts)),
);

describe("decodeText, for any bytes", () => {
  it("gives every character a place, in order, and all of the bytes", () => {
    fc.assert(
      fc.property(someBytes, fc.constantFrom(...encodings), (bytes, encoding) => {
        const decoded = decodeText(bytes, encoding);
        const offsets = Array.from({ length: decoded.text.length + 1 }, (_, at) => decoded.byteOffset(at));
        expect(offsets.at(-1)).toBe(bytes.length);
        expect(offsets).toEqual([...offsets].sort((left, right) => left - right));
      }),
      { numRuns: randomCases(800) },
    );
  });

  it("calls only those characters exact which encode to the bytes they came from", () => {
    fc.assert(
      fc.property(
        someBytes,
        fc.constantFrom(...encodings),
        fc.nat(),
        fc.nat(),
        (bytes, encoding, from, length) => {
          const decoded = decodeText(bytes, encoding);
          const start = from % (decoded.text.length + 1);
          const end = Math.min(decoded.text.length, start + (length % 8));
          const part = decoded.text.slice(start, end);
          if (!decoded.isExact(start, end) || !part.isWellFormed()) return;
          const taken = bytes.subarray(decoded.byteOffset(start), decoded.byteOffset(end));
          expect(Buffer.from(decoded.encode(part) ?? [0xbad])).toEqual(Buffer.from(taken));
        },
      ),
      { numRuns: randomCases(2000) },
    );
  });

  it("reads back what was encoded, every character exact", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: anyCharacter }),
        fc.constantFrom(...encodings.slice(1)),
        fc.boolean(),
        (text, encoding, bom) => {
          const bytes = encodeText(text, encoding, { bom });
          fc.pre(bytes !== undefined && !text.startsWith("\uFEFF"));
          const decoded = decodeText(bytes, encoding);
          expect(decoded.text).toBe(text);
          expect(decoded.isExact(0, text.length)).toBe(true);
        },
      ),
      { numRuns: randomCases(800) },
    );
  });
});
