import { describe, expect, it } from "vitest";
import { ToolValidationError } from "../contract/errors.js";
import { decodeText } from "./decode-text.js";
import { encodeText } from "./encode-text.js";
import { findEncoding } from "./encoding-names.js";

const encoded = (text: string, encoding: string): Uint8Array =>
  encodeText(text, encoding) ?? new Uint8Array();

describe("decodeText", () => {
  it("finds the encoding of files with a BOM and keeps the BOM out of the text", () => {
    for (const encoding of ["utf8", "utf16le", "utf16be", "utf32le", "utf32be", "gb18030"]) {
      const bytes = encodeText("añb 文🙂\n", encoding, { bom: true }) ?? new Uint8Array();
      const decoded = decodeText(bytes);
      expect(decoded).toMatchObject({ encoding, bom: true, text: "añb 文🙂\n" });
      expect(decoded.byteOffset(0)).toBe(bytes.length - encoded("añb 文🙂\n", encoding).length);
    }
  });

  it.each([
    ["utf8", "efbbbf41"],
    ["utf16le", "fffe4100"],
    ["utf16be", "feff0041"],
    ["utf32le", "fffe000041000000"],
    ["utf32be", "0000feff00000041"],
    ["gb18030", "8431953341"],
  ])("knows the BOM of %s", (encoding, hex) => {
    expect(decodeText(Buffer.from(hex, "hex"))).toMatchObject({ encoding, bom: true, text: "A" });
  });

  it("finds the encoding of files without a BOM", () => {
    const texts: [string, string][] = [
      ["utf8", "plain ASCII\n"],
      ["utf8", "grün 文 🙂\n"],
      ["utf16le", "plain\r\nwide text\r\n"],
      ["utf16be", "plain\r\nwide text\r\n"],
      ["utf16le", "第一行 文\n第二行 文\n"],
      ["latin1", "Grüße aus Köln\n"],
      ["windows-1252", "“quoted” – 5 €\n"],
      ["windows-1251", "Привет, мир\n"],
      ["koi8-r", "Привет, мир, это русский текст\n"],
      ["iso-8859-7", "Καλημέρα κόσμε\n"],
      ["gb18030", "你好，世界\n"],
      ["gb18030", "int x = 1; // 注释\n"],
      ["big5", "這是一個中文檔案\n"],
      ["shift_jis", "設定ファイルの値\n"],
      ["euc-jp", "日本語のテキスト\n"],
      ["euc-kr", "안녕하세요 세계\n"],
    ];
    for (const [encoding, text] of texts) {
      expect(decodeText(encoded(text, encoding))).toMatchObject({ encoding, text, bom: false });
    }
  });

  it("takes a UTF-8 file with broken bytes for what it is and maps every character around them", () => {
    const bytes = Buffer.concat([
      Buffer.from("é1"),
      Buffer.from([0xff, 0xc3]),
      Buffer.from("\n文"),
      Buffer.from([0xe6, 0x96]),
      Buffer.from("🙂"),
    ]);
    const decoded = decodeText(bytes);
    expect(decoded).toMatchObject({ encoding: "utf8", text: "é1\uFFFD\uFFFD\n文\uFFFD\uFFFD🙂" });
    expect([0, 1, 2, 3, 4, 5, 6, 7, 8, 10].map((at) => decoded.byteOffset(at))).toEqual([
      0, 2, 3, 4, 5, 6, 9, 10, 11, 15,
    ]);
    expect(decoded.isExact(0, 2)).toBe(true);
    expect(decoded.isExact(1, 3)).toBe(false);
    expect(decoded.isExact(4, 6)).toBe(true);
    expect(decoded.isExact(8, 9)).toBe(false);
  });

  it("knows UTF-8 by letters that stand far behind the first page", () => {
    const bytes = Buffer.concat([
      Buffer.from("plain line\n".repeat(200_000)),
      Buffer.from("grün\n"),
      Buffer.from([0xff]),
    ]);
    expect(decodeText(bytes).encoding).toBe("utf8");
  });

  it("takes a real U+FFFD for a character like any other", () => {
    const decoded = decodeText(Buffer.from("a\uFFFDb"));
    expect(decoded.isExact(0, 3)).toBe(true);
    expect(decoded.byteOffset(2)).toBe(4);
  });

  it("says that bytes are not exact which the encoding would write in another way", () => {
    // In Shift_JIS the Roman numeral one has three codes; only one is written.
    const duplicate = Buffer.from([0xfa, 0x4a, 0x41]);
    const decoded = decodeText(duplicate, "shift_jis");
    expect(decoded.text).toBe("ⅠA");
    expect(decoded.isExact(0, 1)).toBe(false);
    expect(decoded.isExact(1, 2)).toBe(true);
    expect(decoded.byteOffset(1)).toBe(2);
  });

  it("reads encodings with states but calls nothing in them exact", () => {
    const jis = Buffer.from("abc \u001B$B$3$s\u001B(B def", "latin1");
    const decoded = decodeText(jis);
    expect(decoded).toMatchObject({ encoding: "iso-2022-jp", text: "abc こん def" });
    expect(decoded.isExact(0, 3)).toBe(false);
    expect(decoded.encode("x")).toBeUndefined();
    expect(decodeText(Buffer.from("Hi +AGE-"), "utf-7").isExact(0, 1)).toBe(false);
  });

  it("keeps halves of surrogate pairs in UTF-16 and knows an odd byte at the end", () => {
    const decoded = decodeText(Buffer.from([0x41, 0, 0x00, 0xd8, 0x42, 0, 0x43]), "utf16le");
    expect(decoded.text).toBe("A\uD800B\uFFFD");
    expect(decoded.isExact(0, 3)).toBe(true);
    expect(decoded.isExact(0, 4)).toBe(false);
    expect(decoded.byteOffset(4)).toBe(7);
  });

  it("names how lines end", () => {
    const ending = (text: string): string => decodeText(Buffer.from(text)).lineEnding;
    expect(["a", "a\n", "a\r\nb\r\n", "a\rb", "a\r\nb\n", "a\r\n\rb"].map(ending)).toEqual([
      "none",
      "lf",
      "crlf",
      "cr",
      "mixed",
      "mixed",
    ]);
  });

  it("reads an empty file", () => {
    expect(decodeText(new Uint8Array())).toMatchObject({
      text: "",
      encoding: "utf8",
      bom: false,
      lineEnding: "none",
    });
    expect(decodeText(Buffer.from([0xef, 0xbb, 0xbf]))).toMatchObject({ text: "", bom: true });
  });

  it("reads a view into a larger buffer", () => {
    const whole = Buffer.from("xxhéllo\nyy");
    expect(decodeText(new Uint8Array(whole.buffer, whole.byteOffset + 2, 7)).text).toBe("héllo\n");
  });

  it("refuses an encoding that it does not know", () => {
    expect(() => decodeText(new Uint8Array(), "klingon")).toThrow(ToolValidationError);
    expect(() => encodeText("a", "base64")).toThrow(/not known/);
  });
});

describe("encodings", () => {
  it("are found by their usual names and aliases", () => {
    const names = [
      "UTF-8",
      "utf8",
      "ISO-8859-1",
      "Latin1",
      "UTF-16LE",
      "ucs2",
      "cp1252",
      "sjis",
      "Shift_JIS",
      "EUC-KR",
      "GB2312",
      "Big5",
      "us-ascii",
    ];
    expect(names.map((name) => findEncoding(name)?.name)).toEqual([
      "utf8",
      "utf8",
      "latin1",
      "latin1",
      "utf16le",
      "utf16le",
      "windows-1252",
      "shift_jis",
      "shift_jis",
      "euc-kr",
      "gbk",
      "big5",
      "ascii",
    ]);
  });

  it("refuse to write what they cannot hold", () => {
    expect(encodeText("é", "ascii")).toBeUndefined();
    expect(encodeText("文", "latin1")).toBeUndefined();
    expect(encodeText("🙂", "shift_jis")).toBeUndefined();
    expect(encodeText("\uD800", "utf8")).toBeUndefined();
    expect(encodeText("文", "gb18030")).toEqual(Buffer.from([0xce, 0xc4]));
  });
});
