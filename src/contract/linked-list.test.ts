import { describe, expect, it } from "vitest";
import * as fc from "fast-check";
import { LinkedList, type ListEntry } from "./linked-list.js";

describe("LinkedList", () => {
  it("holds what an array holds, whatever is added and taken out", () => {
    const step = fc.oneof({ weight: 2, arbitrary: fc.constant("add" as const) }, fc.nat(20));
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const list = new LinkedList<number>();
        const model: ListEntry<number>[] = [];
        for (const [at, one] of steps.entries()) {
          if (one === "add") model.push(list.add(at));
          else for (const entry of model.splice(one % Math.max(model.length, 1), 1)) list.remove(entry);
          expect([...list]).toEqual(model.map(({ value }) => value));
          expect([list.size, list.first, list.last]).toEqual([
            model.length,
            model[0]?.value,
            model.at(-1)?.value,
          ]);
        }
      }),
    );
  });

  it("goes on with the next while the current one is taken out", () => {
    const list = new LinkedList<number>();
    const entries = [1, 2, 3].map((value) => list.add(value));
    const seen: number[] = [];
    for (const value of list) {
      seen.push(value);
      list.remove(entries[value - 1] as ListEntry<number>);
    }
    expect([seen, list.size]).toEqual([[1, 2, 3], 0]);
  });

  it("lets go of what stood beside it", () => {
    const list = new LinkedList<number>();
    const [, middle] = [list.add(1), list.add(2), list.add(3)];
    list.remove(middle);
    expect(middle).toEqual({ value: 2, before: undefined, after: undefined });
  });
});
