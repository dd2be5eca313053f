import { describe, expect, it } from "vitest";
import { findEncoding, requireEncoding } from "./encoding-names.js";

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
  });

  it.each(["", "--", "base64", "hex", "nothing", "_dbcs", "_internal", "__proto__", "constructor"])(
    "knows no encoding %j",
    (name) => {
      expect(findEncoding(name)).toBeUndefined();
      expect(() => requireEncoding(name)).toThrow(`The encoding ${JSON.stringify(name)} is not known.`);
    },
  );

  it("shows 60 characters of an unknown name", () => {
    expect(() => requireEncoding("x".repeat(61))).toThrow(`"${"x".repeat(60)}"`);
  });
});
