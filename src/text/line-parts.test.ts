import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { coversChars, editPart, isWholeLine, mergePart, type LinePart } from "./line-parts.js";

const line = "0123456789";
/** The characters from number `char` on of the line. */
const part = (char: number, length: number, number = 1): LinePart => ({
  line: number,
  char,
  text: line.slice(char - 1, char - 1 + length),
  isEnd: char - 1 + length >= line.length,
});

describe("parts of lines", () => {
  it("that touch become one, and those of other lines stay", () => {
    expect(mergePart([part(1, 3), part(5, 2, 2)], part(4, 2))).toEqual([part(1, 5), part(5, 2, 2)]);
    expect(mergePart([part(6, 5)], part(4, 2))).toEqual([part(4, 7)]);
    expect(mergePart([part(1, 2)], part(4, 2))).toEqual([part(1, 2), part(4, 2)]);
  });

  it("are replaced where a new one overlaps", () => {
    const changed = { ...part(4, 3), text: "abc" };
    expect(mergePart([part(1, 10)], changed)).toEqual([{ ...part(1, 10), text: "012abc6789" }]);
    expect(mergePart([part(3, 3)], changed)).toEqual([{ ...part(3, 4), text: "2abc" }]);
  });

  it("cover what lies within one of them", () => {
    const parts = [part(2, 3), part(7, 4)];
    expect(coversChars(parts, 1, { from: 1, to: 4 })).toBe(true);
    expect(coversChars(parts, 1, { from: 0, to: 4 })).toBe(false);
    expect(coversChars(parts, 1, { from: 1, to: 5 })).toBe(false);
    expect(coversChars(parts, 2, { from: 1, to: 4 })).toBe(false);
    expect(isWholeLine(part(1, 10))).toBe(true);
    expect(isWholeLine(part(1, 9))).toBe(false);
    expect(isWholeLine(part(2, 9))).toBe(false);
  });

  it("cover exactly the characters that were seen, in whatever order", () => {
    const spans = fc.array(fc.tuple(fc.integer({ min: 1, max: 10 }), fc.integer({ min: 1, max: 5 })), {
      maxLength: 8,
    });
    fc.assert(
      fc.property(spans, (seen) => {
        const parts = seen.reduce<LinePart[]>(
          (all, [char, length]) => mergePart(all, part(char, length)),
          [],
        );
        for (let at = 0; at < line.length; at++) {
          const wasSeen = seen.some(([char, length]) => char - 1 <= at && at < char - 1 + length);
          expect(coversChars(parts, 1, { from: at, to: at + 1 })).toBe(wasSeen);
        }
        for (const { char, text } of parts) expect(line.slice(char - 1, char - 1 + text.length)).toBe(text);
      }),
    );
  });

  it("keep of a changed line what they knew and what is new", () => {
    const known = { ...part(1, 10), isEnd: true };
    const after = "012ABC6789";
    const edited = editPart(known, line, after);
    expect(edited.map(({ text }) => text).join("")).toBe(after);
    for (const { char, text } of edited) expect(after.slice(char - 1, char - 1 + text.length)).toBe(text);
  });
});
