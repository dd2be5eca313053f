import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { joinWords, splitCommands } from "./split-words.js";
import { PatternError, unescapeWildcard } from "../glob/wildcard.js";

describe("splitCommands", () => {
  it.each([
    ["npm run test", [["npm", "run", "test"]]],
    ["a && b; c | d || e & f\ng", [["a"], ["b"], ["c"], ["d"], ["e"], ["f"], ["g"]]],
    [`git commit -m 'a && b'`, [["git", "commit", "-m", "a && b"]]],
    [`echo "x \\"y\\""z`, [["echo", `x "y"z`]]],
    [`echo ''`, [["echo", ""]]],
    [String.raw`a\ b c`, [["a b", "c"]]],
    ["; a;; b &", [["a"], ["b"]]],
    [String.raw`a "b\c \$d"`, [["a", String.raw`b\c $d`]]],
    ["   ", []],
  ])("splits %j", (line, expected) => {
    expect(splitCommands(line).map((words) => words.map(unescapeWildcard))).toEqual(expected);
  });

  it("keeps wildcards that are not quoted", () => {
    expect(splitCommands(`test* 'x*'`)).toEqual([["test*", String.raw`x\*`]]);
  });

  it("refuses a quote that is never closed", () => {
    expect(() => splitCommands("echo 'x")).toThrow(PatternError);
    expect(() => splitCommands('echo "x')).toThrow("a quote is never closed");
    expect(() => splitCommands("echo \\")).toThrow('a "\\" at the end escapes nothing');
  });

  it("gives back the words that were joined", () => {
    const words = fc.array(fc.string({ unit: "grapheme" }), { minLength: 1 });
    fc.assert(
      fc.property(words, (list) => {
        expect(splitCommands(joinWords(list)).map((one) => one.map(unescapeWildcard))).toEqual([list]);
      }),
    );
  });
});
