import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { joinRuns } from "../../text/line-runs.js";
import { alignRuns } from "./align-lines.js";
import { compareSeen } from "./freshness.js";
import { createPresentLines } from "./present-lines.js";
import { randomCases } from "../../../test/setup/random-cases.js";

const lines = fc.array(fc.constantFrom("a", "b", "c", "}", "", "unique 1", "unique 2", "unique 3", "d"), {
  maxLength: 20,
});
const toLines = (list: readonly string[]) =>
  createPresentLines(Buffer.from(list.map((line) => `${line}\n`).join("")));
const seenAll = (list: readonly string[]) => ({
  identity: "1",
  runs: list.length === 0 ? [] : [{ start: 1, lines: list }],
  complete: true,
});

describe("alignRuns", () => {
  it("maps lines only onto equal lines, each onto another one, in their order", () => {
    fc.assert(
      fc.property(lines, lines, (seen, present) => {
        const [found = []] = alignRuns([{ start: 1, lines: seen }], present);
        const mapped = found.filter((number) => number > 0);
        for (const [at, number] of found.entries())
          if (number > 0) expect(present[number - 1]).toBe(seen[at]);
        expect(new Set(mapped).size).toBe(mapped.length);
        expect(mapped).toEqual(mapped.toSorted((one, other) => one - other));
      }),
      { numRuns: randomCases(1000) },
    );
  });

  it("finds everything again that was only moved as a whole", () => {
    const unique = Array.from({ length: 30 }, (_, at) => `line ${at % 7} ${at}`);
    fc.assert(
      fc.property(fc.array(fc.constantFrom("x", "y"), { maxLength: 5 }), fc.nat(29), (above, from) => {
        const run = { start: from + 1, lines: unique.slice(from) };
        const [found = []] = alignRuns([run], [...above, ...unique]);
        expect(found).toEqual(run.lines.map((_, at) => above.length + from + at + 1));
      }),
    );
  });
});

describe("compareSeen", () => {
  it("calls nothing fresh that is not as it was seen", () => {
    fc.assert(
      fc.property(
        lines,
        lines,
        fc.array(fc.boolean(), { minLength: 20, maxLength: 20 }),
        (before, now, shown) => {
          const runs = joinRuns(
            before.flatMap((line, at) => (shown[at] ? [{ start: at + 1, lines: [line] }] : [])),
          );
          const fresh = compareSeen({ identity: "1", runs, complete: false }, toLines(now));
          const seen = new Set(runs.flatMap((run) => run.lines));
          for (const at of now.keys()) {
            if (fresh.judge({ startLine: at + 1, endLine: at + 1 }) !== "fresh") continue;
            expect(seen).toContain(now[at]);
          }
          for (const run of fresh.known.runs)
            expect(run.lines).toEqual(now.slice(run.start - 1, run.start - 1 + run.lines.length));
        },
      ),
      { numRuns: randomCases(1000) },
    );
  });

  it("sees a file that is as it was as unchanged, and any other as changed", () => {
    fc.assert(
      fc.property(lines, lines, (before, now) => {
        const fresh = compareSeen(seenAll(before), toLines(now));
        const same = JSON.stringify(before) === JSON.stringify(now);
        const whole = now.length === 0 ? "fresh" : fresh.judge({ startLine: 1, endLine: now.length });
        expect(fresh.unchanged && whole === "fresh").toBe(same);
        if (!same) expect(fresh.firstChange).toBeDefined();
      }),
      { numRuns: randomCases(1000) },
    );
  });

  it("tells lines that are new among seen ones from lines that nobody looked at", () => {
    const seen = { identity: "1", runs: [{ start: 1, lines: ["one", "two"] }], complete: false };
    const fresh = compareSeen(seen, toLines(["one", "new", "two", "three"]));
    const judge = (line: number) => fresh.judge({ startLine: line, endLine: line });
    expect([1, 2, 3, 4].map(judge)).toEqual(["fresh", "changed", "fresh", "unseen"]);
    expect(fresh.judge({ startLine: 1, endLine: 3 })).toBe("changed");
  });
});
