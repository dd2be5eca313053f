import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { nearest } from "./nearest.js";

describe("nearest", () => {
  it("finds slips of the finger", () => {
    expect(nearest("pth", ["path", "mode"])).toBe("path");
    expect(nearest("file_raed", ["file_write", "file_read"])).toBe("file_read");
    expect(nearest("contnet", ["content", "context"])).toBe("content");
    expect(nearest("commandd", ["command"])).toBe("command");
  });

  it("looks past case, hyphens and underscores", () => {
    expect(nearest("startLine", ["end_line", "start_line"])).toBe("start_line");
    expect(nearest("READ-FILE", ["read_file"])).toBe("read_file");
  });

  it("prefers the closest, and the first among equals", () => {
    expect(nearest("heigth", ["height", "weights"])).toBe("height");
    expect(nearest("paths", ["path", "pathss"])).toBe("path");
  });

  it("guesses nothing where nothing is near", () => {
    expect(nearest("x", ["y", "z"])).toBeUndefined();
    expect(nearest("", ["a"])).toBeUndefined();
    expect(nearest("recursive", ["path", "encoding"])).toBeUndefined();
    expect(nearest("anything", [])).toBeUndefined();
  });

  it("finds every name with one letter left out, changed or swapped", () => {
    const name = fc.stringMatching(/^[a-z]{4,12}$/);
    fc.assert(
      fc.property(name, fc.nat(), (word, at) => {
        const index = at % (word.length - 1);
        const without = word.slice(0, index) + word.slice(index + 1);
        const swapped = word.slice(0, index) + word[index + 1] + word[index] + word.slice(index + 2);
        const changed = `${word.slice(0, index)}0${word.slice(index + 1)}`;
        for (const slip of [without, swapped, changed]) expect(nearest(slip, [word])).toBe(word);
      }),
    );
  });

  it("looks at a bounded number of candidates, and at none for a name that is no name", () => {
    let looked = 0;
    function* endless() {
      for (;;) yield `tool_number_${looked++}`;
    }
    expect(nearest("weather", endless())).toBeUndefined();
    expect(looked).toBeLessThan(50_000);
    looked = 0;
    expect(nearest("x".repeat(1_000_000), endless())).toBeUndefined();
    expect(looked).toBe(0);
  });
});
