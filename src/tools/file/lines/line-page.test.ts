import * as fc from "fast-check";
import { expect, it } from "vitest";
import { linesIn, splitAt, toPage } from "./line-page.js";

const texts = fc
  .array(fc.constantFrom("a", "bc", "\n", "\r", "\r\n", "ä", ""))
  .map((parts) => parts.join(""));

it("the lines of a text are the same with and without their ends", () => {
  fc.assert(
    fc.property(texts, fc.constantFrom("\n" as const, "\r" as const), (text, mark) => {
      expect(linesIn(text, mark)).toEqual(splitAt(text, mark).map((line) => line.text));
    }),
  );
});

it("a page has the same content whether its text is at hand or its lines are joined", () => {
  const limits = fc.integer({ min: 0, max: 8 });
  fc.assert(
    fc.property(
      texts,
      fc.option(limits, { nil: undefined }),
      limits,
      limits,
      (text, end, maxLines, chars) => {
        const lines = splitAt(text, "\n");
        const request = { start: 1, end, maxLines, maxChars: chars * 10 };
        const found = { lines, totalLines: lines.length, partial: false };
        expect(toPage(request, { ...found, text })).toEqual(toPage(request, found));
      },
    ),
  );
});
