import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cleanText } from "./clean-text.js";
import { underLoad } from "../../../test/setup/under-load.js";
import { anyCharacter } from "../../../test/setup/any-character.js";

describe("cleanText", () => {
  it.each([
    ["colors", "\x1b[1;31mred\x1b[0m", "red"],
    ["cursor moves", "a\x1b[2J\x1b[Hb", "ab"],
    ["a title ended by BEL", "\x1b]0;evil\x07x", "x"],
    ["a link ended by ST", "\x1b]8;;http://x\x1b\\text\x1b]8;;\x1b\\", "text"],
    ["a device string", "\x1bPq#0\x1b\\x", "x"],
    ["C1 controls", "\x9b31mx", "x"],
    ["a sequence that never ends", "x\x1b[31", "x"],
    ["a lone escape", "x\x1b", "x"],
    ["progress bars", "10%\r50%\r100%\ndone", "100%\ndone"],
    ["a shorter text over a longer one", "downloading\rdone", "doneloading"],
    ["Windows line ends", "a\r\nb\r\n", "a\nb\n"],
    ["backspaces", "pass\b\b\b\bword", "word"],
    ["NUL and other controls", "a\0b\x07c", "a\uFFFDb\uFFFDc"],
    ["bidirectional controls", "a\u202eb\u2066c", "a\\u{202e}b\\u{2066}c"],
    ["zero-width characters and tags", "a\u200bb\u{e0041}c\ufeff", "a\\u{200b}b\\u{e0041}c\\u{feff}"],
    ["tabs and newlines", "a\tb\n\n", "a\tb\n\n"],
    ["joined emoji and scripts that need joiners", "👨‍👩‍👧 می‌خواهم", "👨‍👩‍👧 می‌خواهم"],
  ])("takes care of %s", (_name, raw, clean) => {
    expect(cleanText(raw)).toBe(clean);
  });

  it("never leaves anything that a terminal obeys, whatever it gets", () => {
    const piece = fc.oneof(
      fc.string({ unit: anyCharacter }),
      fc.constantFrom("\x1b", "\x1b[", "\x1b]", "\r", "\b", "\x9b", "m", "\n"),
    );
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const clean = cleanText(pieces.join(""));
        expect(clean).not.toMatch(/(?![\n\t])\p{Cc}|[\u202a-\u202e]/u);
        expect(cleanText(clean)).toBe(clean);
      }),
    );
  });

  it("leaves plain text as it is", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        fc.pre(!/[\p{Cc}\p{Cf}\u2028\u2029]/u.test(text));
        expect(cleanText(text)).toBe(text);
      }),
    );
  });

  it.each([
    "\x1b[".repeat(200_000),
    "\x1b]".repeat(200_000),
    "\r".repeat(400_000),
    "x\b".repeat(200_000),
    "\x1b[0".repeat(100_000),
  ])("stays fast on hostile text (%#)", (text) => {
    const started = performance.now();
    cleanText(text);
    expect(performance.now() - started).toBeLessThan(underLoad(2000));
  });
});
