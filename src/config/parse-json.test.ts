import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseJson } from "./parse-json.js";
import { positionsIn } from "./source.js";
import { randomCases } from "../../test/setup/random-cases.js";

const safeJson = fc.json({ maxDepth: 6 }).filter((text) => !/__proto__|constructor|prototype/.test(text));

describe("parseJson", () => {
  it("gives what JSON.parse gives, for any JSON", () => {
    fc.assert(
      fc.property(safeJson, fc.constantFrom(0, 2, "\t"), (json, indent) => {
        const text = JSON.stringify(JSON.parse(json), null, indent);
        expect(parseJson(text)).toMatchObject({ faults: [] });
        expect(parseJson(text).value).toEqual(JSON.parse(text));
      }),
    );
  });

  it("accepts and refuses the same texts as JSON.parse", () => {
    const damaged = fc
      .tuple(
        safeJson,
        fc.nat(),
        fc.constantFrom("", ",", "}", "]", '"', "\\", "01", "//", "'", "\u0007", "e"),
      )
      .map(([json, at, piece]) => {
        const cut = at % (json.length + 1);
        return json.slice(0, cut) + piece + json.slice(cut + (at % 2));
      })
      .filter((text) => !hasDuplicates(text));
    fc.assert(
      fc.property(damaged, (text) => {
        let valid = true;
        try {
          JSON.parse(text);
        } catch {
          valid = false;
        }
        expect(parseJson(text).faults.length === 0).toBe(valid);
      }),
      { numRuns: randomCases(2000) },
    );
  });

  it.each([
    ['{\n  "mode": "ask",\n}', 3, 1],
    ['{"mode": }', 1, 10],
    ["{'mode': 1}", 1, 2],
    ['{"mode": "ask"', 1, 15],
    ['{"mode": "ask"} x', 1, 17],
    ["{\n  // no\n}", 2, 3],
    ["", 1, 1],
  ])("names line and column of the fault in %j", (text, line, column) => {
    const [fault] = parseJson(text).faults;
    expect(positionsIn(text)(fault?.offset ?? -1)).toEqual({ line, column });
  });

  it("refuses duplicate keys and keys that reach prototypes", () => {
    const { faults } = parseJson('{"a":1,"a":2,"__proto__":{"x":1},"b":{"constructor":{}}}');
    expect(faults.map((fault) => fault.path)).toEqual([["a"], ["__proto__"], ["b", "constructor"]]);
    expect(({} as Record<string, unknown>)["x"]).toBeUndefined();
  });

  it("refuses endless nesting and endless lists without falling over", () => {
    expect(parseJson("[".repeat(500_000)).faults[0]?.message).toContain("nested deeper");
    expect(parseJson('{"a":'.repeat(100_000)).faults[0]?.message).toContain("nested deeper");
    expect(parseJson(`[${"1,".repeat(400_000)}1]`).faults[0]?.message).toContain("more than");
  });
});

function hasDuplicates(text: string): boolean {
  return parseJson(text).faults.some((fault) => /duplicate|not allowed/.test(fault.message));
}
