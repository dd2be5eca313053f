import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { applySplices } from "../../text/apply-splices.js";
import { cutRun, joinRuns, type LineRun } from "../../text/line-runs.js";
import { bytesAfter, editText, runsAfter } from "./edited-text.js";
import { createPresentLines } from "./present-lines.js";

const part = fc.constantFrom("a", "bc", "é", "\n", "\n", "\r\n", "", "漢\n", "x\ny");
const text = fc.array(part, { maxLength: 25 }).map((parts) => parts.join(""));

/** Splices at the borders of characters. */
const edits = fc.array(fc.tuple(fc.nat(40), fc.nat(4), part), { maxLength: 4 });

function toSplices(content: string, list: readonly (readonly [number, number, string])[]) {
  const chars = Array.from(content);
  const offset = (at: number): number => Buffer.byteLength(chars.slice(0, at).join(""));
  let from = 0;
  return list.flatMap(([gap, length, data]) => {
    const start = from + gap;
    if (start > chars.length) return [];
    const end = Math.min(start + length, chars.length);
    from = end + 1;
    return [{ start: offset(start), end: offset(end), data: Buffer.from(data) }];
  });
}

describe("runsAfter", () => {
  it("says of each line what it really is, and knows all where all was known", () => {
    fc.assert(
      fc.property(
        text,
        edits,
        fc.array(fc.boolean(), { minLength: 40, maxLength: 40 }),
        (content, list, known) => {
          const bytes = Buffer.from(content);
          const splices = toSplices(content, list);
          const lines = createPresentLines(bytes, "utf8");
          const all: LineRun = { start: 1, lines: lines.slice(1, lines.count) };
          const some = joinRuns(
            all.lines.flatMap((_, at) => (known[at] === true ? [cutRun(all, at + 1, at + 1)] : [])),
          );
          const edited = editText(bytes, lines, splices);
          const after = createPresentLines(applySplices(bytes, splices), "utf8");
          expect(Buffer.from(bytesAfter(edited))).toEqual(Buffer.from(applySplices(bytes, splices)));
          for (const run of runsAfter(some, edited)) {
            expect(run.lines).toEqual(after.slice(run.start, run.start + run.lines.length - 1));
          }
          const whole = runsAfter(all.lines.length === 0 ? [] : [all], edited);
          if (after.count > 0) expect(whole).toEqual([{ start: 1, lines: after.slice(1, after.count) }]);
        },
      ),
      { numRuns: 1500 },
    );
  });

  it("does not count a line as known of which only a part is", () => {
    const bytes = Buffer.from("one\ntwo\nthree\n");
    const lines = createPresentLines(bytes);
    // The end of line 1 goes, so that it runs into line 2, which nobody has seen.
    const edited = editText(bytes, lines, [{ start: 3, end: 4, data: Buffer.alloc(0) }]);
    expect(runsAfter([{ start: 1, lines: ["one"] }], edited)).toEqual([]);
  });
});
