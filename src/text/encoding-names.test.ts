import { describe, expect, it } from "vitest";
import { findEncoding, isEncodingName, listEncodings, requireEncoding } from "./encoding-names.js";

describe("listEncodings", () => {
  it("offers encodings of text only", () => {
    const names = listEncodings();
    expect(names).toContain("shift_jis");
    expect(names.filter((name) => /^(?:base64|hex|_internal)$/.test(name))).toEqual([]);
  });
});

describe("findEncoding", () => {
  it.each([
    ["UTF-8", "utf8", "utf8"],
    ["cp65001", "utf8", "utf8"],
    ["us-ascii", "ascii", "single"],
    ["ISO-8859-1", "latin1", "single"],
    ["binary", "latin1", "single"],
    ["UTF-16", "utf16le", "utf16"],
    ["ucs2", "utf16le", "utf16"],
    ["utf-16be", "utf16be", "utf16"],
    ["UTF-32", "utf32le", "whole"],
    ["ucs-4be", "utf32be", "whole"],
    ["iso-2022-jp", "iso-2022-jp", "stateful"],
    ["utf-7", "utf7", "stateful"],
    ["cp1252", "windows-1252", "single"],
    ["win1251", "windows-1251", "single"],
    ["latin2", "iso-8859-2", "single"],
    ["koi8-r", "koi8-r", "single"],
    ["sjis", "shift_jis", "multi"],
    ["EUC-JP", "euc-jp", "multi"],
    ["euckr", "euc-kr", "multi"],
    ["GBK", "gbk", "multi"],
    ["gb18030", "gb18030", "multi"],
    ["big5", "big5", "multi"],
    ["cesu8", "cesu8", "whole"],
  ])("knows %s as %s (%s)", (given, name, family) => {
    expect(findEncoding(given)).toEqual({ name, family });
    expect(requireEncoding(given)).toEqual({ name, family });
    expect(isEncodingName(given)).toBe(true);
  });

  it.each(["", "--", "base64", "hex", "nothing"])("knows no encoding %j", (name) => {
    expect(findEncoding(name)).toBeUndefined();
    expect(isEncodingName(name)).toBe(false);
    expect(() => requireEncoding(name)).toThrow(`The encoding ${JSON.stringify(name)} is not known.`);
  });

  it("takes auto for a name, and shows 60 characters of an unknown one", () => {
    expect(isEncodingName("auto")).toBe(true);
    expect(() => requireEncoding("x".repeat(61))).toThrow(`"${"x".repeat(60)}"`);
  });
});
