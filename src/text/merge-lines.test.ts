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

  it("merges only what git merges, to the same text", async () => {
    const text = fc.array(fc.constantFrom("a", "b", "c", "d"), { maxLength: 8 }).map((all) => all.join(""));
    await fc.assert(
      fc.asyncProperty(text, text, text, async (base, ours, theirs) => {
        const merge = mergeLines(lines(base), lines(ours), lines(theirs));
        if (merge.kind !== "merged") return;
        for (const [name, content] of Object.entries({ base, ours, theirs })) {
          writeFileSync(join(dir, name), lines(content).join(""));
        }
        const git = spawnSync("git", ["merge-file", "-p", "ours", "base", "theirs"], { cwd: dir });
        // Git may call a conflict what differs only in how equal lines are paired up; it must never merge otherwise.
        if (git.status === 0) expect(merge.lines.join("")).toBe(String(git.stdout));
      }),
      { numRuns: randomCases(150) },
    );
  });

  it("takes changes to the same lines for a conflict where one of them replaces more of the text", async () => {
    const base = lines("abcde");
    expect(mergeLines(base, lines("aXcde"), lines("aXde"))).toMatchObject({ kind: "conflict" });
    expect(mergeLines(base, lines("abcX"), lines("abXe"))).toMatchObject({ kind: "conflict" });
  });
});
