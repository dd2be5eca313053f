import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { planPatch } from "./apply-patch.js";
import { applySplices } from "./make-splice.js";
import { applyPlainly } from "./begin-patch.fixture.js";
import { parseBeginPatch } from "./parse-begin-patch.js";

/** Functions with bodies from few different lines, so that many hunks match in several places. */
const file = fc
  .array(
    fc.record({
      name: fc.constantFrom("def a():", "def b():", "def c():", "class A:"),
      body: fc.array(fc.constantFrom("    x = 1", "    y = 2", "    return x", "", "        deep()"), {
        minLength: 1,
        maxLength: 6,
      }),
    }),
    { minLength: 1, maxLength: 6 },
  )
  .map((parts) => parts.flatMap(({ name, body }) => [name, ...body]));

interface Change {
  readonly at: number;
  readonly removed: number;
  readonly added: readonly string[];
  readonly context: number;
  readonly headed: boolean;
}

const changes = fc.array(
  fc.record({
    at: fc.nat({ max: 40 }),
    removed: fc.nat({ max: 2 }),
    added: fc.array(fc.constantFrom("    new = 1", "    x = 1", "added"), { maxLength: 2 }),
    context: fc.nat({ max: 3 }),
    headed: fc.boolean(),
  }),
  { minLength: 1, maxLength: 3 },
);

interface Case {
  readonly before: string;
  readonly after: string;
  readonly patch: string;
}

/** What the changes make of the file, and a patch that says so. */
function toCase(lines: readonly string[], wanted: readonly Change[]): Case | undefined {
  const patch = ["*** Begin Patch", "*** Update File: f.py"];
  const after: string[] = [];
  let done = 0;
  for (const change of [...wanted].sort((one, other) => one.at - other.at)) {
    const start = Math.max(done, change.at - change.context);
    const end = Math.min(lines.length, change.at + change.removed);
    const stop = Math.min(lines.length, end + change.context);
    if (change.at < done || end > lines.length || change.at > lines.length) return undefined;
    if (end === change.at && change.added.length === 0) return undefined;
    const heading = lines.slice(0, start).findLast((line) => /^(def|class)/.test(line));
    patch.push(change.headed && heading !== undefined ? `@@ ${heading}` : "@@");
    patch.push(...lines.slice(start, change.at).map((line) => ` ${line}`));
    patch.push(...lines.slice(change.at, end).map((line) => `-${line}`));
    patch.push(...change.added.map((line) => `+${line}`));
    patch.push(...lines.slice(end, stop).map((line) => ` ${line}`));
    // Without a line to go by, the change is meant for the end of the file or the line below the heading.
    const isBelowHeading = change.headed && heading !== undefined;
    const isMeant = isBelowHeading ? lines[start - 1] === heading : start === lines.length;
    if (start === stop && !isMeant) return undefined;
    after.push(...lines.slice(done, change.at), ...change.added);
    done = end;
    if (stop > end) {
      after.push(...lines.slice(end, stop));
      done = stop;
    }
  }
  patch.push("*** End Patch", "");
  const text = (all: readonly string[]): string => all.map((line) => `${line}\n`).join("");
  const result = text([...after, ...lines.slice(done)]);
  return { before: text(lines), after: result, patch: patch.join("\n") };
}

function apply(before: string, patch: string): string {
  const bytes = Buffer.from(before);
  const [parsed] = parseBeginPatch(patch);
  const plan = planPatch(bytes, parsed as NonNullable<typeof parsed>);
  if (plan.ok) return Buffer.from(applySplices(bytes, plan.splices)).toString();
  return plan.reason === "ambiguous" ? "ambiguous" : "refused";
}

describe("a patch in the Begin Patch format", () => {
  it("is applied as it was meant or refused as ambiguous, never in a wrong place", () => {
    let applied = 0;
    fc.assert(
      fc.property(file, changes, (lines, wanted) => {
        const made = toCase(lines, wanted);
        fc.pre(made !== undefined);
        const { before, after, patch } = made;
        const result = apply(before, patch);
        if (result === "ambiguous") return;
        expect(result).toBe(after);
        applied += 1;
      }),
      { numRuns: 3000 },
    );
    expect(applied).toBeGreaterThan(300);
  });

  it("gives what a plain reading of the format gives where only one place matches", () => {
    fc.assert(
      fc.property(file, changes, (lines, wanted) => {
        const numbered = lines.map((line, at) => `${line} # ${at}`);
        const made = toCase(numbered, wanted);
        fc.pre(made !== undefined);
        const result = apply(made.before, made.patch);
        if (result !== "ambiguous") expect(result).toBe(applyPlainly(made.before, made.patch));
      }),
      { numRuns: 2000 },
    );
  });

  it("keeps the line ends of the file, whichever the patch has", () => {
    fc.assert(
      fc.property(file, changes, fc.boolean(), fc.boolean(), (lines, wanted, crlfFile, crlfPatch) => {
        const made = toCase(lines, wanted);
        fc.pre(made !== undefined);
        const to = (text: string, crlf: boolean): string => (crlf ? text.replaceAll("\n", "\r\n") : text);
        const result = apply(to(made.before, crlfFile), to(made.patch, crlfPatch));
        if (result !== "ambiguous") expect(result).toBe(to(made.after, crlfFile));
      }),
      { numRuns: 1000 },
    );
  });
});
