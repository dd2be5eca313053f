import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { segment } from "./segment.js";
import { anyCharacter } from "../../test/setup/any-character.js";

const cut = (text: string, singles = true): string[] => segment(text, { singles, limit: 1000 });

describe("segment", () => {
  it("folds case, width and accents", () => {
    expect(cut("Café ＡＢＣ ﬁne ΣΊΣΥΦΟΣ")).toEqual(["cafe", "abc", "fine", "σισυφος"]);
  });

  it("cuts names of programs into their words, and keeps them whole", () => {
    expect(cut("readFile HTTPServer2 snake_case kebab-case v1.2")).toEqual([
      "readfile",
      "read",
      "file",
      "httpserver2",
      "http",
      "server2",
      "snake",
      "case",
      "kebab",
      "case",
      "v1",
      "2",
    ]);
  });

  it("makes pairs of scripts without spaces, and single characters for the index", () => {
    expect(cut("数据库").toSorted()).toEqual(["库", "据", "据库", "数", "数据"]);
    expect(cut("数据库", false)).toEqual(["数据", "据库"]);
    expect(cut("库", false)).toEqual(["库"]);
  });

  it("cuts where the way of writing changes", () => {
    expect(cut("用SQLite存储", false)).toEqual(["用", "sqlite", "sq", "lite", "存储"]);
    expect(cut("データベース", false)).toEqual(["デー", "ータ", "タベ", "ベー", "ース"]);
    expect(cut("ﾃﾞｰﾀ", false)).toEqual(["デー", "ータ"]);
    expect(cut("ฐานข้อมูล", false).length).toBeGreaterThan(3);
  });

  it("stops at its limit and cuts endless words", () => {
    expect(segment("a b c d", { singles: true, limit: 2 })).toEqual(["a", "b"]);
    expect(cut("x".repeat(10_000))).toEqual(["x".repeat(64)]);
    expect(cut("中".repeat(50_000)).length).toBe(1000);
  });

  it("yields only letters, marks and digits, whatever comes in", () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter, maxLength: 200 }), (text) => {
        for (const term of cut(text)) expect(term).toMatch(/^[\p{L}\p{M}\p{N}]{1,64}$/u);
      }),
    );
    expect(cut("\u0306 \u0301\u0302")).toEqual([]);
    expect(cut(`"a" NEAR(b*) -c ^d {e}:f OR \0 '; DROP`)).toEqual("a near b c d e f or drop".split(" "));
  });

  it("cuts a query and a text alike: whatever stands in a text is found by itself", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", minLength: 1, maxLength: 30 }), (text) => {
        const indexed = new Set(cut(`before ${text} after`));
        for (const term of cut(text, false)) expect(indexed).toContain(term);
      }),
    );
  });
});
