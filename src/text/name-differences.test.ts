import { describe, expect, it } from "vitest";
import { nameDifferences } from "./name-differences.js";

const differ = (actual: string, given: string) => nameDifferences([{ number: 7, actual, given }]);

describe("nameDifferences", () => {
  it.each<[string, string, string]>([
    ["  a", "\ta", "indentation: line 7 of the file begins with 2 spaces, the given text with 1 tab"],
    ["a", " a", "indentation: line 7 of the file begins with none, the given text with 1 space"],
    [
      "\t\t \ta",
      " \t \t \ta",
      "indentation: line 7 of the file begins with 2 tabs and 1 space and 1 tab, the given text with 1 space and 1 tab and 1 space and 1 tab",
    ],
    ["a ", "a", "trailing whitespace: line 7 of the file ends with 1 space, the given text with none"],
    [
      "a\t\t",
      "a  ",
      "trailing whitespace: line 7 of the file ends with 2 tabs, the given text with 2 spaces",
    ],
    [
      "a\r",
      "a",
      "trailing whitespace: line 7 of the file ends with 1 carriage return, the given text with none",
    ],
    ["a  b", "a b", 'whitespace within the line: line 7 of the file has "a  b", the given text has "a b"'],
    ["say 'a'", 'say "a"', `quotes: line 7 of the file has "say 'a'", the given text has "say \\"a\\""`],
    ["a – b", "a - b", 'dashes or dots: line 7 of the file has "a – b" (U+2013), the given text has "a - b"'],
    ["ABC", "abc", 'case (upper and lower letters): line 7 of the file has "ABC", the given text has "abc"'],
    [
      "a\u200bb",
      "ab",
      "invisible characters: line 7 of the file has U+200B (zero-width space), the given text has none there",
    ],
    [
      "ab",
      "a\u200d\u00ad\ufeffb",
      "invisible characters: line 7 of the file has none there, the given text has U+200D (zero-width joiner), U+00AD (soft hyphen), U+FEFF (byte order mark)",
    ],
    ["one", "two", 'line 7 differs: line 7 of the file has "one", the given text has "two"'],
    ["one", "one more", 'line 7 differs: line 7 of the file has "one", the given text has "one more"'],
  ])("says of %j and %j what differs", (actual, given, said) => {
    expect(differ(actual, given)).toEqual([said]);
  });

  it("names accents that are composed, and letters of another alphabet", () => {
    expect(differ("caf\u00e9", "cafe\u0301")[0]).toMatch(/^Unicode normal form .* \(U\+00E9\)/);
    expect(differ("c\u0430t", "cat")[0]).toMatch(/^characters that look alike: .* \(U\+0430\)/);
  });

  it("names each kind once, by its first example, and only the first line of other text", () => {
    const pairs = [
      { number: 1, actual: "same", given: "same" },
      { number: 2, actual: " a", given: "a" },
      { number: 3, actual: "  b", given: "b" },
      { number: 4, actual: "one", given: "two" },
      { number: 5, actual: "c ", given: "c" },
      { number: 6, actual: "three", given: "four" },
    ];
    expect(nameDifferences(pairs).map((said) => said.slice(0, said.indexOf(" of the file")))).toEqual([
      "indentation: line 2",
      "trailing whitespace: line 5",
      "line 4 differs: line 4",
    ]);
    expect(nameDifferences(pairs.slice(0, 1))).toEqual([]);
  });

  it("names all kinds of one line", () => {
    const said = differ("  A  b ", "a b");
    expect(said.map((each) => each.slice(0, each.indexOf(" ")))).toEqual(
      expect.arrayContaining(["indentation:", "trailing", "whitespace", "case"]),
    );
    expect(said).toHaveLength(4);
  });

  it("shows a long line from near the difference on, with marks where it is cut", () => {
    const long = "0123456789".repeat(20);
    const changed = (at: number) => `${long.slice(0, at)}#${long.slice(at + 1)}`;
    const shownAt = (at: number) =>
      /has ("[^"]*"), the given text has ("[^"]*")/.exec(differ(changed(at), long)[0] ?? "");
    expect(shownAt(40)?.[1]).toBe(JSON.stringify(`${changed(40).slice(0, 90)}…`));
    expect(shownAt(41)?.[1]).toBe(JSON.stringify(`…${changed(41).slice(11, 91)}…`));
    expect(shownAt(41)?.[2]).toBe(JSON.stringify(`…${long.slice(11, 91)}…`));
    expect(shownAt(150)?.[1]).toBe(JSON.stringify(`…${changed(150).slice(120, 200)}`));
    expect(shownAt(149)?.[1]).toBe(JSON.stringify(`…${changed(149).slice(119, 199)}…`));
  });
});
