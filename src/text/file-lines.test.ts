import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeText } from "./decode-text.js";
import { createFileLines } from "./file-lines.js";
import { createSearchSpace } from "./search-space.js";

function linesOf(text: string, { searches = 1, returnsWithin = false } = {}) {
  const bytes = Buffer.from(text);
  const space = createSearchSpace(bytes, decodeText(bytes, "utf8"));
  return { ...createFileLines(space, { returnsWithin, searches }), pack: space.pack };
}

describe("the lines of a file", () => {
  it("are found wherever they stand in a row, by one search or by many", () => {
    const line = fc.constantFrom("a", "b", "ab", "", "é");
    const end = fc.constantFrom("\n", "\r\n");
    fc.assert(
      fc.property(
        fc.array(line, { maxLength: 12 }),
        fc.array(line, { minLength: 1, maxLength: 3 }),
        end,
        (all, wanted, mark) => {
          const text = all.map((one) => one + mark).join("");
          const places = all.flatMap((_, at) =>
            wanted.every((one, index) => one === all[at + index]) ? [at] : [],
          );
          for (const searches of [4, 5]) {
            const file = linesOf(text, { searches });
            expect(file.find(wanted.map((one) => file.pack(one)))).toEqual(places);
          }
        },
      ),
    );
  });

  it("are those between carriage returns only where there are no line feeds, unless returns are part of lines", () => {
    const old = linesOf("a\rb\r");
    expect([old.count, old.mark, old.line(1), old.start(1), old.starts]).toEqual([
      2,
      "\r",
      { text: "b", end: "\r" },
      2,
      [0, 2],
    ]);
    expect([old.find(["b"]), old.find(["a", "b"]), old.find(["c"])]).toEqual([[1], [0], []]);
    expect(linesOf("a\rb", { returnsWithin: true })).toMatchObject({ count: 1, mark: "\n" });
    expect(linesOf("a\rb\n")).toMatchObject({ count: 1, mark: "\n" });
    expect(linesOf("").find(["a"])).toEqual([]);
    expect(linesOf("a\nb").find(["b"])).toEqual([1]);
  });

  it("all end with a line feed, or not", () => {
    const rows: [string, number, number, boolean][] = [
      ["a\nb\n", 0, 2, true],
      ["a\nb\n", 1, 1, true],
      ["a\nb", 0, 1, true],
      ["a\nb", 0, 2, false],
      ["a\nb", 1, 1, false],
      ["a\r\nb\n", 1, 1, false],
      ["a\nb\n", 0, 0, false],
    ];
    for (const [text, at, size, all] of rows)
      expect([text, at, size, linesOf(text).endsWithFeeds(at, size)]).toEqual([text, at, size, all]);
  });

  it("are compared with their ends", () => {
    const file = linesOf("ab\ncd\r\nef");
    expect([
      file.isLine(0, "ab", "\n"),
      file.isLine(0, "ab", ""),
      file.isLine(0, "ax", "\n"),
      file.isLine(0, "a", "\n"),
    ]).toEqual([true, false, false, false]);
    expect([
      file.isLine(1, "cd\r", "\n"),
      file.isLine(1, "cd", "\n"),
      file.isLine(2, "ef", ""),
      file.isLine(2, "e", "\n"),
    ]).toEqual([true, false, true, false]);
    expect(file.isLine(2, "ef", "\n")).toBe(false);
  });

  it("are also found by what they look like", () => {
    const file = linesOf("say “hi” \t\nit’s – x\u00A0y\n  plain\n");
    expect([
      file.findLoosely(['say "hi"']),
      file.findLoosely(["it's - x y"]),
      file.findLoosely(["plain"]),
      file.findLoosely(["  plain  "]),
    ]).toEqual([[0], [1], [], [2]]);
    expect(file.findLoosely(["say «hi»"])).toEqual([]);
  });
});

describe("a heading", () => {
  const file = "class Dog {\n  bark() {\n  bark()  {\n// bark of a Dog\n  rebark()\nbark\nDog“s”\n";

  it.each<[string, number[]]>([
    // A whole line, up to the blanks around it.
    ["bark() {", [1]],
    ["bark", [5]],
    ["  class Dog {  ", [0]],
    // Else a part of lines that cuts no word.
    ["Dog", [0, 3, 6]],
    ["of a", [3]],
    ["bark()", [1, 2]],
    ["ark", []],
    ["() {", [1]],
    ['Dog"s"', [6]],
    ["nowhere", []],
  ])("%j names its lines", (heading, found) => {
    const lines = linesOf(file);
    expect(lines.findHeading(heading)).toEqual(found);
    expect(lines.findHeading(heading)).toBe(lines.findHeading(heading));
  });

  it("is found as a word behind the same letters within a word", () => {
    expect(linesOf("barkbark bark\n").findHeading("bark")).toEqual([0]);
    expect(linesOf("xbark barkx\n").findHeading("bark")).toEqual([]);
    expect(linesOf("bark barkx\n").findHeading("bark")).toEqual([0]);
  });
});
