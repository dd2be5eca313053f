import { describe, expect, it } from "vitest";
import { applySplices } from "./make-splice.js";
import { planPatch } from "./apply-patch.js";
import { encodeText } from "./encode-text.js";
import { parseUnifiedDiff } from "./parse-diff.js";
import { underLoad } from "../../test/setup/under-load.js";

const diffOf = (...hunk: string[]): string => ["--- a/x", "+++ b/x", ...hunk, ""].join("\n");

function planned(file: string | Uint8Array, diff: string): ReturnType<typeof planPatch> {
  const [patch] = parseUnifiedDiff(diff);
  if (patch === undefined) throw new Error("no patch");
  return planPatch(typeof file === "string" ? Buffer.from(file) : file, patch);
}

function patched(file: string | Uint8Array, ...hunk: string[]): unknown {
  const plan = planned(file, diffOf(...hunk));
  if (!plan.ok) return plan;
  return Buffer.from(
    applySplices(typeof file === "string" ? Buffer.from(file) : file, plan.splices),
  ).toString();
}

describe("planPatch", () => {
  it("applies hunks and says which lines they cover", () => {
    const diff = diffOf("@@ -2,3 +2,3 @@", " b", "-c", "+C", " d");
    expect(planned("a\nb\nc\nd\ne\n", diff)).toMatchObject({
      ok: true,
      spans: [{ startLine: 2, endLine: 4 }],
      splices: [{ start: 4, end: 5 }],
    });
    expect(patched("a\nb\nc\nd\ne\n", "@@ -2,3 +2,3 @@", " b", "-c", "+C", " d")).toBe("a\nb\nC\nd\ne\n");
  });

  it("finds the lines where they stand, whatever the number says", () => {
    expect(patched("x\ny\na\nb\n", "@@ -1,2 +1,2 @@", " a", "-b", "+B")).toBe("x\ny\na\nB\n");
    expect(patched("x\ny\na\nb\n", "@@ -99,2 +99,2 @@", " a", "-b", "+B")).toBe("x\ny\na\nB\n");
  });

  it("takes the place that the number names where there are several, else refuses", () => {
    const file = "a\nb\na\nb\na\nb\n";
    expect(patched(file, "@@ -3,2 +3,2 @@", " a", "-b", "+B")).toBe("a\nb\na\nB\na\nb\n");
    expect(patched(file, "@@ -2,2 +2,2 @@", " a", "-b", "+B")).toMatchObject({
      ok: false,
      hunk: 0,
      reason: "ambiguous",
      lines: [1, 3, 5],
    });
    expect(patched(file, "@@", " a", "-b", "+B")).toMatchObject({ reason: "ambiguous" });
  });

  it("follows the shift of an earlier hunk, and refuses where both readings fit", () => {
    const shifted = `new\nnew\nhead\n${"a\nb\n".repeat(3)}`;
    const hunks = ["@@ -1 +1 @@", "-head", "+HEAD", "@@ -4,2 +4,2 @@", " a", "-b", "+B"];
    expect(patched(shifted, ...hunks)).toMatchObject({ hunk: 1, reason: "ambiguous" });
    expect(patched(`new\nhead\n${"a\nb\n".repeat(3)}`, ...hunks)).toBe("new\nHEAD\na\nb\na\nB\na\nb\n");
  });

  it("refuses context that does not match, and shows the nearest place", () => {
    expect(
      patched(
        "function f() {\n\treturn 1;\n}\n",
        "@@ -1,3 +1,3 @@",
        " function f() {",
        "-    return 1;",
        "+    return 2;",
        " }",
      ),
    ).toMatchObject({
      ok: false,
      reason: "context not found",
      hunkText: expect.stringContaining("-    return 1;") as string,
      nearest: {
        startLine: 1,
        endLine: 3,
        differences: [expect.stringMatching(/indentation.*1 tab.*4 spaces/) as string],
      },
    });
  });

  it("says so where the change is there already, or the hunks are not in order", () => {
    expect(patched("a\nB\nc\n", "@@ -1,3 +1,3 @@", " a", "-b", "+B", " c")).toMatchObject({
      reason: "already applied",
    });
    expect(patched("a\nb\n", "@@", "-b", "+B", "@@", "-a", "+A")).toMatchObject({
      hunk: 1,
      reason: "out of order",
    });
  });

  it("keeps the line ends of the file where the diff came with line feeds", () => {
    expect(patched("a\r\nb\r\nc\r\n", "@@ -1,3 +1,4 @@", " a", "-b", "+B", "+B2", " c")).toBe(
      "a\r\nB\r\nB2\r\nc\r\n",
    );
    expect(patched("a\nb\r\nc\n", "@@ -1,3 +1,4 @@", " a", "-b", "+B", " c", "+d")).toBe("a\nB\r\nc\nd\n");
    expect(patched("a\rb\rc", "@@ -1,3 +1,3 @@", " a", "-b", "+B", " c")).toBe("a\rB\rc");
  });

  it("changes line ends where the diff shows that", () => {
    expect(patched("a\r\nb\r\n", "@@ -1,2 +1,2 @@", "-a\r", "+a", " b\r")).toBe("a\nb\r\n");
  });

  it("minds the newline at the end of the file, both ways", () => {
    const none = "\\ No newline at end of file";
    expect(patched("a\nb", "@@ -1,2 +1,2 @@", " a", "-b", none, "+b")).toBe("a\nb\n");
    expect(patched("a\nb\n", "@@ -1,2 +1,2 @@", " a", "-b", "+b", none)).toBe("a\nb");
    expect(patched("a\nb", "@@ -1,2 +1,2 @@", " a", "-b", "+c")).toBe("a\nc");
    expect(patched("a\nb", "@@ -1,2 +1,3 @@", " a", " b", "+c")).toBe("a\nb\nc");
    expect(patched("a\r\nb", "@@ -1,2 +1,4 @@", " a", " b", "+c", "+d")).toBe("a\r\nb\r\nc\r\nd");
    expect(patched("a\nb\nc\n", "@@ -1,2 +1,2 @@", " a", "-b", "+B", none)).toMatchObject({
      reason: "not at the end of the file",
    });
    expect(patched("b\nb", "@@", "-b", none, "+c")).toBe("b\nc\n");
  });

  it("inserts without context only where the number says, and into an empty file", () => {
    expect(patched("a\nb\n", "@@ -1,0 +2 @@", "+x")).toBe("a\nx\nb\n");
    expect(patched("a\nb\n", "@@ -0,0 +1 @@", "+x")).toBe("x\na\nb\n");
    expect(patched("", "@@ -0,0 +1,2 @@", "+x", "+y")).toBe("x\ny\n");
    expect(patched("a\n", "@@", "+x")).toMatchObject({ reason: "no context" });
    expect(patched("a\n", "@@ -7,0 +8 @@", "+x")).toMatchObject({ reason: "context not found" });
  });

  it("removes all of a file", () => {
    expect(patched("a\nb\n", "@@ -1,2 +0,0 @@", "-a", "-b")).toBe("");
  });

  it("does not take an empty line behind the last one for a line", () => {
    expect(patched("a\n", "@@ -1,2 +1,2 @@", "-a", "+b", " ")).toMatchObject({ reason: "context not found" });
    expect(patched("\n", "@@ -1 +1 @@", "-", "+b")).toBe("b\n");
  });

  it("patches other encodings, and refuses what they cannot hold", () => {
    const file = encodeText("eins\r\nzwei\r\n", "utf16le", { bom: true }) ?? new Uint8Array();
    const plan = planned(file, diffOf("@@ -1,2 +1,2 @@", " eins", "-zwei", "+zwölf"));
    expect(plan.ok && Buffer.from(applySplices(file, plan.splices))).toEqual(
      encodeText("eins\r\nzwölf\r\n", "utf16le", { bom: true }),
    );
    const latin = encodeText("Grüße\nKöln\n", "latin1") ?? new Uint8Array();
    expect(planned(latin, diffOf("@@ -1,2 +1,2 @@", " Grüße", "-Köln", "+文"))).toMatchObject({
      reason: "not exact",
      message: expect.stringContaining("latin1") as string,
    });
  });

  it("leaves broken bytes around a hunk alone", () => {
    const file = Buffer.concat([Buffer.from("ä\n"), Buffer.from([0xff, 0x0a]), Buffer.from("b\nc\n")]);
    const plan = planned(file, diffOf("@@ -3,2 +3,2 @@", "-b", "+B", " c"));
    expect(plan.ok && Buffer.from(applySplices(file, plan.splices))).toEqual(
      Buffer.concat([file.subarray(0, 5), Buffer.from("B\nc\n")]),
    );
  });

  it("places a hunk among thousands of equal lines in linear time", () => {
    const start = performance.now();
    expect(
      patched("same\n".repeat(100_000), "@@", ...Array.from({ length: 5000 }, () => " same"), "-same"),
    ).toMatchObject({ reason: "ambiguous" });
    expect(performance.now() - start).toBeLessThan(underLoad(2500));
  });
});
