import { describe, expect, it } from "vitest";
import { linesPerBlock, slotsOf, TextFilter } from "./text-filter.js";

function filterOf(lines: Readonly<Record<number, string>>, filter = new TextFilter()): TextFilter {
  for (const [line, text] of Object.entries(lines)) {
    const bytes = Buffer.from(`<<${text}>>`);
    filter.add(Number(line), bytes, { start: 2, end: bytes.length - 2 });
  }
  return filter;
}

const holds = (filter: TextFilter, text: string, block = 0): boolean => filter.mayHold(block, slotsOf(text));

describe("the filter of a block of lines", () => {
  it("knows every three letters that stood together, whatever their case, and few others", () => {
    const filter = filterOf({ 0: "read_file AZ[az{", 1: "tail" });
    for (const text of ["read_file", "READ", "ad_", "e A", "az[az{", "AZ{".toLowerCase(), "tail", "ile"])
      expect([text, holds(filter, text)]).toEqual([text, true]);
    for (const text of ["write", "files", "lta", "<re", "il>", "le>", "file_", "az@"])
      expect([text, holds(filter, text)]).toEqual([text, false]);
  });

  it("cannot tell of texts that are too short, nor of letters beyond ASCII", () => {
    expect(slotsOf("ab")).toEqual([]);
    expect(slotsOf("abc")).toHaveLength(1);
    expect(slotsOf("abcabc")).toHaveLength(3);
    expect(slotsOf("ÄÖÜ")).toEqual([]);
    expect(slotsOf("Ü abc")).toEqual(slotsOf(" abc"));
    expect(slotsOf("\x7f\x7f\x7f")).toHaveLength(1);
    expect(slotsOf("ABC")).toEqual(slotsOf("abc"));
    expect(slotsOf("abc")).not.toEqual(slotsOf("cba"));
    expect(holds(filterOf({ 0: "ab" }), "abc")).toBe(false);
    expect(holds(filterOf({}), "ab")).toBe(true);
  });

  it("is of its own lines only, and is kept as bytes", () => {
    const filter = filterOf({
      [linesPerBlock - 1]: "first block",
      [linesPerBlock]: "second",
      [5 * linesPerBlock + 3]: "sixth",
    });
    expect(filter.bytes()).toHaveLength(6 * 4096);
    const again = filterOf(
      { [6 * linesPerBlock]: "seventh" },
      new TextFilter(Uint8Array.from(filter.bytes())),
    );
    expect(again.bytes()).toHaveLength(7 * 4096);
    for (const [block, text] of ["first", "second", "none", "none", "none", "sixth", "seventh"].entries())
      for (const each of ["first", "second", "sixth", "seventh"])
        expect([block, each, holds(again, each, block)]).toEqual([block, each, each === text]);
  });
});
