import { expect, it } from "vitest";
import { decodeText } from "./decode-text.js";
import { createFileLines } from "./file-lines.js";
import type { HunkLine } from "./file-patch.js";
import { changesOf } from "./hunk-changes.js";
import { createSearchSpace } from "./search-space.js";

/** The file after a hunk; a line that ends with "$" has no line end in the diff. */
function applied(
  text: string,
  at: number,
  given: readonly string[],
  { asWritten = false, returnsWithin = false } = {},
) {
  const bytes = Buffer.from(text);
  const space = createSearchSpace(bytes, decodeText(bytes, "utf8"));
  const file = createFileLines(space, { returnsWithin, searches: 1 });
  const lines = given.map((line): HunkLine => ({
    sign: line.charAt(0) as HunkLine["sign"],
    text: line.slice(1).replace(/\$$/, ""),
    noNewline: line.endsWith("$"),
  }));
  const changes = changesOf(file, { hunk: { lines, source: () => "" }, at, pack: space.pack, asWritten });
  let result = space.packed;
  for (const { span, newText } of changes?.toReversed() ?? [])
    result = result.slice(0, span.start) + newText + result.slice(span.end);
  return changes && Buffer.from(result, "latin1").toString();
}

it.each<[string, number, string[], string | undefined]>([
  ["a\nb\nc\n", 0, [" a", "-b", "+x", "+y", " c"], "a\nx\ny\nc\n"],
  ["a\nb\nc\n", 1, ["-b", " c", "+é"], "a\nc\né\n"],
  ["a\nb\nc\n", 0, ["-a", " b", "-c"], "b\n"],
  ["a\nb\nc\n", 2, ["+x", "-c"], "a\nb\nx\n"],
  // Line ends are those of the lines that are replaced, else of the nearest ones.
  ["a\r\nb\r\n", 0, ["-a", "+x", "+y", " b"], "x\r\ny\r\nb\r\n"],
  ["a\nb\r\nc\n", 1, ["-b", "+x"], "a\nx\r\nc\n"],
  ["a\r\nb\nc\n", 0, [" a", "+x", " b"], "a\r\nx\r\nb\nc\n"],
  ["a\r\nb", 1, ["-b", "+x", "+y"], "a\r\nx\r\ny"],
  ["a\r\nb", 1, [" b", "+c"], "a\r\nb\r\nc"],
  ["a\r", 0, ["-a", "+b", "+c"], "b\rc\r"],
  // Shown as they are, they are meant so.
  ["a\r\nb\r\n", 0, ["-a\r", "+x", " b\r"], "x\nb\r\n"],
  ["a\nb\n", 0, ["-a", "+x\r", " b"], "x\r\nb\n"],
  ["a\r\n", 0, ["-a", "+x\r"], "x\r\n"],
  // The last line has an end, or not, as the diff says; where it says nothing, as the file has it.
  ["a\nb", 0, [" a", "-b$", "+c$"], "a\nc"],
  ["a\nb", 0, [" a", "-b$", "+c"], "a\nc\n"],
  ["a\nb\n", 0, [" a", "-b", "+c$"], "a\nc"],
  ["a\nb", 0, ["-a", "-b", "+c"], "c"],
  ["a", 0, ["-a", "+b"], "b"],
  ["a", 0, ["-a$", "+b"], "b\n"],
  ["a\nb", 2, ["+c"], "a\nb\nc"],
  ["", 0, ["+a", "+b$"], "a\nb"],
  ["", 0, ["+a"], "a\n"],
  // No line may lose its end amid the file.
  ["a\nb\n", 0, ["-a", "+x$"], undefined],
  ["a\nb\n", 0, ["-a", "-b", "+x$"], "x"],
])("makes of %j at line %i with %j the text %j", (text, at, lines, result) => {
  expect(applied(text, at, lines)).toBe(result);
});

it("takes the lines as they are written where they are known to be those of the file", () => {
  expect(applied("a\r\nb\r\n", 0, ["-a", "+x", " b"], { asWritten: true })).toBe("x\nb\r\n");
  expect(applied("a\nb\n", 0, ["-a", "+x$", "-b"], { asWritten: true })).toBe("x");
});

it("sees the returns within the lines of a file that has no line feeds", () => {
  expect(applied("a\rb", 0, ["-a\rb$", "+a\rc$"], { returnsWithin: true })).toBe("a\rc");
});
