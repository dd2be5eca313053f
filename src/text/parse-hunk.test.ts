import { describe, expect, it } from "vitest";
import { ToolValidationError } from "../contract/errors.js";
import { createDiffCursor } from "./diff-cursor.js";
import { isHunkHeader, parseHunk, startsFile } from "./parse-hunk.js";

/** The lines of a hunk with "$" for an end that is missing, its number, and how many lines were read. */
function read(...given: string[]): readonly [string, number | undefined, number] {
  const cursor = createDiffCursor(given.join("\n"));
  const { lines, oldStart, source } = parseHunk(cursor);
  expect(source()).toBe(given.slice(0, cursor.position).join("\n"));
  return [
    lines.map(({ sign, text, noNewline }) => sign + text + (noNewline ? "$" : "")).join("|"),
    oldStart,
    cursor.position,
  ];
}

function refusal(...given: string[]): {
  code: string;
  message: string;
  hint?: string | undefined;
  details?: unknown;
} {
  try {
    read(...given);
  } catch (error) {
    if (error instanceof ToolValidationError) return error;
  }
  throw new Error("it was not refused");
}

describe("a hunk", () => {
  it.each<[string, string[], ReturnType<typeof read>]>([
    ["by its counts", ["@@ -3,2 +3,2 @@", " a", "-b", "+c", "prose"], [" a|-b|+c", 3, 4]],
    ["by counts of one that are left out", ["@@ -3 +3 @@", "-b", "+c", "", "x"], ["-b|+c", 3, 3]],
    ["with more signs", ["@@@ -7 +7 @@", "-b", "+c"], ["-b|+c", 7, 3]],
    ["with empty lines whose blank is missing", ["@@ -1,3 +1,2 @@", "", "-b", "", "x"], [" |-b| ", 1, 4]],
    [
      "whose last lines have no end",
      ["@@ -1 +1 @@", "-b", "\\ No newline", "+c", "\\ No newline", "x"],
      ["-b$|+c$", 1, 5],
    ],
    ["before another hunk", ["@@ -1 +1 @@", "-b", "+c", "@@ -9 +9 @@"], ["-b|+c", 1, 3]],
    ["before another file", ["@@ -1 +1 @@", "-b", "+c", "--- a/x", "+++ b/x"], ["-b|+c", 1, 3]],
    ["before the end of a mail", ["@@ -1 +1 @@", "-b", "+c", "-- ", "2.43.0"], ["-b|+c", 1, 3]],
    ["with a line of dashes at its counts", ["@@ -1,2 +1 @@", "-- ", "-b", "+c"], ["-- |-b|+c", 1, 4]],
    ["with counts that are too small", ["@@ -1 +1 @@", "-b", "+c", "+d"], ["-b|+c|+d", 1, 4]],
    ["with counts that are too large", ["@@ -1,9 +1,9 @@", "-b", "+c"], ["-b|+c", 1, 3]],
    ["with counts that are wrong on one side", ["@@ -1,2 +1,1 @@", "-b", "+c", "+d"], ["-b|+c|+d", 1, 4]],
    ["whose counts end before its changes", ["@@ -1,1 +1,1 @@", " a", "-b", "+c"], [" a|-b|+c", 1, 4]],
    ["with half a number", ["@@ -5 @@", "-b"], ["-b", 5, 2]],
    ["without numbers", ["@@ def run @@", "-b", "+c", "", "words"], ["-b|+c", undefined, 3]],
    ["with a blank line inside", ["@@", "-b", "", "+c", ""], ["-b| |+c", undefined, 4]],
    ["up to a fence", ["@@", "-b", "```", "words"], ["-b", undefined, 2]],
    ["up to the next file of git", ["@@", "-b", "diff --git a/x b/x"], ["-b", undefined, 2]],
    ["up to names of files", ["@@", "-b", "--- a/x", "+++ b/x"], ["-b", undefined, 2]],
    [
      "with a line that looks like half of the names",
      ["@@", "-b", "--- a/x", "+y"],
      ["-b|--- a/x|+y", undefined, 4],
    ],
    ["up to the end of a mail without counts", ["@@", "-b", "-- ", "2.43.0"], ["-b", undefined, 2]],
    ["up to stars", ["@@", "-b", "*** End Patch"], ["-b", undefined, 2]],
    ["up to words behind a blank line", ["@@", "-b", "", "words"], ["-b", undefined, 2]],
    [
      "whose end is missing without counts",
      ["@@", "-b", "\\ No newline at end of file"],
      ["-b$", undefined, 3],
    ],
  ])("is read %s", (_, given, result) => {
    expect(read(...given)).toEqual(result);
  });

  it("has to change something", () => {
    expect(refusal("@@ -1 +1 @@", " a")).toMatchObject({
      code: "VALUE_INVALID",
      message: "A hunk has no line that begins with '-' or '+'. Line 1 of the diff: \"@@ -1 +1 @@\".",
      hint: expect.stringContaining("' ' (kept), '-' (taken out) or '+' (put in)") as string,
      details: { line: 1 },
    });
    expect(refusal("@@", "").message).toContain("Line 1");
  });

  it("has no line without a sign", () => {
    expect(refusal("@@", "-b", "words", "+c")).toMatchObject({
      code: "VALUE_INVALID",
      message: "A line of a hunk begins with neither ' ', '-' nor '+'. Line 3 of the diff: \"words\".",
      details: { line: 3 },
    });
    const { message } = refusal("@@", "x".repeat(201));
    expect(message).toContain(`"${"x".repeat(200)}…"`);
    expect(refusal("@@", "x".repeat(200)).message).toContain(`"${"x".repeat(200)}"`);
  });
});

it.each<[string[], boolean]>([
  [["--- a", "+++ b"], true],
  [["--- a", "@@ -1 +1 @@"], true],
  [["+++ b", "@@"], true],
  [["+++ b", "+++ c"], false],
  [["--- a", " x"], false],
  [["---", "+++ b"], false],
  [["--- a"], false],
  [["x", "@@"], false],
])("%j names a file: %j", (lines, names) => {
  expect(startsFile(createDiffCursor(lines.join("\n")))).toBe(names);
});

it("tells hunks and headings of merges apart", () => {
  expect(["@@", "@@ -1 +1 @@", "@@x", "@@@ -1", "@", " @@"].map(isHunkHeader)).toEqual([
    true,
    true,
    true,
    false,
    false,
    false,
  ]);
});

it("reads the lines of a diff that was given carriage returns without them", () => {
  const linesOf = (diff: string): (string | undefined)[] =>
    [0, 1, 2, 3].map((at) => createDiffCursor(diff).peek(at));
  expect(linesOf("\uFEFF@@ -1 +1 @@\r\n-a\r\n+b\n")).toEqual(["@@ -1 +1 @@", "-a", "+b", undefined]);
  expect(linesOf("@@ -1 +1 @@\n-a\r\n+b\n\n")).toEqual(["@@ -1 +1 @@", "-a\r", "+b", ""]);
  expect(linesOf("-a\r\n")).toEqual(["-a\r", undefined, undefined, undefined]);
  expect(linesOf("@@\r\n-a\r\n+++ b\n")).toEqual(["@@\r", "-a\r", "+++ b", undefined]);
});
