import { describe, expect, it } from "vitest";
import { createFailedLines, type FailedLines } from "./failed-lines.js";

/** How often a line ran directly and succeeded before it was tried on a layer again. */
function directRuns(lines: FailedLines, line: string): number {
  let runs = 0;
  for (; lines.isDirect(line); runs += 1) lines.succeeded(line);
  return runs;
}

describe("a line that failed on a layer", () => {
  it("runs directly until it has succeeded, however often it was stopped before, and others do not", () => {
    const lines = createFailedLines();
    expect(lines.isDirect("make")).toBe(false);
    lines.begin("make")();
    for (const _ of [1, 2, 3]) expect([lines.isDirect("make"), lines.isDirect("ls")]).toEqual([true, false]);
    lines.succeeded("ls");
    expect(directRuns(lines, "make")).toBe(1);
  });

  it("runs directly more often each time it fails there again, and once if it succeeded between", () => {
    const lines = createFailedLines();
    const runs = Array.from({ length: 7 }, () => {
      lines.begin("make")();
      return directRuns(lines, "make");
    });
    expect(runs).toEqual([1, 2, 4, 8, 16, 16, 16]);
    lines.begin("make");
    lines.begin("make")();
    expect(directRuns(lines, "make")).toBe(1);
  });

  it("counts a failure of two runs at once once", () => {
    const lines = createFailedLines();
    const failures = [lines.begin("make"), lines.begin("make")];
    for (const fails of failures) fails();
    expect(directRuns(lines, "make")).toBe(1);
  });
});
