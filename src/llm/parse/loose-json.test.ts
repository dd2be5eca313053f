import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { randomCases } from "../../../test/setup/random-cases.js";
import { exactNumber, parseLooseJson, readLooseJson, skipFiller, type LooseOptions } from "./loose-json.js";
import { Reader, Unreadable } from "./reader.js";

const read = (text: string, options: LooseOptions = {}) => readLooseJson(new Reader(text), options);

function problemOf(text: string, options: LooseOptions = {}): string {
  try {
    return `read: ${JSON.stringify(read(text, options))}`;
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    return `${error.code}: ${error.message}`;
  }
}

describe("readLooseJson", () => {
  it("reads all that JSON.parse reads, as it does", () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 4 }), fc.constantFrom(undefined, 0, 2, "\t"), (text, space) => {
        const value: unknown = JSON.parse(text);
        const written = JSON.stringify(value, undefined, space);
        expect(read(written)).toEqual(value);
        expect(parseLooseJson(new Reader(` ${written}\n// end`))).toEqual(value);
        expect(read(written, { python: true, end: "</x>" })).toEqual(value);
      }),
      { numRuns: randomCases(150) },
    );
  });

  it.each<[string, unknown]>([
    ["{a: 1, $b-c_2: 2,}", { a: 1, "$b-c_2": 2 }],
    ["{'a': 'it\\'s', }", { a: "it's" }],
    ["[1, 2, /* three */ 3, // four\n 4, # five\n 5,]", [1, 2, 3, 4, 5]],
    ["[]", []],
    ["{}", {}],
    ["[True, False, None, true, false, null]", [true, false, null, true, false, null]],
    ["[-0.5e+3, 0, 1E2, 12.25]", [-500, 0, 100, 12.25]],
    ['"a\nb"', "a\nb"],
    [String.raw`"\n\t\r\b\f\v\0\"\'\`\\\/"`, "\n\t\r\b\f\v\0\"'`\\/"],
    [String.raw`"\u00e9\x41\uD83D\uDE00"`, "éA😀"],
    ['"a\\\nb"', "ab"],
    ["{a: 1, a: 1}", { a: 1 }],
    ['{"__proto__": 1}', JSON.parse('{"__proto__": 1}')],
    ["{a: {b: [{c: 1}]}}", { a: { b: [{ c: 1 }] } }],
    ["// c\n /* d */ # e\n 1", 1],
  ])("reads %s", (text, value) => {
    expect(read(text)).toEqual(value);
  });

  it.each<[string, unknown]>([
    ["(1, 'a')", [1, "a"]],
    ["()", []],
    ['"""a "quoted" b"""', 'a "quoted" b'],
    ["'''a\n'b'''", "a\n'b"],
    ['["""x""", ("y",)]', ["x", ["y"]]],
    ['""""""', ""],
  ])("reads %s as Python", (text, value) => {
    expect(read(text, { python: true })).toEqual(value);
  });

  it.each([
    ["", "incomplete: The text ends where a value should stand."],
    ["{", 'incomplete: The text ends where a key or "}" should stand.'],
    ["{a", 'incomplete: The text ends where ":" after the key "a" should stand.'],
    ["{a:", "incomplete: The text ends where a value should stand."],
    ["{a:1", 'incomplete: The text ends where "," or "}" should stand.'],
    ["[1", 'incomplete: The text ends where "," or "]" should stand.'],
    ["{a 1}", 'malformed: Expected ":" after the key "a", found "1}".'],
    [`{${"k".repeat(41)} 1}`, `malformed: Expected ":" after the key "${"k".repeat(40)}", found "1}".`],
    ["{1: 2}", 'malformed: Expected a key or "}", found "1: 2}".'],
    ["{a: 1 b: 2}", 'malformed: Expected "," or "}", found "b: 2}".'],
    ["[1 2]", 'malformed: Expected "," or "]", found "2]".'],
    ["[abc]", 'malformed: Expected a value, found "]".'],
    ["[,]", 'malformed: Expected a value, found ",]".'],
    [`[@${"x".repeat(30)}`, `malformed: Expected a value, found "@${"x".repeat(19)}".`],
    ["(1)", 'malformed: Expected a value, found "(1)".'],
    ["01", 'malformed: Expected a value, found "01".'],
    ["1.2.3", 'malformed: Expected a value, found "1.2.3".'],
    ["12abc", 'malformed: Expected a value, found "12abc".'],
    ["truely1", 'malformed: Expected a value, found "truely1".'],
    ["undefined", "incomplete: The text ends where a value should stand."],
    ['"a', "incomplete: A string does not end."],
    ['"a\\', "incomplete: A string ends within an escape."],
    ["/* a", "incomplete: A comment does not end."],
    [
      String.raw`"\d"`,
      String.raw`ambiguous: "\d" in a string could mean "d" or a backslash and "d"; write "\\d".`,
    ],
    [
      String.raw`"\u12"`,
      String.raw`ambiguous: "\u" in a string could mean "u" or a backslash and "u"; write "\\u".`,
    ],
    [
      String.raw`"\xg1"`,
      String.raw`ambiguous: "\x" in a string could mean "x" or a backslash and "x"; write "\\x".`,
    ],
    ["{a: 1, a: 2}", 'ambiguous: The key "a" occurs twice with different values.'],
    [
      "9007199254740993",
      "ambiguous: 9007199254740993 is too large to be represented exactly; write it as a string where one is accepted.",
    ],
    ["1e999", "malformed: 1e999 is too large a number."],
  ])("does not read %s", (text, problem) => {
    expect(problemOf(text)).toBe(problem);
  });

  it("takes brackets for closed where the text must end, and nothing else", () => {
    const end = "</call>";
    expect(read(`{"a": [1, {"b": 2${end}`, { end })).toEqual({ a: [1, { b: 2 }] });
    expect(read(`{"a": [1,${end}`, { end })).toEqual({ a: [1] });
    expect(problemOf(`{"a": ${end}`, { end })).toContain("malformed: Expected a value");
    expect(problemOf(`{"a": "x${end}`, { end })).toBe("incomplete: A string does not end.");
    expect(problemOf(`{"a": 1${end}`)).toContain('malformed: Expected "," or "}"');
  });

  it("reads a hundred levels and no more", () => {
    const nested = (depth: number) => "[".repeat(depth) + "1" + "]".repeat(depth);
    expect(JSON.stringify(read(nested(100)))).toBe(nested(100));
    expect(problemOf(nested(101))).toBe("too_deep: The arguments nest deeper than 100.");
    expect(problemOf("{a:".repeat(101))).toBe("too_deep: The arguments nest deeper than 100.");
  });

  it("stops behind the value", () => {
    const reader = new Reader('{"a": "b"} tail');
    readLooseJson(reader);
    expect(reader.text.slice(reader.pos)).toBe(" tail");
  });
});

