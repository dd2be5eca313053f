import * as fc from "fast-check";
import { expect, it } from "vitest";
import { createStepIndex, directoriesAbove } from "./step-index.js";

it("finds the last step at a path, above it or below it, as a search through all of them would", () => {
  const real = fc
    .array(fc.constantFrom("a", "b", "ab"), { maxLength: 3 })
    .map((parts) => `/${parts.join("/")}`);
  const isBelow = (one: string, other: string): boolean =>
    one !== other && one.startsWith(other === "/" ? "/" : `${other}/`);
  fc.assert(
    fc.property(fc.array(fc.array(real, { minLength: 1, maxLength: 2 }), { maxLength: 12 }), (steps) => {
      const index = createStepIndex();
      for (const [seq, paths] of steps.entries()) for (const each of paths) index.add(each, seq);
      for (const wanted of ["/", "/a", "/ab", "/a/b", "/a/b/ab", "/none"]) {
        for (let limit = 0; limit <= steps.length + 1; limit++) {
          const lastOf = (concerns: (each: string) => boolean): number =>
            steps.findLastIndex((paths, seq) => seq < limit && paths.some(concerns));
          expect(index.lastAbove(wanted, limit)).toBe(
            lastOf((each) => each === wanted || isBelow(wanted, each)),
          );
          expect(index.lastBelow(wanted, limit)).toBe(lastOf((each) => isBelow(each, wanted)));
        }
      }
    }),
  );
});

it("knows all folders above a path, the nearest first", () => {
  expect([...directoriesAbove("/a/b/c")]).toEqual(["/a/b", "/a", "/"]);
  expect([...directoriesAbove("/a")]).toEqual(["/"]);
  expect([...directoriesAbove("/")]).toEqual([]);
});
