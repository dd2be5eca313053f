import { closeSync, openSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openBelow } from "../../world/testing/open-below.js";
import { readLines, readPart } from "./read-lines.js";
import { newDir } from "./testing/fixture.js";

/** Whole lines with their offsets, and what is said of the end. */
function read(file: string, range: { start?: number; end?: number } = {}, most = Infinity) {
  const lines: [string, number][] = [];
  const outcome = readLines(
    file,
    (line, offset) => {
      lines.push([line.toString("latin1"), offset]);
      return lines.length < most;
    },
    range,
  );
  return { lines, ...outcome };
}

describe("the lines of a file", () => {
  it("are all that end, with their offsets; half a line is counted", () => {
    const file = join(newDir(), "lines");
    const text = fc.array(fc.constantFrom("a", "bc", "\n", "", "\n\n", "long".repeat(2000)), {
      maxLength: 12,
    });
    fc.assert(
      fc.property(text, fc.nat({ max: 40 }), (parts, start) => {
        const content = parts.join("");
        const from = Math.min(start, content.length);
        writeFileSync(file, content);
        const expected: [string, number][] = [];
        let at = from;
        for (let to = content.indexOf("\n", at); to >= 0; to = content.indexOf("\n", at)) {
          expected.push([content.slice(at, to), at]);
          at = to + 1;
        }
        expect(read(file, { start: from })).toEqual({ lines: expected, end: at, torn: content.length - at });
      }),
    );
  });

  it("may be longer than a megabyte, and lie across where the file is read in pieces", () => {
    const file = join(newDir(), "lines");
    const lengths = [10, (1 << 20) - 12, 0, 1, 1 << 20, 3_000_000, 5, 4096, 70_000];
    const lines = lengths.map((length, at) => String(at % 10).repeat(length));
    writeFileSync(file, `${lines.join("\n")}\nhalf`);
    const found = read(file);
    expect(found.lines.map(([line]) => line.length)).toEqual(lengths);
    expect(found.lines.every(([line], at) => line === lines[at])).toBe(true);
    expect(found.torn).toBe(4);
    expect(found.end).toBe(lengths.reduce((sum, length) => sum + length + 1, 0));
  });

  it("end where they are told to", () => {
    const file = join(newDir(), "lines");
    writeFileSync(file, "one\ntwo\nthree\n");
    expect(read(file, {}, 2)).toEqual({
      lines: [
        ["one", 0],
        ["two", 4],
      ],
      end: 8,
      torn: 0,
    });
    expect(read(file, { end: 8 })).toEqual({
      lines: [
        ["one", 0],
        ["two", 4],
      ],
      end: 8,
      torn: 0,
    });
    expect(read(file, { end: 9 })).toEqual({
      lines: [
        ["one", 0],
        ["two", 4],
      ],
      end: 8,
      torn: 1,
    });
    expect(read(file, { start: 4, end: 7 })).toEqual({ lines: [], end: 4, torn: 3 });
    expect(read(file, { start: 4, end: 4 })).toEqual({ lines: [], end: 4, torn: 0 });
    expect(read(file, { start: 14 })).toEqual({ lines: [], end: 14, torn: 0 });
    expect(read(file, { start: 99 })).toEqual({ lines: [], end: 99, torn: 0 });
  });

  it("leave the file closed, also where a line is refused", () => {
    const dir = newDir();
    const file = join(dir, "lines");
    writeFileSync(file, "one\n");
    expect(() =>
      readLines(file, () => {
        throw new Error("no");
      }),
    ).toThrow("no");
    expect(openBelow(dir)).toEqual([]);
    expect(() => read(join(dir, "none"))).toThrow(/ENOENT/);
  });
});

it("a part of a file is as many bytes as are there", () => {
  const file = join(newDir(), "part");
  writeFileSync(file, "0123456789");
  const fd = openSync(file, "r");
  const part = (offset: number, length: number): string => readPart(fd, offset, length).toString();
  expect([part(0, 3), part(7, 3), part(7, 9), part(10, 1), part(3, 0)]).toEqual([
    "012",
    "789",
    "789",
    "",
    "",
  ]);
  closeSync(fd);
});
