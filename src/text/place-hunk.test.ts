import { describe, expect, it } from "vitest";
import { decodeText } from "./decode-text.js";
import { createFileLines } from "./file-lines.js";
import { headingPlaces, withinHeadings } from "./heading-scope.js";
import { placeByHeading } from "./place-by-heading.js";
import { placeHunk } from "./place-hunk.js";
import { createSearchSpace } from "./search-space.js";

function fileOf(lines: readonly string[]) {
  const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(""));
  return createFileLines(createSearchSpace(bytes, decodeText(bytes, "utf8")), {
    returnsWithin: false,
    searches: 1,
  });
}

const letters = fileOf(["a", "x", "b", "x", "c", "x"]);

describe("placeHunk", () => {
  const hunk = (oldLines: string[], more: object = {}) => ({
    oldLines,
    newLines: ["new"],
    atEnd: false,
    isPlain: true,
    ...more,
  });
  const start = { from: 0, drift: 0 };

  it.each<[string, ReturnType<typeof hunk>, { from: number; drift: number }, object]>([
    ["the only place", hunk(["x", "b"]), start, { at: 1 }],
    ["the only place that is left", hunk(["x"]), { from: 4, drift: 0 }, { at: 5 }],
    ["a place at which the last hunk ended", hunk(["x"]), { from: 5, drift: 0 }, { at: 5 }],
    ["the end of the file", hunk(["x"], { atEnd: true }), start, { at: 5 }],
    ["the stated number", hunk(["x"], { oldStart: 4 }), start, { at: 3 }],
    [
      "the stated number, moved as far as the last",
      hunk(["x"], { oldStart: 2 }),
      { from: 0, drift: 4 },
      { reason: "ambiguous", lines: [2, 4, 6] },
    ],
    [
      "a number that fits only when it is moved",
      hunk(["x"], { oldStart: 3 }),
      { from: 0, drift: 1 },
      { at: 3 },
    ],
    ["a number that is moved back", hunk(["x"], { oldStart: 5 }), { from: 0, drift: -1 }, { at: 3 }],
    [
      "a number at which nothing fits",
      hunk(["x"], { oldStart: 3 }),
      start,
      { reason: "ambiguous", lines: [2, 4, 6] },
    ],
    [
      "several places without a number",
      hunk(["x"]),
      { from: 2, drift: 0 },
      { reason: "ambiguous", lines: [4, 6] },
    ],
    ["what lies before the last hunk", hunk(["a"]), { from: 1, drift: 0 }, { reason: "out of order" }],
    ["what is not at the end", hunk(["b"], { atEnd: true }), start, { reason: "not at the end of the file" }],
    ["what is nowhere", hunk(["q"]), start, { reason: "context not found" }],
    [
      "what is nowhere and leaves nothing",
      hunk(["q"], { newLines: [] }),
      start,
      { reason: "context not found" },
    ],
    ["what was applied before", hunk(["q"], { newLines: ["b", "x"] }), start, { reason: "already applied" }],
    ["lines added behind a number", hunk([], { oldStart: 3 }), start, { at: 3 }],
    ["lines added at the start", hunk([], { oldStart: 0 }), start, { at: 0 }],
    ["lines added at the end", hunk([], { oldStart: 6 }), start, { at: 6 }],
    ["lines added behind the end", hunk([], { oldStart: 7 }), start, { reason: "context not found" }],
    ["lines added right behind the last hunk", hunk([], { oldStart: 3 }), { from: 3, drift: 0 }, { at: 3 }],
    [
      "lines added before the last hunk",
      hunk([], { oldStart: 2 }),
      { from: 3, drift: 0 },
      { reason: "out of order" },
    ],
    ["lines added nowhere", hunk([]), start, { reason: "no context" }],
  ])("takes %s", (_, wanted, placing, placed) => {
    expect(placeHunk(letters, wanted, placing)).toEqual(placed);
  });

  it("puts lines into an empty file, and names twenty places at most", () => {
    expect(placeHunk(fileOf([]), hunk([], { oldStart: 9 }), start)).toEqual({ at: 0 });
    const many = placeHunk(fileOf(Array.from({ length: 30 }, () => "x")), hunk(["x"]), start);
    expect(many).toEqual({ reason: "ambiguous", lines: Array.from({ length: 20 }, (_, at) => at + 1) });
  });
});

