import { describe, expect, it } from "vitest";
import { isBeginPatch, parseAddedLines, parseBeginPatch, parsePatchHunks } from "./parse-begin-patch.js";

const patch = (...lines: string[]) => ["*** Begin Patch", ...lines, "*** End Patch", ""].join("\n");
const kinds = (text: string) =>
  parseBeginPatch(text).map(({ kind, oldPath, newPath }) => [kind, oldPath, newPath]);

function faultOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    return (error as Error).message;
  }
  return "none";
}

describe("a patch between its marks", () => {
  it("is known by its first line", () => {
    expect(isBeginPatch("*** Begin Patch\n")).toBe(true);
    expect(isBeginPatch("--- a/x\n+++ b/x\n")).toBe(false);
    expect(isBeginPatch("")).toBe(false);
  });

  it("adds, deletes, updates and moves files", () => {
    const text = patch(
      "*** Add File: new.txt",
      "+one",
      "+",
      "*** Delete File: old.txt",
      "*** Update File: a.txt",
      "@@",
      "-x",
      "+y",
      "*** Update File: b.txt",
      "*** Move to: c.txt",
      "@@ def f():",
      " keep",
      "-x",
    );
    expect(kinds(text)).toEqual([
      ["create", undefined, "new.txt"],
      ["delete", "old.txt", undefined],
      [expect.any(String), "a.txt", expect.anything()],
      [expect.any(String), "b.txt", "c.txt"],
    ]);
    const [added, , updated] = parseBeginPatch(text);
    expect(added?.hunks).toHaveLength(1);
    expect(updated?.hunks).toHaveLength(1);
  });

  it("may have empty lines between its files, and before its end", () => {
    const text = patch("*** Delete File: a", "", "  ", "*** Delete File: b", "", "*** Add File: c", "+x", "");
    expect(kinds(text).map(([kind]) => kind)).toEqual(["delete", "delete", "create"]);
  });

  it.each<[string, string, RegExp]>([
    ["a file without a name", patch("*** Add File:", "+x"), /names no file/],
    ["text in the place of a file", patch("hello"), /hello/],
    ["lines below a file that is deleted", patch("*** Delete File: a", "-x"), /takes no lines/],
    [
      "a line of a new file without its mark",
      patch("*** Add File: a", "+x", "y"),
      /does not begin with '\+'/,
    ],
  ])("is refused with %s", (_what, text, message) => {
    expect(faultOf(() => parseBeginPatch(text))).toMatch(message);
  });

  it.each(["*** Delete File: a", "*** Add File: a\n+x"])("says that its end is missing after %j", (file) => {
    const message = faultOf(() => parseBeginPatch(`*** Begin Patch\n${file}`));
    expect(message).not.toMatch(/undefined|takes no lines|does not begin/);
  });
});

describe("the parts of a patch by themselves", () => {
  it("are hunks, and added lines", () => {
    expect(parsePatchHunks("@@\n-x\n+y\n@@ class A\n keep\n+z\n")).toHaveLength(2);
    expect(parseAddedLines("+a\n+b\n")).toHaveLength(1);
    expect(faultOf(() => parseAddedLines("+a\nb\n"))).not.toBe("none");
  });
});
