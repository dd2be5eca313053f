import { describe, expect, it } from "vitest";
import { createLineIndex } from "./line-index.js";

const indexOf = (texts: readonly string[]) => createLineIndex(texts.length, (at) => texts[at] ?? "");

describe("createLineIndex", () => {
  it("finds lines only where all of them follow each other", () => {
    const index = indexOf(["a", "b", "a", "c", "a", "b", "rare", "x"]);
    expect(index.find(["a", "b"])).toEqual([0, 4]);
    expect(index.find(["b", "rare"])).toEqual([5]);
    expect(index.find(["a", "rare"])).toEqual([]);
    expect(index.find(["rare", "a"])).toEqual([]);
    expect(index.find(["nowhere"])).toEqual([]);
  });
});