describe("placeByHeading", () => {
  const hunk = (oldLines: string[], more: object = {}) => ({
    oldLines,
    newLines: ["new"],
    atEnd: false,
    isPlain: true,
    headings: [] as string[],
    ...more,
  });
  const two = fileOf([
    "class A {",
    "  run() {",
    "    go",
    "  }",
    "}",
    "class B {",
    "  run() {",
    "    go",
    "  }",
    "}",
  ]);
  const ambiguous = {
    reason: "ambiguous",
    message: expect.stringContaining("matches in several places") as string,
  };

  it.each<[string, ReturnType<typeof hunk>[], unknown]>([
    ["below its heading", [hunk(["    go"], { headings: ["class B"] })], [{ at: 7, size: 1, exact: true }]],
    [
      "below nested headings",
      [hunk(["    go"], { headings: ["class A {", "run"] })],
      [{ at: 2, size: 1, exact: true }],
    ],
    ["at its number", [hunk(["    go"], { oldStart: 8 })], [{ at: 7, size: 1, exact: true }]],
    [
      "at no number that does not fit",
      [hunk(["    go"], { oldStart: 7 })],
      { index: 0, ...ambiguous, lines: [3, 8] },
    ],
    [
      "after the one before it",
      [hunk(["class B {"]), hunk(["    go"])],
      [
        { at: 5, size: 1, exact: true },
        { at: 7, size: 1, exact: true },
      ],
    ],
    [
      "each at one of as many places",
      [hunk(["    go"]), hunk(["    go"])],
      [
        { at: 2, size: 1, exact: true },
        { at: 7, size: 1, exact: true },
      ],
    ],
    [
      "not where there are fewer places",
      [hunk(["    go"]), hunk(["    go"]), hunk(["    go"])],
      { index: 2, reason: "out of order" },
    ],
    [
      "not before the one before it",
      [hunk(["class B {"]), hunk(["class A {"])],
      { index: 1, reason: "out of order" },
    ],
    [
      "not where blocks would overlap",
      [hunk(["class B {", "  run() {"]), hunk(["  run() {", "    go"])],
      { index: 1, reason: "out of order" },
    ],
    [
      "right behind another",
      [hunk(["class B {", "  run() {"]), hunk(["    go"])],
      [
        { at: 5, size: 2, exact: true },
        { at: 7, size: 1, exact: true },
      ],
    ],
    ["by what it looks like", [hunk(["class A { "])], [{ at: 0, size: 1, exact: false }]],
    ["without its empty last line", [hunk(["class B {", ""])], [{ at: 5, size: 1, exact: true }]],
    ["at the end", [hunk(["}"], { atEnd: true })], [{ at: 9, size: 1, exact: true }]],
    [
      "not elsewhere than at the end",
      [hunk(["class A {"], { atEnd: true })],
      {
        index: 0,
        reason: "not at the end of the file",
        message: expect.stringContaining("more lines after it"),
      },
    ],
    [
      "not above its heading",
      [hunk(["class A {"], { headings: ["class B"] })],
      { index: 0, reason: "context not found", message: expect.stringContaining("not below its heading") },
    ],
    [
      "below no heading that is missing",
      [hunk(["}"], { headings: ["class C"] })],
      { index: 0, reason: "context not found", message: expect.stringContaining("'@@ class C'") },
    ],
    ["nowhere", [hunk(["class A {"]), hunk(["q"])], { index: 1, reason: "context not found" }],
    [
      "nowhere once it is applied",
      [hunk(["q"], { newLines: ["class B {"] })],
      { index: 0, reason: "already applied" },
    ],
    [
      "nowhere where nothing would be left",
      [hunk(["q"], { newLines: [] })],
      { index: 0, reason: "context not found" },
    ],
    ["as an addition at the end", [hunk([])], [{ at: 10, size: 0, exact: true }]],
    [
      "as an addition below a heading",
      [hunk([], { headings: ["class B"] })],
      [{ at: 6, size: 0, exact: true }],
    ],
    [
      "as an addition at the end in spite of a heading",
      [hunk([], { headings: ["class B"], atEnd: true })],
      [{ at: 10, size: 0, exact: true }],
    ],
  ])("puts a hunk %s", (_, hunks, placed) => {
    expect(placeByHeading(two, hunks)).toEqual(placed);
  });

  it("tells apart hunks that differ only in their headings, number or end", () => {
    const go = hunk(["    go"], { headings: ["class A"] });
    const at = (...hunks: ReturnType<typeof hunk>[]) =>
      (placeByHeading(two, hunks) as readonly { at: number }[]).map(({ at }) => at);
    expect(at(go, { ...go, headings: ["class B"] })).toEqual([2, 7]);
    expect(at(hunk(["    go"], { oldStart: 3 }), hunk(["    go"], { oldStart: 8 }))).toEqual([2, 7]);
    expect(at(hunk(["}"]), hunk(["}"], { atEnd: true }))).toEqual([4, 9]);
    expect(at(hunk(["    go"]), hunk(["    go", "  }"]))).toEqual([2, 7]);
  });

  it("names only the places between the first and the last possible one, twenty at most", () => {
    const result = placeByHeading(letters, [hunk(["x"]), hunk(["c"])]);
    expect(result).toEqual({ index: 0, ...ambiguous, lines: [2, 4] });
    const many = placeByHeading(fileOf(Array.from({ length: 30 }, () => "x")), [hunk(["x"])]) as {
      lines?: readonly number[];
    };
    expect(many.lines).toEqual(Array.from({ length: 20 }, (_, at) => at + 1));
  });
});

