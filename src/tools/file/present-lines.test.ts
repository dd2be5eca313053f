import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { splitLines } from "../../text/line-table.js";
import { decodeText } from "../../text/decode-text.js";
import { createPresentLines } from "./present-lines.js";
import { randomCases } from "../../../test/setup/random-cases.js";

const text = fc
  .array(fc.constantFrom("a", "é", "漢", "\n", "\r\n", "\r", "\n\n", "xyz", "\uFFFD"), { maxLength: 60 })
  .map((parts) => parts.join(""));
const encoding = fc.constantFrom<"utf8" | "utf16le" | "bom">("utf8", "utf16le", "bom");

function encode(content: string, how: "utf8" | "utf16le" | "bom"): Buffer {
  if (how === "utf16le") return Buffer.from(`\uFEFF${content}`, "utf16le");
  return Buffer.from(how === "bom" ? `\uFEFF${content}` : content);
}

describe("createPresentLines", () => {
  it("finds the lines that the whole text has, in any order, whatever places are known", () => {
    fc.assert(
      fc.property(
        text,
        encoding,
        fc.array(fc.nat(60), { maxLength: 4 }),
        fc.array(fc.nat(70)),
        (content, how, at, asked) => {
          const bytes = encode(content, how);
          const expected = splitLines(decodeText(bytes).text);
          const plain = createPresentLines(bytes);
          const starts = expected.map((_, index) => plain.byteStart(index + 1));
          const places = [...new Set(at)]
            .filter((index) => index < expected.length)
            .sort((one, other) => one - other)
            .map((index) => ({
              line: index + 1,
              byte: (starts[index] ?? 0) + (expected[index]?.text === "" ? 0 : 1),
            }));
          const lines = createPresentLines(bytes, "auto", { near: how === "utf16le" ? [] : places });
          for (const number of asked.filter((each) => each >= 1 && each <= expected.length)) {
            expect(lines.line(number)).toBe(expected[number - 1]?.text);
            expect(lines.byteStart(number)).toBe(starts[number - 1]);
            expect(lines.lineAt(lines.byteStart(number))).toBe(number);
          }
          expect(lines.byteStart(expected.length + 1)).toBe(bytes.length);
          expect(lines.slice(1, 1000)).toEqual(expected.map((line) => line.text));
          expect(lines.count).toBe(expected.length);
          expect(lines.slice(1, lines.count)).toEqual(expected.map((line) => line.text));
        },
      ),
      { numRuns: randomCases(500) },
    );
  });

  it("gives the end a line of its own only where the last one has ended", () => {
    expect(createPresentLines(Buffer.from("a\n")).lineAt(2)).toBe(2);
    expect(createPresentLines(Buffer.from("a\nb")).lineAt(3)).toBe(2);
    expect(createPresentLines(Buffer.alloc(0)).lineAt(0)).toBe(1);
  });
});
