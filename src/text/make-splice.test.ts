import { describe, expect, it } from "vitest";
import { applySplices } from "./make-splice.js";

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
