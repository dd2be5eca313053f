import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { applySplices } from "./make-splice.js";
import { planPatch } from "./apply-patch.js";
import { parseUnifiedDiff } from "./parse-diff.js";
import type { FilePatch } from "./file-patch.js";
import { unifiedDiff } from "./unified-diff.js";
import { randomCases } from "../../test/setup/random-cases.js";

interface Pair {
  readonly before: string;
  readonly after: string;
}

const lineText = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.constantFrom(
      "",
      "}",
      "-- x",
      "++ y",
      "-",
      "+",
      "@@ -1 +1 @@",
      "é 🙂",
      "a\rb",
      " indented",
      "\ttab",
      "diff --git a/x b/x",
    ),
  },
  { weight: 3, arbitrary: fc.nat({ max: 30 }).map((number) => `line ${number}`) },
);
const lineEnd = fc.oneof(
  { weight: 8, arbitrary: fc.constant("\n") },
  { weight: 2, arbitrary: fc.constant("\r\n") },
);
const someLines = fc.array(fc.tuple(lineText, lineEnd), { maxLength: 30 });

/** A file, and the same after lines were taken out, put in and changed. */
const somePair: fc.Arbitrary<Pair> = fc
  .tuple(
    someLines,
    fc.constantFrom("\n", "\r\n", "mixed"),
    fc.array(fc.tuple(fc.nat(), fc.nat({ max: 3 }), someLines), { maxLength: 4 }),
    fc.boolean(),
    fc.boolean(),
  )
  .map(([lines, ends, mutations, openBefore, openAfter]) => {
    const write = (all: typeof lines, open: boolean): string => {
      const text = all.map(([line, end]) => line + (ends === "mixed" ? end : ends)).join("");
      return open ? text.replace(/\r?\n$/, "") : text;
    };
    const changed = [...lines];
    for (const [at, removed, added] of mutations)
      changed.splice(at % (changed.length + 1), removed, ...added.slice(0, 4));
    return { before: write(lines, openBefore), after: write(changed, openAfter) };
  });

/** What git says of many pairs of files at once. */
function gitDiff(pairs: readonly Pair[], ...options: string[]): string {
  const folder = mkdtempSync(join(tmpdir(), "tenon-diff-"));
  try {
    for (const side of ["a", "b"]) mkdirSync(join(folder, side));
    for (const [index, { before, after }] of pairs.entries()) {
      writeFileSync(join(folder, "a", `${index}.txt`), before);
      writeFileSync(join(folder, "b", `${index}.txt`), after);
    }
    const args = [
      "-c",
      "core.autocrlf=false",
      "diff",
      "--no-index",
      "--no-prefix",
      "--no-color",
      "--no-ext-diff",
      ...options,
      "a",
      "b",
    ];
    return spawnSync("git", args, { cwd: folder, encoding: "utf8", maxBuffer: 1 << 28 }).stdout;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function patched(text: string, patch: FilePatch): string {
  const bytes = Buffer.from(text);
  const plan = planPatch(bytes, patch);
  if (!plan.ok) throw new Error(`${plan.reason}: ${plan.hunkText}`);
  return Buffer.from(applySplices(bytes, plan.splices)).toString();
}

function expectAllPatched(pairs: readonly Pair[], diff: string): void {
  const patches = new Map(parseUnifiedDiff(diff).map((patch) => [patch.newPath ?? patch.oldPath, patch]));
  for (const [index, { before, after }] of pairs.entries()) {
    const patch = patches.get(`${index}.txt`);
    if (before === after) expect(patch).toBeUndefined();
    else expect({ index, text: patch && patched(before, patch) }).toEqual({ index, text: after });
  }
}

describe("patches", () => {
  it("of git turn any file into precisely the bytes of the other, with any line ends", () => {
    expect(execFileSync("git", ["--version"], { encoding: "utf8" })).toContain("git version");
    const pairs = fc.sample(somePair, 400);
    expectAllPatched(pairs, gitDiff(pairs));
    expectAllPatched(pairs, gitDiff(pairs, "-U1"));
    // Without context nothing tells a line end that is meant from one that an editor left out.
    const uniform = pairs.filter(({ before, after }) => !before.includes("\r") && !after.includes("\r"));
    expectAllPatched(uniform, gitDiff(uniform, "-U0"));
    expectAllPatched(pairs, gitDiff(pairs, "-U25", "--function-context"));
  });

  it("of Tenon itself do so too", () => {
    fc.assert(
      fc.property(somePair, ({ before, after }) => {
        const diff = unifiedDiff({ path: "x.txt", before, after, maxChars: 1e6 });
        if (before === after) {
          expect(diff).toBe("");
          return;
        }
        const [patch] = parseUnifiedDiff(diff);
        expect(patch && patched(before, patch)).toBe(after);
      }),
      { numRuns: randomCases(500) },
    );
  });

  it("apply where their lines stand although every line number is wrong or missing", () => {
    const distinct = fc
      .tuple(
        fc.integer({ min: 4, max: 40 }),
        fc.array(fc.nat({ max: 39 }), { minLength: 1, maxLength: 3 }),
        fc.constantFrom("\n", "\r\n"),
      )
      .map(([count, changed, end]) => {
        const lines = Array.from({ length: count }, (_, at) => `line number ${at}${end}`);
        const after = lines.map((line, at) => (changed.includes(at) ? `changed ${line}` : line));
        return { before: lines.join(""), after: after.join("") };
      });
    fc.assert(
      fc.property(
        distinct,
        fc.nat({ max: 200 }),
        fc.constantFrom("number", "none", "bare", "count"),
        (pair, wrong, how) => {
          fc.pre(pair.before !== pair.after);
          const header = {
            number: `@@ -${wrong},3 +${wrong},3 @@`,
            none: "@@ ... @@",
            bare: "@@",
            count: `@@ -${wrong},99 +1,1 @@ f()`,
          }[how];
          const diff = unifiedDiff({ path: "x", ...pair }).replaceAll(/^@@ .*$/gm, header);
          const [patch] = parseUnifiedDiff(diff);
          expect(patch && patched(pair.before, patch)).toBe(pair.after);
        },
      ),
      { numRuns: randomCases(300) },
    );
  });

  it("keep the file's line ends where the diff came with others", () => {
    fc.assert(
      fc.property(somePair, ({ before, after }) => {
        const [feeds, returns] = [
          (text: string) => text.replaceAll("\r", ""),
          (text: string) => text.replaceAll("\r", "").replaceAll("\n", "\r\n"),
        ];
        fc.pre(feeds(before) !== feeds(after) && before.includes("\n"));
        const [patch] = parseUnifiedDiff(
          unifiedDiff({ path: "x", before: feeds(before), after: feeds(after), maxChars: 1e6 }),
        );
        const [foreign] = parseUnifiedDiff(
          returns(unifiedDiff({ path: "x", before: feeds(before), after: feeds(after), maxChars: 1e6 })),
        );
        fc.pre(patch !== undefined && foreign !== undefined);
        expect(patched(returns(before), patch)).toBe(returns(after));
        expect(patched(returns(before), foreign)).toBe(returns(after));
        expect(patched(feeds(before), foreign)).toBe(feeds(after));
      }),
      { numRuns: randomCases(500) },
    );
  });
});
