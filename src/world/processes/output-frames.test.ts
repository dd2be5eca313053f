import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cleanText } from "./clean-text.js";
import { createOutputFrames } from "./output-frames.js";

function framed(pieces: readonly Uint8Array[]): string {
  const sent: string[] = [];
  const frames = createOutputFrames((_stream, text) => sent.push(text));
  for (const piece of pieces) frames.push("stdout", piece);
  frames.end();
  return sent.join("");
}

describe("output frames", () => {
  it.each([
    ["\x1b[31mred\x1b[0m\x1b[2J<b>bold</b>\n", "red<b>bold</b>\n"],
    ["ends in an open sequence \x1b[3", cleanText("ends in an open sequence \x1b[3")],
    ["ends in an escape \x1b", cleanText("ends in an escape \x1b")],
  ])("pass %j on whole", (text, shown) => {
    expect(framed([Buffer.from(text)])).toBe(shown);
  });

  it("show the same, wherever the output is cut into pieces", () => {
    const word = fc.constantFrom(
      "a",
      "é",
      "日本",
      "\n",
      "\x1b[31m",
      "\x1b[0m",
      "\x1b[2J",
      "\x1b[1;32m",
      "<b>",
    );
    const text = fc.array(word, { maxLength: 40 }).map((words) => words.join(""));
    fc.assert(
      fc.property(text, fc.array(fc.nat(200), { maxLength: 6 }), (whole, cuts) => {
        const bytes = Buffer.from(whole);
        const at = [0, ...cuts.map((cut) => Math.min(cut, bytes.length)).sort((a, b) => a - b), bytes.length];
        const pieces = at.slice(1).map((end, index) => bytes.subarray(at[index], end));
        expect(framed(pieces)).toBe(cleanText(whole));
      }),
    );
  });
});
