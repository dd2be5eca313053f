import { expect, it } from "vitest";
import { createPieceMap } from "./piece-map.js";

/** "aé" exact, two broken bytes, "文b" exact, one character of two bytes that another encoder would not choose. */
const options = {
  text: "aé\uFFFD\uFFFD文b~",
  pieces: [
    { charStart: 0, byteStart: 0, exact: true },
    { charStart: 2, byteStart: 3, exact: false },
    { charStart: 3, byteStart: 4, exact: false },
    { charStart: 4, byteStart: 5, exact: true },
    { charStart: 6, byteStart: 9, exact: false },
  ],
  byteLength: 11,
  sizeOf: (text: string) => Buffer.byteLength(text),
  canCut: () => true,
};
const starts = [0, 1, 3, 4, 5, 8, 9, 11];

it("maps characters to bytes, in whatever order they are asked", () => {
  for (const first of starts.keys())
    for (const second of starts.keys()) {
      const { byteOffset } = createPieceMap(options);
      expect([byteOffset(first), byteOffset(second), byteOffset(first)]).toEqual([
        starts[first],
        starts[second],
        starts[first],
      ]);
    }
  const { byteOffset, text } = createPieceMap(options);
  expect([byteOffset(-1), byteOffset(8), byteOffset(99), text]).toEqual([0, 11, 11, options.text]);
});

it("is exact where only exact pieces are touched and no character is cut", () => {
  const { isExact } = createPieceMap(options);
  const exact = [true, true, false, false, true, true, false];
  for (let start = 0; start < 7; start += 1)
    for (let end = start + 1; end <= 7; end += 1)
      expect([start, end, isExact(start, end)]).toEqual([start, end, exact.slice(start, end).every(Boolean)]);
  const cut = createPieceMap({ ...options, canCut: (_text, index) => index !== 1 });
  expect([cut.isExact(0, 2), cut.isExact(1, 2), cut.isExact(0, 1)]).toEqual([true, false, false]);
});

it("gives for a place within a character that of the character", () => {
  const { byteOffset } = createPieceMap({ ...options, canCut: (_text, index) => index !== 5 });
  expect([byteOffset(5), byteOffset(4), byteOffset(6)]).toEqual([5, 5, 9]);
});

it("encodes only what lies behind the place that was asked for last", () => {
  let encoded = 0;
  const text = "é".repeat(1000);
  const sizeOf = (part: string): number => ((encoded += part.length), Buffer.byteLength(part));
  const { byteOffset } = createPieceMap({
    ...options,
    text,
    byteLength: 2000,
    sizeOf,
    pieces: [{ charStart: 0, byteStart: 0, exact: true }],
  });
  for (let at = 0; at < 1000; at += 10) expect(byteOffset(at)).toBe(2 * at);
  expect(encoded).toBe(990);
});

it("of nothing is the end", () => {
  const { byteOffset, isExact } = createPieceMap({ ...options, text: "", pieces: [], byteLength: 0 });
  expect([byteOffset(0), byteOffset(1), isExact(0, 0)]).toEqual([0, 0, true]);
});