describe("the scope of headings", () => {
  it("leads from heading to heading, and names the one that is missing", () => {
    const file = fileOf(["class A:", "  def run:", "    x", "class B:", "  def run:", "    x"]);
    expect(headingPlaces(file, ["class B:", "def run:"])).toEqual([4]);
    expect(headingPlaces(file, ["def run:"])).toEqual([1, 4]);
    expect(headingPlaces(file, ["class B:", "def walk:"])).toEqual({ missing: "def walk:" });
    expect(headingPlaces(file, [])).toEqual([]);
  });

  it.each<[string, string[], number[], number[], number[]]>([
    ["indented lines", ["def a", "  x", "y", "x"], [0], [1, 3], [1]],
    ["all up to the next similar heading", ["## One", "x", "y", "## Two", "x"], [0], [1, 4], [1]],
    [
      "no more than up to the next heading that may be meant",
      ["def a", "  x", "def a", "  x", "x"],
      [0, 2],
      [1, 3, 4],
      [1, 3],
    ],
    ["what follows a block that has none", ["def a", "  y", "x", "x"], [0], [2, 3], [2, 3]],
    ["the heading itself, repeated", ["def a", "  x", "def b"], [0], [0], [0]],
    ["brackets that open and close it", ["int a()", "{", "  x", "}", "x"], [0], [2, 4], [2]],
    ["blank lines in it", ["def a", "", "  x", "", "  x", "x"], [0], [2, 4, 5], [2, 4]],
    ["a line less indented ends it", ["  def a", "    x", "end", "    x"], [0], [1, 3], [1]],
    ["all where there is only one place", ["def a", "y", "def b", "x"], [0], [3], [3]],
    ["nothing above it", ["x", "def a", "  y"], [1], [0], []],
  ])("has within it %s", (_, lines, anchors, places, within) => {
    const file = fileOf(lines);
    expect(withinHeadings(file, anchors, places)).toEqual(within);
    // Where a block ends is looked for once.
    expect(withinHeadings(file, anchors, places)).toEqual(within);
  });
});
