import * as fc from "fast-check";
import { expect, it } from "vitest";
import { TransientMap } from "./transient-map.js";

it("holds what a map would hold", () => {
  const key = fc.integer({ min: 0, max: 4 });
  const step = fc.oneof(
    fc.record({ set: key, value: fc.integer() }),
    fc.record({ delete: key }),
    fc.record({ clear: fc.constant(true) }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const [real, model] = [new TransientMap<number, number>(), new Map<number, number>()];
      for (const each of steps) {
        if ("set" in each) {
          real.set(each.set, each.value);
          model.delete(each.set); // what is set again is the newest
          model.set(each.set, each.value);
        } else if ("delete" in each) expect(real.delete(each.delete)).toBe(model.delete(each.delete));
        else {
          real.clear();
          model.clear();
        }
        expect(real.size).toBe(model.size);
        expect([...real.keys()]).toEqual([...model.keys()]);
        expect([...real.values()]).toEqual([...model.values()]);
        for (let at = 0; at <= 4; at++) {
          expect(real.get(at)).toBe(model.get(at));
          expect(real.has(at)).toBe(model.has(at));
        }
      }
    }),
  );
});
