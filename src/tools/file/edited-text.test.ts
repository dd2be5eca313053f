import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { applySplices } from "../../text/make-splice.js";
import { cutRun, joinRuns, type LineRun } from "../../text/line-runs.js";
import { bytesAfter, editText, knownAfter, textsBetween, type EditedText } from "./edited-text.js";
import { createPresentLines } from "./present-lines.js";
import { randomCases } from "../../../test/setup/random-cases.js";

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

const runsAfter = (runs: readonly LineRun[], edited: EditedText) =>
  knownAfter({ runs, parts: [] }, edited).runs;

describe("knownAfter", () => {
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
      { numRuns: randomCases(1500) },
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

describe("editText", () => {
  const edit = (content: string, ...splices: (readonly [number, number, string])[]) => {
    const bytes = Buffer.from(content);
    const list = splices.map(([start, end, data]) => ({ start, end, data: Buffer.from(data) }));
    return editText(bytes, createPresentLines(bytes, "utf8"), list);
  };

  it("sees a line that goes with its end as gone, and nothing in its place", () => {
    const edited = edit("one\ntwo\nthree\n", [4, 8, ""]);
    expect(edited.changes).toEqual([
      { startLine: 2, endLine: 2, newLines: [], keepsFirst: false, keepsLast: false },
    ]);
    expect(runsAfter([{ start: 1, lines: ["one", "two", "three"] }], edited)).toEqual([
      { start: 1, lines: ["one", "three"] },
    ]);
  });

  it("counts the next line as changed where a line loses only its end", () => {
    expect(edit("one\ntwo\nthree\n", [3, 4, ""]).changes).toEqual([
      { startLine: 1, endLine: 2, newLines: ["onetwo"], keepsFirst: true, keepsLast: true },
    ]);
    expect(edit("one\ntwo\nthree\n", [0, 4, "x"]).changes).toEqual([
      { startLine: 1, endLine: 2, newLines: ["xtwo"], keepsFirst: false, keepsLast: true },
    ]);
    expect(edit("one\ntwo\nthree\n", [0, 4, "x\n"]).changes).toEqual([
      { startLine: 1, endLine: 1, newLines: ["x"], keepsFirst: false, keepsLast: false },
    ]);
  });

  it("keeps changes of lines apart that do not touch, and takes those of one line together", () => {
    const edited = edit("one\ntwo\nthree\n", [0, 1, "O"], [2, 3, "E"], [8, 9, "T"]);
    expect(edited.changes).toMatchObject([
      { startLine: 1, endLine: 1, newLines: ["OnE"] },
      { startLine: 3, endLine: 3, newLines: ["Three"] },
    ]);
  });

  it("knows the ends of lines of old systems, as long as there is no line feed", () => {
    expect(edit("one\rtwo\rthree\r", [4, 7, "2\r3"]).changes).toMatchObject([
      { startLine: 2, endLine: 2, newLines: ["2", "3"] },
    ]);
    expect(edit("one\r\ntwo\r\n", [5, 8, "2\r\n3"]).changes).toMatchObject([
      { startLine: 2, endLine: 2, newLines: ["2", "3"] },
    ]);
  });

  it("shows a part of the text before and after, with the changes within it only", () => {
    const edited = edit("one\ntwo\nthree\nfour\n", [0, 3, "1"], [4, 7, "2"], [8, 13, "3"], [14, 18, "4"]);
    expect(textsBetween(edited, [2, 3])).toEqual({ before: "two\n", after: "2\n" });
    expect(textsBetween(edited, [2, 4])).toEqual({ before: "two\nthree\n", after: "2\n3\n" });
    expect(textsBetween(edited, [1, 5])).toEqual({
      before: "one\ntwo\nthree\nfour\n",
      after: "1\n2\n3\n4\n",
    });
  });

  it("forgets what was known in part where the ends of all lines become others", () => {
    const edited = edit("one\rtwo\r", [8, 8, "\n"]);
    expect(runsAfter([{ start: 1, lines: ["one"] }], edited)).toEqual([]);
    expect(runsAfter([{ start: 1, lines: ["one", "two"] }], edited)).toEqual([
      { start: 1, lines: ["one\rtwo"] },
    ]);
  });
});
