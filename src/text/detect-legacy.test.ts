import { describe, expect, it } from "vitest";
import { detectLegacy } from "./detect-legacy.js";
import { encodeText } from "./encode-text.js";

const encoded = (text: string, encoding: string): Buffer => Buffer.from(encodeText(text, encoding) ?? []);

describe("detectLegacy", () => {
  it.each<[string, string]>([
    ["gb18030", "的一是不了在人有我他这个们中来上大为和国"],
    ["big5", "的一是不我有大這個中人來上為們到說國和地"],
    ["shift_jis", "これは日本語のテキストです。設定の値を変える"],
    ["euc-jp", "これは日本語のテキストです。設定の値を変える"],
    ["euc-kr", "이것은한국어파일입니다그리고더있습니다"],
    ["windows-1251", "привет мир это русский текст в файле"],
    ["koi8-r", "привет мир это русский текст в файле"],
    ["cp866", "привет мир это русский текст в файле"],
    ["iso-8859-5", "привет мир это русский текст в файле"],
    ["iso-8859-7", "αυτο ειναι κειμενο στην γλωσσα μας"],
  ])(
    "recognizes %s in a line, behind much ASCII, and in a large text that has no blank",
    (encoding, text) => {
      const line = encoded(text, encoding);
      const solid = encoded(text.replaceAll(" ", ""), encoding);
      const ascii = Buffer.from("int x = 1; // plain\n".repeat(1000));
      expect(detectLegacy(line)).toBe(encoding);
      expect(detectLegacy(Buffer.concat([ascii, line, ascii]))).toBe(encoding);
      expect(
        detectLegacy(Buffer.concat(Array.from({ length: 1 + (1 << 14) / solid.length }, () => solid))),
      ).toBe(encoding);
    },
  );

  it("cuts no character at the end of what it looks at", () => {
    for (let shift = 0; shift < 4; shift += 1) {
      const text = `${"x".repeat(shift)}${"日本語のテキスト。 ".repeat(2000)}`;
      expect(detectLegacy(encoded(text, "shift_jis"))).toBe("shift_jis");
      expect(detectLegacy(encoded(text, "euc-jp"))).toBe("euc-jp");
    }
  });

  it.each([
    ["Grüße", "latin1"],
    ["Citroën à l'été, où ça", "latin1"],
    ["“quoted”", "windows-1252"],
    ["5 € – und", "windows-1252"],
  ])("takes single letters of %j for Western text", (text, encoding) => {
    expect(detectLegacy(encoded(text, "windows-1252"))).toBe(encoding);
  });

  it("knows the two Western encodings apart by the first and the last byte that only one has", () => {
    for (const [byte, encoding] of [
      [0x7f, "latin1"],
      [0x80, "windows-1252"],
      [0x9f, "windows-1252"],
      [0xa0, "latin1"],
    ] as const)
      expect(detectLegacy(Buffer.from([0x61, byte, 0x61, 0xe9, 0x20]))).toBe(encoding);
  });
});
