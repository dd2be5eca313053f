import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { applySplices } from "../../text/make-splice.js";
import { unifiedDiff } from "../../text/unified-diff.js";
import { describeEdit } from "./describe-edit.js";
import { editText } from "./edited-text.js";
import { createPresentLines } from "./present-lines.js";
import { randomCases } from "../../../test/setup/random-cases.js";

const text = fc
  .array(fc.constantFrom("a", "b", "é", "漢", "\n", "\n", "\n\n", "\r\n", "\r", "a\n", "b\n"), {
    maxLength: 40,
  })
  .map((parts) => parts.join(""));

/** Apply a diff of one file to the letter: every line of context must stand where the diff says. */
function applyExactly(content: string, diff: string): string {
  const old = content.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  const now: string[] = [];
  let at = 0;
  for (const [, header = "", body = ""] of diff.matchAll(/^@@ -(\S+) \+\S+ @@\n((?:[-+ \\][^\n]*\n)*)/gm)) {
    const [start = 0, count = 1] = header.split(",").map(Number);
    const first = count === 0 ? start : start - 1;
    now.push(...old.slice(at, first));
    at = first;
    for (const [, sign = "", line = "", open] of body.matchAll(
      /^([-+ ])([^\n]*\n)(\\ No newline[^\n]*\n)?/gm,
    )) {
      const text = open === undefined ? line : line.slice(0, -1);
      if (sign !== "+") expect(text).toBe(old[at++]);
      if (sign !== "-") now.push(text);
    }
  }
  return [...now, ...old.slice(at)].join("");
}

const changedLines = (diff: string): number => diff.match(/^[-+](?!--|\+\+)/gm)?.length ?? 0;

describe("describeEdit", () => {
  it("shows one change exactly, in as few lines as a comparison of the whole texts", () => {
    fc.assert(
      fc.property(text, text, fc.nat(60), fc.nat(20), (content, added, at, size) => {
        const chars = Array.from(content);
        const byteAt = (char: number): number => Buffer.byteLength(chars.slice(0, char).join(""));
        const before = Buffer.from(content);
        const data = Buffer.from(added);
        const splice = { start: byteAt(at), end: byteAt(at + size), data };
        const after = Buffer.from(applySplices(before, [splice])).toString();
        const edited = editText(before, createPresentLines(before, "utf8"), [splice]);
        const expected = unifiedDiff({ path: "f", before: content, after });
        // Without line feeds, carriage returns end the lines of a file, but never those of a diff.
        fc.pre(content.includes("\n") && after.includes("\n"));
        const { diff } = describeEdit({ path: "f" }, edited);
        expect(applyExactly(content, diff)).toBe(after);
        expect(changedLines(diff)).toBe(changedLines(expected));
      }),
      { numRuns: randomCases(1000) },
    );
  });
});
