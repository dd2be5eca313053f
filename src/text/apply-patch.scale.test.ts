import { describe, expect, it } from "vitest";
import { planPatch, type PatchPlan } from "./apply-patch.js";
import { parseBeginPatch } from "./parse-begin-patch.js";
import { underLoad } from "../../test/setup/under-load.js";

/** Far above what it takes, far below what anything worse than quadratic would. */
const limitMs = 1500;

function timed(file: string, hunks: readonly string[]): PatchPlan {
  const [patch] = parseBeginPatch(
    ["*** Begin Patch", "*** Update File: a", ...hunks, "*** End Patch"].join("\n"),
  );
  if (patch === undefined) throw new Error("no patch");
  const start = performance.now();
  const plan = planPatch(Buffer.from(file), patch);
  expect(performance.now() - start).toBeLessThan(underLoad(limitMs));
  return plan;
}

describe("planPatch, at size", () => {
  const count = 3000;
  const blocks = "function\n}\n".repeat(count);

  it("places thousands of hunks with the same heading and lines", () => {
    const hunks = Array.from({ length: count }, () => "@@ function\n-}\n+};");
    expect(timed(blocks, hunks)).toMatchObject({ ok: true });
  });

  it("places thousands of hunks with the same heading and different lines around", () => {
    const lines = Array.from({ length: count }, (_, at) => `function\n  x${at}\n}\n`).join("");
    const hunks = Array.from({ length: count }, (_, at) => `@@ function\n   x${at}\n-}\n+};`);
    expect(timed(lines, hunks)).toMatchObject({ ok: true });
  });

  it("refuses thousands of hunks that match everywhere", () => {
    const hunks = Array.from({ length: count }, () => "@@\n-}\n+};");
    expect(timed("}\n".repeat(count * 3), hunks)).toMatchObject({ ok: false, reason: "ambiguous" });
  });
});
