import * as fc from "fast-check";
import { expect, it } from "vitest";
import { anyCharacter } from "./any-character.js";

it("makes the characters of Unicode, and no half of a surrogate pair", () => {
  const codes = fc.sample(anyCharacter, 2000).map((text) => text.codePointAt(0) ?? -1);
  expect(codes.some((code) => code > 0xffff)).toBe(true);
  expect(codes.filter((code) => (code >= 0xd800 && code < 0xe000) || code < 0 || code > 0x10ffff)).toEqual(
    [],
  );
});

it("takes the first, the last and those around the surrogates for its own, and nothing else", () => {
  const takes = (value: unknown): boolean => anyCharacter.canShrinkWithoutContext(value);
  expect(["\0", "a", "\ud7ff", "\ue000", "\u{10ffff}"].filter((text) => !takes(text))).toEqual([]);
  expect(["", "ab", "\ud800", "\udfff", 1, undefined].filter(takes)).toEqual([]);
});

it("lets strings of it be names that every object has", () => {
  const texts = fc.sample(fc.string({ unit: anyCharacter }), 5000);
  expect(texts.some((text) => /__proto__|constructor|toString/.test(text))).toBe(true);
});
