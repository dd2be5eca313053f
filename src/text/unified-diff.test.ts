import { describe, expect, it } from "vitest";
import { unifiedDiff } from "./unified-diff.js";
import { underLoad } from "../../test/setup/under-load.js";

const numbers = Array.from({ length: 20 }, (_, at) => `${at + 1}\n`).join("");

describe("unifiedDiff", () => {
  it("is empty where nothing differs", () => {
    expect(unifiedDiff({ path: "a", before: "x\n", after: "x\n" })).toBe("");
  });

  it("shows a change with three lines around it and its place in the file", () => {
    expect(unifiedDiff({ path: "dir/x.txt", before: numbers, after: numbers.replace("10\n", "ten\n") })).toBe(
      [
        "--- a/dir/x.txt",
        "+++ b/dir/x.txt",
        "@@ -7,7 +7,7 @@",
        " 7",
        " 8",
        " 9",
        "-10",
        "+ten",
        " 11",
        " 12",
        " 13",
        "",
      ].join("\n"),
    );
  });

  it("shows distant changes as hunks of their own", () => {
    const diff = unifiedDiff({
      path: "x",
      before: numbers,
      after: numbers.replace("2\n", "two\n").replace("19\n", "19\n19a\n"),
      context: 1,
    });
    expect(diff.match(/^@@.*$/gm)).toEqual(["@@ -1,3 +1,3 @@", "@@ -19,2 +19,3 @@"]);
  });

  it("shows new and removed files, and a missing newline at the end", () => {
    expect(unifiedDiff({ oldPath: null, newPath: "n", before: "", after: "a\nb" })).toBe(
      "--- /dev/null\n+++ b/n\n@@ -0,0 +1,2 @@\n+a\n+b\n\\ No newline at end of file\n",
    );
    expect(unifiedDiff({ oldPath: "n", newPath: null, before: "a\n", after: "" })).toBe(
      "--- a/n\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n",
    );
  });

  it("quotes names as git does", () => {
    expect(unifiedDiff({ path: 'ta\tb "q"', before: "", after: "x\n" })).toContain(
      '--- "a/ta\\tb \\"q\\""\n',
    );
    expect(unifiedDiff({ path: "with blank", before: "", after: "x\n" })).toContain("--- a/with blank\t\n");
  });

  it("is quick for one edit of a large file, and bounded where all differs", () => {
    const large = Array.from({ length: 300_000 }, (_, at) => `line number ${at} of many\n`).join("");
    const start = performance.now();
    expect(
      unifiedDiff({ path: "x", before: large, after: large.replace("number 150000 ", "") }).split("\n"),
    ).toHaveLength(12);
    const all = unifiedDiff({ path: "x", before: large, after: large.replaceAll("number", "no.") });
    expect(performance.now() - start).toBeLessThan(underLoad(3000));
    expect(all.length).toBeLessThan(101_000);
    expect(all).toMatch(/was cut here\.\n$/);
  });

  it("gives up comparing texts without a line in common, and shows them whole", () => {
    const mixed = (seed: number): string =>
      Array.from({ length: 30_000 }, (_, at) => `${(at * seed) % 30_011}\n`).join("");
    const start = performance.now();
    const diff = unifiedDiff({ path: "x", before: mixed(7), after: mixed(11) });
    expect(performance.now() - start).toBeLessThan(underLoad(3000));
    expect(diff).toContain("@@ -1,30000 +1,30000 @@");
  });
});
