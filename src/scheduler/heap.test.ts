import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Heap } from "./heap.js";

interface Entry {
  heapIndex: number;
  value: number;
}

describe("Heap", () => {
  it("always has the least item first, whatever is added, removed and changed", () => {
    const step = fc.record({ act: fc.constantFrom("add", "add", "remove", "change"), value: fc.nat(50) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80, size: "max" }), (steps) => {
        const heap = new Heap<Entry>((a, b) => a.value < b.value);
        const inside: Entry[] = [];
        for (const { act, value } of steps) {
          const chosen = inside[value % Math.max(inside.length, 1)];
          if (act === "add" || chosen === undefined) {
            const entry = { heapIndex: -1, value };
            inside.push(entry);
            heap.add(entry);
          } else if (act === "change") {
            chosen.value = (value * 7) % 50;
            heap.moved(chosen);
          } else {
            heap.remove(chosen);
            heap.remove(chosen);
            inside.splice(inside.indexOf(chosen), 1);
          }
          const least = inside.length === 0 ? undefined : Math.min(...inside.map((entry) => entry.value));
          expect(heap.first?.value).toBe(least);
          expect(new Set(inside.map((entry) => entry.heapIndex)).size).toBe(inside.length);
        }
      }),
    );
  });
});