describe("parseLooseJson", () => {
  it("reads a text that is one value and nothing else", () => {
    expect(parseLooseJson(new Reader("1 // one"))).toBe(1);
    expect(parseLooseJson(new Reader("1 2"))).toBeUndefined();
    expect(parseLooseJson(new Reader("{"))).toBeUndefined();
  });
});

describe("skipFiller", () => {
  it.each([
    [" \n\t\u00a0\ufeff x", "x"],
    ["// a\n# b\n/* c\n */ x", "x"],
    ["#: x", "#: x"],
    ["/ x", "/ x"],
    ["// to the end", ""],
    ["/**/x", "x"],
  ])("%j leaves %j", (text, rest) => {
    const reader = new Reader(text);
    skipFiller(reader);
    expect(text.slice(reader.pos)).toBe(rest);
  });
});

describe("exactNumber", () => {
  it.each([
    ["0", 0],
    ["-12", -12],
    ["9007199254740991", 9_007_199_254_740_991],
    ["9007199254740992", 9_007_199_254_740_992],
    ["1.5", 1.5],
    ["1e20", 1e20],
  ])("%s is kept", (text, value) => {
    expect(exactNumber(text)).toBe(value);
  });
});

describe("Reader", () => {
  it("knows where lines start and end", () => {
    const at = (text: string, pos: number) => Object.assign(new Reader(text), { pos });
    expect(at("a", 0).startsLine).toBe(true);
    expect(at("a\n \tb", 4).startsLine).toBe(true);
    expect(at("a\rb", 2).startsLine).toBe(true);
    expect(at("a b", 2).startsLine).toBe(false);
    expect(at(`${" ".repeat(64)}b`, 64).startsLine).toBe(true);
    expect(at(`\n${" ".repeat(65)}b`, 66).startsLine).toBe(false);
    expect(at("a \t\nb", 1).endsLine).toBe(true);
    expect(at("a", 1).endsLine).toBe(true);
    expect(at("a b", 1).endsLine).toBe(false);
    expect(at(`a${" ".repeat(1025)}`, 1).endsLine).toBe(true);
    expect(at(`a${" ".repeat(1026)}`, 1).endsLine).toBe(false);
  });

  it("spends its budget on what it looks at, and then reads nothing more", () => {
    const reader = new Reader("aaaa,b", 12);
    expect(reader.find(",")).toBe(4); // 5 steps
    expect(reader.find("x", 4)).toBe(-1); // 3 steps
    expect(reader.match(/b/y)).toBeUndefined();
    expect(reader.match(/aaa/y)).toBe("aaa"); // 4 steps, the last ones
    expect([reader.pos, reader.spent]).toEqual([3, false]);
    expect(() => reader.spend(1)).toThrow("Reading the text takes too many steps; the rest was not read.");
    expect(reader.spent).toBe(true);
  });

  it("has more steps for a longer text", () => {
    const stepsFor = (text: string, steps: number) => new Reader(text).spend(steps);
    expect(() => stepsFor("", 1_000_000)).not.toThrow();
    expect(() => stepsFor("", 1_000_001)).toThrow(Unreadable);
    expect(() => stepsFor("ab", 1_000_016)).not.toThrow();
    expect(() => stepsFor("ab", 1_000_017)).toThrow(Unreadable);
  });
});
