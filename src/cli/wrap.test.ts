import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { columnsOf, wrap } from "./wrap.js";

describe("wrap", () => {
  it("breaks at spaces, and long words where it must", () => {
    expect(wrap("one two three", 8)).toEqual(["one two", "three"]);
    expect(wrap("a\n\nb", 8)).toEqual(["a", "", "b"]);
    expect(wrap("x".repeat(20), 8)).toEqual(["xxxxxxxx", "xxxxxxxx", "xxxx"]);
    expect(wrap("数据库连接池", 8)).toEqual(["数据库连", "接池"]);
  });

  it("never makes a line too wide, and loses no letter", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme", maxLength: 200 }),
        fc.integer({ min: 8, max: 40 }),
        (text, width) => {
          const lines = wrap(text, width);
          for (const line of lines) expect(columnsOf(line)).toBeLessThanOrEqual(width);
          expect(lines.join("").replaceAll(/\s/g, "")).toBe(text.replaceAll(/\s/g, ""));
        },
      ),
    );
  });
});
