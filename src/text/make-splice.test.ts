import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { randomCases } from "../../test/setup/random-cases.js";
import { decodeText } from "./decode-text.js";
import { encodeText } from "./encode-text.js";
import { applySplices, codePoint, createSpliceMaker, readsAsMeant, unwritable } from "./make-splice.js";
import { createSearchSpace } from "./search-space.js";

const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString();

describe("applySplices", () => {
  it("puts in, takes out and replaces, and leaves the rest", () => {
    const splices = [
      { start: 0, end: 0, data: Buffer.from(">") },
      { start: 2, end: 4, data: Buffer.from("") },
      { start: 5, end: 6, data: Buffer.from("long") },
    ];
    expect(text(applySplices(Buffer.from("abcdef"), splices))).toBe(">abelong");
  });

  it("gives a copy where there is nothing to do", () => {
    const bytes = Buffer.from("abc");
    const result = applySplices(bytes, []);
    expect(text(result)).toBe("abc");
    expect(result.buffer).not.toBe(bytes.buffer);
  });

  it("refuses splices that overlap, run backwards or leave the file", () => {
    const data = new Uint8Array();
    const bytes = Buffer.from("abcdef");
    const bad = [
      [
        { start: 3, end: 5, data },
        { start: 4, end: 6, data },
      ],
      [{ start: 3, end: 2, data }],
      [{ start: 0, end: 7, data }],
    ];
    for (const splices of bad) expect(() => applySplices(bytes, splices)).toThrow(RangeError);
  });
});

describe("a replacement", () => {
  const letters = fc.array(fc.constantFrom("a", "b", "é", "日", "本", "😀", "\n", "\r"), { maxLength: 10 });

  it.each(["utf8", "utf16le", "utf16be", "latin1", "shift_jis", "gb18030", "utf32le"])(
    "changes the bytes between what both texts have in common, and no others: %s",
    (encoding) => {
      fc.assert(
        fc.property(letters, letters, letters, letters, (before, old, after, fresh) => {
          const texts = [before, old, after, fresh].map((each) => each.join(""));
          const [head = "", oldText = "", tail = "", newText = ""] = texts;
          const bytes = encodeText(head + oldText + tail, encoding);
          const wanted = encodeText(head + newText + tail, encoding);
          if (bytes === undefined) return;
          const decoded = decodeText(bytes, encoding);
          const space = createSearchSpace(bytes, decoded);
          const start = space.pack(head).length;
          const span = { start, end: start + space.pack(oldText).length };
          const make = createSpliceMaker(space, decoded);
          const splice = make(span, space.pack(newText));
          if ("reason" in splice) {
            expect(wanted).toBeUndefined();
            return;
          }
          expect(make(span, space.pack(newText))).toEqual(splice);
          expect(text(applySplices(bytes, [splice]))).toBe(text(wanted ?? new Uint8Array()));
          const changes = [{ span: { start: head.length, end: head.length + oldText.length }, newText }];
          expect(readsAsMeant(bytes, decoded, { splices: [splice], changes })).toBe(true);
          // Whole characters only, but none of those that both begin and end with.
          const common = Array.from(oldText).findIndex((char, at) => Array.from(newText)[at] !== char);
          const kept = Array.from(oldText)
            .slice(0, common === -1 ? undefined : common)
            .join("");
          expect(splice.start).toBe((encodeText(head + kept, encoding) ?? []).length);
          if (oldText === newText) expect(splice).toMatchObject({ start: splice.end, data: { length: 0 } });
        }),
        { numRuns: randomCases(60) },
      );
    },
  );

  it("is refused where the file's encoding has no such character", () => {
    const bytes = Buffer.from("abc", "latin1");
    const decoded = decodeText(bytes, "windows-1252");
    const make = createSpliceMaker(createSearchSpace(bytes, decoded), decoded);
    expect(make({ start: 0, end: 1 }, "x日")).toEqual({
      reason: 'The file is encoded in windows-1252, which cannot hold "日" (U+65E5).',
    });
    expect(unwritable("abc", decoded)).toBe(
      "The file is encoded in windows-1252, which cannot hold the new text.",
    );
    expect([codePoint("a"), codePoint("😀"), codePoint("")]).toEqual(["U+0061", "U+1F600", "U+0000"]);
  });

  it("is refused where a part cannot be replaced", () => {
    const reasonFor = (bytes: Uint8Array, encoding: string, span: { start: number; end: number }) => {
      const decoded = decodeText(bytes, encoding);
      return createSpliceMaker(createSearchSpace(bytes, decoded), decoded)(span, "x");
    };
    const broken = Buffer.from([0x82, 0xa0, 0xff, 0x41]);
    expect(reasonFor(broken, "shift_jis", { start: 0, end: 1 })).toMatchObject({ start: 0, end: 2 });
    expect(reasonFor(broken, "shift_jis", { start: 1, end: 2 })).toEqual({
      reason:
        "The bytes of the old text are not the ones that shift_jis would write for it, so they cannot be kept exact.",
    });
  });

  it("does not read as meant where the bytes run together", () => {
    const bytes = Buffer.from([0x41, 0x42]);
    const decoded = decodeText(bytes, "shift_jis");
    const splices = [{ start: 0, end: 1, data: Buffer.from([0x82]) }];
    const changes = [{ span: { start: 0, end: 1 }, newText: "x" }];
    expect(readsAsMeant(bytes, decoded, { splices, changes })).toBe(false);
    expect(readsAsMeant(bytes, decodeText(bytes, "utf8"), { splices, changes })).toBe(true);
  });
});
