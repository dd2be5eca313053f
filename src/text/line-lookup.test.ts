import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createLineLookup } from "./line-lookup.js";
import { createLineTable } from "./line-table.js";

describe("createLineLookup", () => {
  it("finds every place at which lines stand in a row", () => {
    const line = fc.constantFrom("a", "b", "ab", "", "c");
    fc.assert(
      fc.property(
        fc.array(line, { maxLength: 20 }),
        fc.array(line, { maxLength: 3 }),
        fc.boolean(),
        (all, wanted, ended) => {
          const text = all.join("\n") + (ended ? "\n" : "");
          const table = createLineTable(text);
          const lines = Array.from({ length: table.count }, (_, at) =>
            text.slice(table.start(at), table.contentEnd(at)),
          );
          const places = lines.flatMap((_, at) =>
            wanted.length > 0 &&
            wanted.every((one, index) => at + index < lines.length && one === lines[at + index])
              ? [at]
              : [],
          );
          expect(createLineLookup(text, table).find(wanted)).toEqual(places);
        },
      ),
    );
  });

  it("compares the places of the rarest line only", () => {
    const text = `${"}\n".repeat(5000)}one\n${"}\n".repeat(5000)}`;
    const table = createLineTable(text);
    let compared = 0;
    const contentEnd = (at: number): number => (compared++, table.contentEnd(at));
    const lookup = createLineLookup(text, { ...table, count: table.count, contentEnd });
    for (const lines of [
      ["}", "one"],
      ["one", "}"],
      ["}", "}", "one"],
      ["}", "nowhere"],
    ]) {
      compared = 0;
      expect(lookup.find(lines)).toEqual(lines.includes("one") ? [5000 - lines.indexOf("one")] : []);
      expect(compared).toBeLessThan(20);
    }
  });

  it("stops at a number of places that nobody needs to know exactly", () => {
    const text = "x\n".repeat(100_005);
    expect(createLineLookup(text, createLineTable(text)).find(["x"])).toHaveLength(100_000);
  });
});
