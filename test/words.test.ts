import { describe, expect, it } from "vitest";
import { checkWords, findAvoidedWords, readAvoidedPhrases } from "../scripts/check-words.mjs";

describe("the word list", () => {
  it("is followed in names, messages, comments and docs", () => {
    expect(checkWords()).toEqual([]);
  });

  it("is read from docs/words.md", () => {
    expect(readAvoidedPhrases()).toContain("anew");
  });

  it.each([
    ["const librarian = 1;", "librarian"],
    ["function openCommandGround() {}", "ground"],
    ["// It is started anew.", "anew"],
    ['throw new Error("this is no JSON")', "is no JSON"],
    ["some-wish.ts", "wish"],
    ["// Other programs run or obey it later.", "run or obey"],
    ["SEAT_COUNT", "seat"],
    ["const mostChars = 80;", "mostChars"],
    ["  readonly #longestWaitMs: number;", "longestWaitMs"],
  ])("finds the words of %s", (text, phrase) => {
    expect(findAvoidedWords(`fine\n${text}`, readAvoidedPhrases())).toMatchObject([{ line: 2, phrase }]);
  });

  it.each(["a background job", "foregroundMs", "there is no JSON parser here as such", "reseated"])(
    "leaves alone what only contains them: %s",
    (text) => {
      expect(findAvoidedWords(text, ["ground", "is no JSON text", "seat"])).toEqual([]);
    },
  );
});
