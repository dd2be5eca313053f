import { describe, expect, it } from "vitest";
import { isCharBoundary } from "./decode-utf8.js";
import { guessUtf16 } from "./utf16-guess.js";

describe("isCharBoundary", () => {
  it("is false only between the halves of a pair, from the first pair to the last", () => {
    for (const pair of ["\u{10000}", "\u{103ff}", "\u{1f600}", "\u{10fc00}", "\u{10ffff}"]) {
      expect([0, 1, 2].map((at) => isCharBoundary(pair, at))).toEqual([true, false, true]);
    }
    // A half by itself, or two in the wrong order, can be cut anywhere.
    for (const text of ["\udc00", "a\udc00", "\udfff\ud800", "\ud800a", "\ue000\udc00"]) {
      expect(isCharBoundary(text, 1)).toBe(true);
    }
  });
});

describe("guessUtf16", () => {
  const encode = (text: string, bigEndian: boolean): Buffer => {
    const bytes = Buffer.from(text, "utf16le");
    return bigEndian ? bytes.swap16() : bytes;
  };

  it.each([
    ["plain words with lines\n", 10],
    ["Größe über alles, naïve café ", 10],
    ["x = 1 # 가힣 한글 설명\n", 10],
    ["x = 1 # 一鿿 漢字 注释\n", 10],
    ["x = 1 # ＡＢ ﻿豈\n", 10],
    ["x = 1 # 😀 🎉 \u{10ffff}\n", 10],
    ["a\tb\r\n", 20],
  ])("knows %j in both orders of bytes", (text, times) => {
    expect(guessUtf16(encode(text.repeat(times), false))).toBe("utf16le");
    expect(guessUtf16(encode(text.repeat(times), true))).toBe("utf16be");
  });

  it("takes neither plain text nor numbers for it", () => {
    expect(guessUtf16(Buffer.from("plain words with lines\n".repeat(10)))).toBeUndefined();
    expect(guessUtf16(Buffer.from(`plain words\0${"and more of them ".repeat(20)}`))).toBeUndefined();
    expect(guessUtf16(Buffer.alloc(200))).toBeUndefined();
    const controls = Buffer.from(Array.from({ length: 200 }, (_, at) => (at % 2 === 0 ? 1 + (at % 7) : 0)));
    expect(guessUtf16(controls)).toBeUndefined();
    // Characters at the edges of what is text, repeated, decide.
    const edge = (unit: number) => encode(`ab${String.fromCharCode(unit)}`.repeat(60), false);
    for (const text of [0xa0, 0x33ff, 0x4e00, 0x9fff, 0xac00, 0xf900, 0xffef]) {
      expect([text, guessUtf16(edge(text))]).toEqual([text, "utf16le"]);
    }
    for (const odd of [0x9f, 0x3400, 0x4dff, 0xa000, 0xabff, 0xe000, 0xf8ff, 0xfff0]) {
      expect([odd, guessUtf16(edge(odd))]).toEqual([odd, undefined]);
    }
  });
});
