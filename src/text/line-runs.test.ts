import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { joinRuns, mergeRun, spliceRuns, unionRuns, type LineRun } from "./line-runs.js";

const lineNames = (start: number, count: number, mark = ""): string[] =>
  Array.from({ length: count }, (_, at) => `${start + at}${mark}`);
const run = (start: number, count: number, mark = ""): LineRun => ({
  start,
  lines: lineNames(start, count, mark),
});

/** What a list of runs says of each line. */
function byLine(runs: readonly LineRun[]): Map<number, string> {
  return new Map(runs.flatMap(({ start, lines }) => lines.map((line, at) => [start + at, line] as const)));
}

function isTidy(runs: readonly LineRun[]): boolean {
  return runs.every(({ start, lines }, at) => {
    const before = runs[at - 1];
    return lines.length > 0 && (before === undefined || before.start + before.lines.length < start);
  });
}

const someRuns = fc
  .array(fc.tuple(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 8 })), { maxLength: 6 })
  .map((list) => list.reduce<LineRun[]>((runs, [start, count]) => mergeRun(runs, run(start, count)), []));

describe("mergeRun", () => {
  it("lets the newer lines count where runs overlap, and joins what touches", () => {
    expect(mergeRun([run(1, 5), run(10, 2)], run(4, 6, "!"))).toEqual([
      { start: 1, lines: [...lineNames(1, 3), ...lineNames(4, 6, "!"), ...lineNames(10, 2)] },
    ]);
  });

  it("keeps runs in order, apart from each other, and says of each line what was said last", () => {
    fc.assert(
      fc.property(
        someRuns,
        fc.integer({ min: 1, max: 40 }),
        fc.integer({ min: 0, max: 9 }),
        (runs, start, count) => {
          const merged = mergeRun(runs, run(start, count, "!"));
          expect(isTidy(merged)).toBe(true);
          expect(byLine(merged)).toEqual(new Map([...byLine(runs), ...byLine([run(start, count, "!")])]));
        },
      ),
    );
  });
});

describe("spliceRuns", () => {
  it("moves what stands below a change and takes the new lines in", () => {
    const changes = [{ startLine: 3, endLine: 4, newLines: ["a", "b", "c"] }];
    expect(spliceRuns([run(1, 10)], changes)).toEqual([
      { start: 1, lines: ["1", "2", "a", "b", "c", ...lineNames(5, 6)] },
    ]);
  });

  it("agrees with the splice of the whole text", () => {
    const change = fc.tuple(
      fc.integer({ min: 0, max: 4 }),
      fc.integer({ min: 0, max: 3 }),
      fc.integer({ min: 0, max: 3 }),
    );
    fc.assert(
      fc.property(someRuns, fc.array(change, { maxLength: 4 }), (runs, list) => {
        const text: (string | undefined)[] = Array.from({ length: 60 }, (_, at) => byLine(runs).get(at + 1));
        const changes: { startLine: number; endLine: number; newLines: string[] }[] = [];
        let from = 1;
        for (const [gap, taken, put] of list) {
          const startLine = from + gap;
          changes.push({ startLine, endLine: startLine + taken - 1, newLines: lineNames(0, put, "new") });
          from = startLine + taken + 1;
        }
        for (const { startLine, endLine, newLines } of changes.toReversed())
          text.splice(startLine - 1, endLine - startLine + 1, ...newLines);
        const spliced = spliceRuns(runs, changes);
        expect(isTidy(spliced)).toBe(true);
        const expected = text.flatMap((line, at) => (line === undefined ? [] : [[at + 1, line] as const]));
        expect(byLine(spliced)).toEqual(new Map(expected));
      }),
    );
  });
});

describe("joinRuns", () => {
  it("drops empty runs and puts the others in order", () => {
    expect(joinRuns([run(7, 1), run(3, 0), run(1, 2)])).toEqual([run(1, 2), run(7, 1)]);
  });
});

describe("unionRuns", () => {
  it("has the lines of all runs and spans, each once and in order", () => {
    const spans = fc.array(
      fc.tuple(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 0, max: 8 })).map(([startLine, more]) => ({
        startLine,
        endLine: startLine + more,
      })),
      { maxLength: 6 },
    );
    fc.assert(
      fc.property(someRuns, spans, (runs, others) => {
        const union = unionRuns(runs, others, (first, last) => lineNames(first, last - first + 1));
        const wanted = new Set([
          ...byLine(runs).keys(),
          ...others.flatMap(({ startLine, endLine }) =>
            Array.from({ length: endLine - startLine + 1 }, (_, at) => startLine + at),
          ),
        ]);
        expect(isTidy(union)).toBe(true);
        expect([...byLine(union)]).toEqual(
          [...wanted].sort((a, b) => a - b).map((line) => [line, `${line}`]),
        );
      }),
    );
  });

  it("leaves out what the text no longer has", () => {
    expect(
      unionRuns([run(1, 2)], [{ startLine: 9, endLine: 9 }], (first) => (first === 1 ? ["1", "2"] : [])),
    ).toEqual([run(1, 2)]);
  });
});
