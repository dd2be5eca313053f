import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { randomCases } from "../../test/setup/random-cases.js";
import { createFileLines } from "./file-lines.js";
import { countOf, lineEndingOf, toLineFeeds } from "./line-ends.js";
import { createLineIndex } from "./line-index.js";
import { createLineLookup } from "./line-lookup.js";
import { createLineTable, lineStarts, splitLines } from "./line-table.js";
import { normalizeLineEnds } from "./normal-text.js";
import { createSearchSpace } from "./search-space.js";
import { decodeText } from "./decode-text.js";

const numRuns = randomCases(200);
const piece = fc.constantFrom("a", "b", "ab", " ", "\n", "\r\n", "\r", "", "é");
const text = fc.array(piece, { maxLength: 14 }).map((pieces) => pieces.join(""));

/** The lines of a text and their ends, by a pattern. */
function plainLines(given: string): [line: string, end: string][] {
  const pattern = given.includes("\n") ? /([^\n]*?)(\r?\n)|([^\n]+)$/gu : /([^\r]*)(\r)|([^\r]+)$/gu;
  return Array.from(given.matchAll(pattern), ([, line, end = "", last]) => [line ?? last ?? "", end]);
}

function spaceOf(given: string, encoding = "utf8") {
  const bytes = Buffer.from(given, encoding === "utf8" ? "utf8" : "utf16le");
  return createSearchSpace(bytes, decodeText(bytes, encoding));
}

describe("the lines of a text", () => {
  it("are those that a pattern finds, wherever they are asked for", () => {
    fc.assert(
      fc.property(text, (given) => {
        const lines = plainLines(given);
        expect(splitLines(given).map(({ text: line, end }) => [line, end])).toEqual(lines);
        const starts = lines.map((_, at) => lines.slice(0, at).flat().join("").length);
        const table = createLineTable(given);
        expect(table.count).toBe(lines.length);
        expect(table.starts).toEqual(starts);
        expect(lineStarts(given)).toEqual(starts);
        expect(table.start(lines.length)).toBe(given.length);
        for (let at = 0; at < given.length; at++)
          expect(table.lineAt(at)).toBe(starts.findLastIndex((start) => start <= at));
      }),
      { numRuns },
    );
  });

  it("end with line feeds alone where the mark says so", () => {
    const table = createLineTable("a\rb\r", "\n");
    expect([table.count, table.contentEnd(0)]).toEqual([1, 4]);
    expect(createLineTable("\r\n", "\n").contentEnd(0)).toBe(0);
    expect(createLineTable("a\r\n\n", "\n").contentEnd(1)).toBe(3);
    expect(createLineTable("a").lineAt(-1)).toBe(0);
  });

  it("are found in a row, whole lines only, in every way of looking them up", () => {
    fc.assert(
      fc.property(
        text,
        fc.array(fc.constantFrom("a", "b", "ab", "", " ", "a ", "é"), { maxLength: 3 }),
        (given, wanted) => {
          const feeds = toLineFeeds(given);
          const lines = plainLines(feeds).map(([line]) => line);
          const expected = lines.flatMap((_, at) =>
            wanted.length > 0 && wanted.every((line, index) => lines[at + index] === line) ? [at] : [],
          );
          const table = createLineTable(feeds);
          expect(createLineLookup(feeds, table).find(wanted)).toEqual(expected);
          expect(createLineIndex(lines.length, (at) => lines[at] ?? "").find(wanted)).toEqual(expected);
          for (const encoding of ["utf8", "utf16le"]) {
            const space = spaceOf(given, encoding);
            for (const searches of [4, 5]) {
              const file = createFileLines(space, { returnsWithin: false, searches });
              if (wanted.length === 0 || (given.includes("\n") && /\r(?!\n)/u.test(given))) continue;
              expect(file.find(wanted.map(space.pack))).toEqual(expected);
            }
          }
        },
      ),
      { numRuns },
    );
  });

  it("are known by their text and end", () => {
    fc.assert(
      fc.property(text, (given) => {
        const space = spaceOf(given, "utf16le");
        const file = createFileLines(space, { returnsWithin: false, searches: 1 });
        const lines = plainLines(given);
        expect(file.count).toBe(lines.length);
        expect(file.mark).toBe(given.includes("\n") ? "\n" : "\r");
        for (const [at, [line, end]] of lines.entries()) {
          expect(file.line(at)).toEqual({ text: line, end });
          expect(file.isLine(at, line, "\n")).toBe(end === "\n");
          expect(file.isLine(at, line, "")).toBe(end === "");
          expect(file.isLine(at, `${line}x`, "")).toBe(false);
          expect(file.isLine(at, line.replace("a", "c"), "\n")).toBe(end === "\n" && !line.includes("a"));
          const feeds = !given.includes("\r") && lines.slice(at, at + 2).every(([, each]) => each === "\n");
          expect(file.endsWithFeeds(at, Math.min(2, lines.length - at))).toBe(feeds);
        }
        expect(file.endsWithFeeds(0, 0)).toBe(false);
      }),
      { numRuns },
    );
  });

  it("keep carriage returns within them where they are compared with such lines", () => {
    const file = createFileLines(spaceOf("a\rb"), { returnsWithin: true, searches: 1 });
    expect([file.count, file.mark, file.line(0)]).toEqual([1, "\n", { text: "a\rb", end: "" }]);
    expect(createFileLines(spaceOf("a\rb"), { returnsWithin: false, searches: 1 }).count).toBe(2);
  });

  it("are found regardless of trailing blanks and typographic signs", () => {
    const content = "“x” – y\u00A0z  \n  “x” – y\u00A0z\n'a'\t\r\n";
    for (const encoding of ["utf8", "utf16le"]) {
      const space = spaceOf(content, encoding);
      const file = createFileLines(space, { returnsWithin: false, searches: 1 });
      expect(file.findLoosely([space.pack('"x" - y z')])).toEqual([0]);
      expect(file.findLoosely([space.pack('"x" - y z '), space.pack('  "x" - y z')])).toEqual([0]);
      expect(file.findLoosely([space.pack("‘a’")])).toEqual([2]);
      expect(file.findLoosely(["'b'"])).toEqual([]);
    }
  });

  it.each([
    ["class A:", [0, 4]],
    ["A", [0, 4]],
    ["class", [0, 4]],
    ["clas", []],
    ["lass A", []],
    ["def f", [2, 3]],
    ["def f()", [2]],
    ["f(", [2, 3]],
    ["AB", [1]],
    ["ABC", []],
    ["  class A:  ", [0, 4]],
  ])("are named by the heading %j", (heading, found) => {
    const space = spaceOf("class A:\n  AB\n  def f():\n  def f(x): A1 fAB2\n\tclass A:\n");
    const file = createFileLines(space, { returnsWithin: false, searches: 1 });
    expect(file.findHeading(heading)).toEqual(found);
    expect(file.findHeading(heading)).toEqual(found);
  });
});

