import { describe, expect, it } from "vitest";
import { boundPreview } from "./bound-preview.js";

describe("the preview of a tool", () => {
  it("is nothing where the tool gives nothing that can be shown", () => {
    for (const value of [undefined, null, "text", 1]) expect(boundPreview(value)).toBeUndefined();
    expect(boundPreview({ diff: 1, commands: "ls", details: [] })).toEqual({
      summary: "The tool does not say what it would do.",
    });
  });

  it("names details that are too large with their size, and still shows those before", () => {
    const details = boundPreview({ details: { a: 1, b: "x".repeat(1_200_000), c: 2 } })?.details;
    expect(details).toEqual({
      a: 1,
      b: "1,200,002 characters, too much to be shown",
      c: "1 characters, too much to be shown",
    });
  });

  it("names no further details after twice as much as can be shown", () => {
    const names = (length: number) =>
      Object.keys(boundPreview({ details: { a: "x".repeat(length), b: 1 } })?.details ?? {});
    expect(names(2_000_000 - '"a"'.length)).toEqual(["a", "b"]);
    expect(names(2_000_000 - '"a"'.length + 1)).toEqual(["a"]);
  });

  it("counts the commands that it leaves out", () => {
    const line = "x".repeat(9999);
    expect(boundPreview({ commands: Array.from({ length: 100 }, () => line) })?.commands).toHaveLength(100);
    const more = boundPreview({ commands: Array.from({ length: 103 }, () => line) })?.commands;
    expect(more).toHaveLength(101);
    expect(more?.at(-1)).toBe("… 3 more commands, too many to be shown");
  });
});
