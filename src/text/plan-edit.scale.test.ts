import { describe, expect, it } from "vitest";
import { planEdit, type EditPlan } from "./plan-edit.js";
import { underLoad } from "../../test/setup/under-load.js";

/** Far above what it takes, far below what anything quadratic would. */
const limitMs = 2500;

function timed(file: Buffer, oldStr: string, replaceAll = false): EditPlan {
  const start = performance.now();
  const plan = planEdit(file, { oldStr, newStr: "x\ny", replaceAll });
  expect(performance.now() - start).toBeLessThan(underLoad(limitMs));
  return plan;
}

describe("planEdit, at size", () => {
  const lines = Buffer.from(
    Array.from(
      { length: 140_000 },
      (_, at) => `const value${at} = compute(argument, "é", 42); // comment\n`,
    ).join(""),
  );
  const same = Buffer.from("same line\n".repeat(100_000));

  it("edits one line of 10 MB in a moment", () => {
    expect(timed(lines, "const value139000 = compute(")).toMatchObject({
      ok: true,
      spans: [{ startLine: 139_001, endLine: 139_001 }],
    });
  });

  it("edits a file of one line", () => {
    const file = Buffer.from(`${"x".repeat(5e6)}needle${"x".repeat(5e6)}`);
    expect(timed(file, "needle")).toMatchObject({ ok: true, spans: [{ startLine: 1, endLine: 1 }] });
    expect(timed(file, "needles")).toMatchObject({ fault: "not-found" });
  });

  it("counts and compares thousands of equal lines in linear time", () => {
    expect(timed(same, "same line\n".repeat(50_000))).toMatchObject({ fault: "not-unique", count: 50_001 });
    expect(timed(same, `${"same line\n".repeat(50_000)}other`)).toMatchObject({ fault: "not-found" });
    expect(timed(same, "  same line\n".repeat(20_000))).toMatchObject({ fault: "not-found" });
    expect(timed(same, "same line", true)).toMatchObject({ ok: true, replacements: 100_000 });
    expect(timed(Buffer.from("a".repeat(1e7)), "a".repeat(50_000))).toMatchObject({ fault: "not-unique" });
  });

  it("looks for the nearest text in bounded time, for long texts too", () => {
    const long = lines.subarray(2e6, 2.1e6).toString().replaceAll("42", "43");
    expect(timed(lines, long)).toMatchObject({
      fault: "not-found",
      nearest: { similarity: expect.closeTo(0.9, 0) as number },
    });
  });
});