describe("line ends", () => {
  it("are counted and written as line feeds as patterns do it", () => {
    fc.assert(
      fc.property(text, fc.nat(14), fc.nat(14), (given, one, other) => {
        const [from, to] = [Math.min(one, other), Math.max(one, other)];
        expect(countOf(given, "\n")).toBe(given.split("\n").length - 1);
        expect(countOf(given, "a", from, to)).toBe(given.slice(from, to).split("a").length - 1);
        expect(toLineFeeds(given)).toBe(given.replaceAll("\r\n", "\n").replaceAll("\r", "\n"));
        const kinds = new Set(given.match(/\r\n|\r|\n/gu) ?? []);
        const names = { "\n": "lf", "\r\n": "crlf", "\r": "cr" } as Record<string, string>;
        const expected = kinds.size === 0 ? "none" : kinds.size > 1 ? "mixed" : names[[...kinds][0] ?? ""];
        expect(lineEndingOf(given)).toBe(expected);
        const space = spaceOf(`${given}${given}${given}\n`);
        const packed = space.packed;
        expect(space.countLineEnds(from, to)).toBe(packed.slice(from, to).split("\n").length - 1);
        expect(space.countLineEnds(0, packed.length + 5)).toBe(packed.split("\n").length - 1);
      }),
      { numRuns },
    );
  });

  it("are counted in long texts, wherever counting starts and ends", () => {
    const content = Array.from({ length: 90 }, (_, at) => "x".repeat(at % 7)).join("\n");
    for (const mark of ["\n", "\r"]) {
      const space = spaceOf(content.replaceAll("\n", mark));
      for (let from = 0; from < 12; from++)
        for (const to of [from, from + 1, from + 31, from + 40, from + 47, content.length - from])
          expect(space.countLineEnds(from, to)).toBe(content.slice(from, to).split("\n").length - 1);
    }
  });

  it("that were written as line feeds are found where they were", () => {
    fc.assert(
      fc.property(text, fc.boolean(), fc.array(fc.nat(14), { maxLength: 4 }), (given, lone, asked) => {
        const pattern = lone ? /\r\n?/gu : /\r\n/gu;
        const normal = normalizeLineEnds(given, lone);
        expect(normal.text).toBe(given.replaceAll(pattern, "\n"));
        for (const index of asked.filter((each) => each <= normal.text.length)) {
          const original = normal.original(index);
          expect(given.slice(0, original).replaceAll(pattern, "\n")).toBe(normal.text.slice(0, index));
          // Not between the two characters of a line end.
          expect(given.slice(0, original).endsWith("\r") && given[original] === "\n").toBe(false);
        }
      }),
      { numRuns },
    );
  });
});
