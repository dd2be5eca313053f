import { describe, expect, it } from "vitest";
import { createLineIndex } from "./line-index.js";
import { createLineLookup } from "./line-lookup.js";
import { createLineTable } from "./line-table.js";

const indexOf = (texts: readonly string[]) => createLineIndex(texts.length, (at) => texts[at] ?? "");
const lookupOf = (texts: readonly string[], end = "\n") => {
  const text = texts.map((line) => line + end).join("");
  return createLineLookup(text, createLineTable(text));
};

describe.each([
  ["createLineIndex", indexOf],
  ["createLineLookup", lookupOf],
])("%s", (_name, create) => {
  it("finds lines only where all of them follow each other", () => {
    const index = create(["a", "b", "a", "c", "a", "b", "rare", "x"]);
    expect(index.find(["a", "b"])).toEqual([0, 4]);
    expect(index.find(["b", "rare"])).toEqual([5]);
    expect(index.find(["a", "rare"])).toEqual([]);
    expect(index.find(["rare", "a"])).toEqual([]);
    expect(index.find(["x", "a"])).toEqual([]);
    expect(index.find(["nowhere"])).toEqual([]);
    expect(index.find([])).toEqual([]);
  });
});

describe("createLineLookup", () => {
  it("tells lines apart whose hashes share a bucket, in a text with any line ends", () => {
    const texts = Array.from({ length: 5000 }, (_, at) => (at % 7 === 0 ? "" : `line ${at % 1000}`));
    for (const end of ["\n", "\r\n", "\r"]) {
      const lookup = lookupOf(texts, end);
      for (let at = 1; at < texts.length; at += 97) {
        const wanted = texts.slice(at, at + 2);
        const places = texts.flatMap((_, place) =>
          wanted.every((line, next) => texts[place + next] === line) ? [place] : [],
        );
        expect(lookup.find(wanted)).toEqual(places);
      }
    }
  });
});
