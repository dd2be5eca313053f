import * as fc from "fast-check";
import { expect, it } from "vitest";
import { randomCases } from "../../../test/setup/random-cases.js";
import { createLineFinder, finderIn, lineStarts, type LineFinder } from "./line-finder.js";

const text = fc
  .array(fc.constantFrom("a", "é", "\n", "\r\n", "\r", "\n\n", "xyz"), { maxLength: 60, size: "max" })
  .map((parts) => Buffer.from(parts.join("")));

/** Questions to a finder, in the order in which they are asked. */
const questions = fc.array(
  fc.record({ ask: fc.constantFrom("byteStart", "lineAt", "count"), at: fc.nat(1000) }),
  { maxLength: 30 },
);

it("finds the same lines from a few known places as from all of them, whatever is asked before", () => {
  fc.assert(
    fc.property(
      text,
      fc.constantFrom(0, 3),
      fc.uniqueArray(fc.nat(60), { maxLength: 4 }),
      questions,
      (body, from, near, asked) => {
        const whole = Buffer.concat([Buffer.alloc(from, 0xef), body]);
        const mark = whole.includes(0x0a) ? 0x0a : 0x0d;
        const starts = lineStarts(whole, from, mark);
        const all = finderIn(starts, whole, mark);
        const known = near
          .filter((line) => line < starts.length)
          .sort((one, other) => one - other)
          .map((line) => ({ line: line + 1, byte: starts[line] ?? 0 }));
        const some = createLineFinder(whole, { from, mark, known });
        const answer = (finder: LineFinder, { ask, at }: (typeof asked)[number]): number => {
          if (ask === "count") return finder.count;
          const line = 1 + (at % (starts.length + 3));
          if (ask === "byteStart") return finder.byteStart(line);
          // Where a line begins, or the byte before it.
          return finder.lineAt(Math.max(from, (starts[line - 1] ?? whole.length) - (at % 2)));
        };
        for (const each of asked) expect(answer(some, each)).toBe(answer(all, each));
      },
    ),
    { numRuns: randomCases(1000) },
  );
});
