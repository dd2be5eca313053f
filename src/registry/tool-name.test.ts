import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkName, foldName, shorten, splitSpec } from "./tool-name.js";
import { anyCharacter } from "../../test/setup/any-character.js";

const codeOf = (name: unknown): string | undefined => {
  try {
    checkName(name, "name", "");
    return undefined;
  } catch (error) {
    return (error as { code: string }).code;
  }
};

describe("checkName", () => {
  it.each([
    "read_file",
    "server:tool",
    "a/b.c-d",
    "constructor",
    "toString",
    "hasOwnProperty",
    "读取文件",
    "ファイル",
    "é",
    "e\u0301",
    "हिन्दी",
    "9",
    "a".repeat(128),
  ])("accepts %j", (name) => {
    expect(codeOf(name)).toBeUndefined();
  });

  it.each([undefined, null, "", " ", "\n\t", "\u00a0"])("calls %j empty", (name) => {
    expect(codeOf(name)).toBe("NAME_EMPTY");
  });

  it.each([
    ["a blank", "a b"],
    ["a line end at the end", "ab\n"],
    ["an @", "a@1"],
    ["NUL", "a\0"],
    ["a zero width space", "a\u200bb"],
    ["a zero width joiner", "a\u200db"],
    ["a soft hyphen", "a\u00adb"],
    ["a byte order mark", "\ufeffa"],
    ["a right-to-left override", "a\u202eb"],
    ["a Hangul filler", "a\u3164"],
    ["a variation selector", "a\ufe0f"],
    ["a combining grapheme joiner", "a\u034fb"],
    ["a tag character", "a\u{e0041}"],
    ["a lone surrogate", "a\ud800"],
    ["an emoji", "a😀"],
    ["a fullwidth @", "a＠b"],
    ["a letter that stands for a phrase", "\ufdfa"],
    ["quotes", 'a"b'],
    ["markup", "<b>"],
    ["too many characters", "a".repeat(129)],
    ["only punctuation", ".."],
    ["only slashes", "/"],
    ["the prototype", "__proto__"],
    ["the prototype in capitals", "__PROTO__"],
    ["the prototype in fullwidth", "__ｐｒｏｔｏ__"],
    ["a number", 7],
    ["an object", {}],
  ])("refuses %s", (_, name) => {
    expect(codeOf(name)).toBe("NAME_INVALID");
  });

  it("never lets an invisible or control character through", () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter, minLength: 1 }), (name) => {
        if (codeOf(name) !== undefined) return;
        expect(name).not.toMatch(/[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}@]/u);
        expect(foldName(foldName(name))).toBe(foldName(name));
      }),
    );
  });
});

describe("foldName", () => {
  it.each([
    ["Read_File", "read_file"],
    ["ｒｅａｄ＿ｆｉｌｅ", "read_file"],
    ["\u212aey", "key"],
    ["ﬁle", "file"],
    ["straße", "STRASSE"],
    ["ſave", "save"],
    ["ΟΔΟΣ", "οδος"],
    ["ΟΔΟΣ", "οδοσ"],
    ["e\u0301", "É"],
    ["①", "1"],
  ])("makes %j equal to %j", (a, b) => {
    expect(foldName(a)).toBe(foldName(b));
  });

  it("keeps different names apart", () => {
    expect(foldName("read_file")).not.toBe(foldName("readfile"));
    expect(foldName("İ")).not.toBe(foldName("ı"));
  });
});

describe("splitSpec and shorten", () => {
  it("splits at the first @", () => {
    expect(splitSpec("a@^1.2")).toEqual({ name: "a", range: "^1.2" });
    expect(splitSpec("a")).toEqual({ name: "a", range: undefined });
    expect(splitSpec("a@")).toEqual({ name: "a", range: "" });
  });

  it("shortens what is longer than 160 characters", () => {
    expect(shorten("x".repeat(160))).toBe("x".repeat(160));
    expect(shorten("x".repeat(161))).toBe(`${"x".repeat(160)}…`);
  });

  it("never leaves half a character", () => {
    const cut = shorten("😀".repeat(200));
    expect(cut.length).toBeLessThan(170);
    expect(cut).not.toMatch(/[\uD800-\uDBFF](?![\uDC00-\uDFFF])/u);
    expect(shorten(`a${"😀".repeat(200)}`)).toMatch(/^a(?:😀)+…$/u);
  });
});
