import { describe, expect, it } from "vitest";
import type { OpenFile } from "../../contract/ports/files.js";
import { createNewlineCounter } from "../../text/newline-counter.js";
import { linesOfOpen } from "./file-lines.js";

function openText(text: string): OpenFile {
  const bytes = Buffer.from(text);
  const readInto = (buffer: Uint8Array, position: number): number => {
    const part = bytes.subarray(position, position + buffer.length);
    buffer.set(part);
    return part.length;
  };
  return { stat: { size: bytes.length }, readInto } as unknown as OpenFile;
}

describe("the lines of a file", () => {
  const counter = createNewlineCounter();
  // Longer than several pieces that are counted as a whole, with lines across their ends.
  const lines = Array.from({ length: 30_000 }, (_, at) => `${at} é`.repeat(at % 7));
  const wanted = [1, 2, 30_000, 15_000, 15_001, 14_999, 29_000, 101, 1, 4321, 30_001, 30_002, 50_000, 8];

  it.each(["", "\uFEFF"])("are found in any order, after the start %j", (start) => {
    const line = linesOfOpen(openText(`${start}${lines.join("\n")}\n`), () => counter);
    for (const number of wanted) expect(line(number)).toBe(lines[number - 1]);
    for (let number = 1; number <= lines.length; number += 777) expect(line(number)).toBe(lines[number - 1]);
  });

  it("are the same without a last line end, or where nothing counts them", () => {
    const text = lines.join("\n");
    const counted = linesOfOpen(openText(text), () => counter);
    const found = linesOfOpen(openText(text));
    for (const number of wanted) expect(counted(number)).toBe(found(number));
    expect(found(30_000)).toBe(lines[29_999]);
  });

  it("are whole where they lie across the end of a piece", () => {
    const text = `${lines.join("\n")}\n`;
    const bytes = Buffer.from(text);
    const pieceBytes = 64 * 1024;
    for (let end = pieceBytes; end < bytes.length; end += pieceBytes) {
      const number = bytes.subarray(0, end).toString("latin1").split("\n").length;
      const line = linesOfOpen(openText(text), () => counter);
      expect([number, line(number)]).toEqual([number, lines[number - 1]]);
    }
  });

  it("of an empty file are one that is empty", () => {
    const line = linesOfOpen(openText(""), () => counter);
    expect([line(1), line(2)]).toEqual(["", undefined]);
  });
});
