import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { mergeLines } from "./merge-lines.js";
import { randomCases } from "../../test/setup/random-cases.js";

let dir: string;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), "tenon-merge-"));
  execFileSync("git", ["init", "-q", dir]);
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const lines = (text: string): string[] => Array.from(text, (letter) => `${letter}\n`);

/** What git makes of the three texts; nothing if it finds a conflict. */
function mergeByGit(base: string, ours: string, theirs: string): string | undefined {
  for (const [name, content] of Object.entries({ base, ours, theirs })) {
    writeFileSync(join(dir, name), lines(content).join(""));
  }
  const git = spawnSync("git", ["merge-file", "-p", "ours", "base", "theirs"], { cwd: dir });
  return git.status === 0 ? String(git.stdout) : undefined;
}

describe("mergeLines", () => {
  it.each([
    ["changes of one side", "abcdef", "abXdef", "abcdef", "abXdef"],
    ["changes of both at a distance", "abcdef", "Xbcdef", "abcdeY", "XbcdeY"],
    ["the same change on both", "abc", "aXc", "aXc", "aXc"],
    ["a deletion and an insertion elsewhere", "abcdef", "acdef", "abcdefg", "acdefg"],
  ])("keeps %s", async (_what, base, ours, theirs, merged) => {
    expect(mergeLines(lines(base), lines(ours), lines(theirs))).toEqual({
      kind: "merged",
      lines: lines(merged),
    });
  });

  it.each([
    ["the same line", "abc", "aXc", "aYc"],
    ["lines that touch", "abcd", "aXcd", "abYd"],
    ["a line that the other side deleted", "abc", "aXc", "ac"],
    ["insertions in one place", "ab", "aXb", "aYb"],
  ])("refuses changes of %s", async (_what, base, ours, theirs) => {
    const merge = mergeLines(lines(base), lines(ours), lines(theirs));
    expect(merge.kind).toBe("conflict");
  });

  it("merges what git merges to the same text, and nothing else", async () => {
    // Each line of the common text is there once and no change brings it again: only one way to compare the texts is right.
    const base = "abcdefgh";
    const side = fc
      .array(fc.constantFrom("", "X", "Y", "XY"), { minLength: 9, maxLength: 9 })
      .chain((added) =>
        fc
          .subarray(Array.from(base), { minLength: 4 })
          .map((kept) =>
            Array.from(`${base} `, (letter, at) => added[at] + (kept.includes(letter) ? letter : "")).join(
              "",
            ),
          ),
      );
    await fc.assert(
      fc.asyncProperty(side, side, async (ours, theirs) => {
        const merge = mergeLines(lines(base), lines(ours), lines(theirs));
        const git = mergeByGit(base, ours, theirs);
        expect(merge.kind === "merged" ? merge.lines.join("") : "conflict").toBe(git ?? "conflict");
      }),
      { numRuns: randomCases(150) },
    );
  });

  it.each([
    ["an addition to a run of equal lines that the other side lengthens too", "a", "aa", "daa"],
    ["a deletion next to an addition that may be one and the same", "bbc", "bcc", "bbcc"],
    ["an addition in front of a run of equal lines that the other side shortens", "bccc", "bXccc", "bcc"],
    ["an addition behind such a run", "bccc", "bcccX", "bcc"],
    ["an addition behind such a run, on the other side", "bccc", "bcc", "bcccX"],
  ])("does not guess where equal lines were meant: %s", async (_what, base, ours, theirs) => {
    expect(mergeLines(lines(base), lines(ours), lines(theirs)).kind).toBe("conflict");
  });

  it.each([
    ["at a distance from a run of equal lines", "accccbd", "acccbd", "accccbX", "acccbX"],
    ["of both sides, the same in a run", "acccb", "accb", "accb", "accb"],
    ["the same addition to a run", "acccb", "accccb", "accccb", "accccb"],
    ["several lines that repeat", "xabaz", "xababaz", "xabazY", "xababazY"],
  ])("merges changes %s", async (_what, base, ours, theirs, merged) => {
    expect(mergeLines(lines(base), lines(ours), lines(theirs))).toEqual({
      kind: "merged",
      lines: lines(merged),
    });
  });

  it("takes changes to the same lines for a conflict where one of them replaces more of the text", async () => {
    const base = lines("abcde");
    expect(mergeLines(base, lines("aXcde"), lines("aXde"))).toMatchObject({ kind: "conflict" });
    expect(mergeLines(base, lines("abcX"), lines("abXe"))).toMatchObject({ kind: "conflict" });
  });
});
