import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createNewlineCounter, type LineUnit, unitValue, WINDOW } from "./newline-counter.js";

const units: readonly LineUnit[] = ([1, 2, 4] as const).flatMap((width) =>
  [false, true].flatMap((bigEndian) => (["\n", "\r"] as const).map((mark) => ({ width, bigEndian, mark }))),
);

describe("createNewlineCounter", () => {
  it.each([true, false])("counts as a loop over the units does (SIMD: %s)", (simd) => {
    const { window, count } = createNewlineCounter(simd);
    const bytes = fc.array(fc.constantFrom(0, 10, 13, 65, 255), { maxLength: 400 });
    fc.assert(
      fc.property(
        bytes,
        fc.constantFrom(...units),
        fc.constantFrom(0, 64, 65_536),
        (content, unit, start) => {
          window.fill(10);
          window.set(content, start);
          const view = Buffer.from(content);
          let expected = 0;
          for (let at = 0; at + unit.width <= view.length; at += unit.width) {
            if (view.readUIntLE(at, unit.width) === unitValue(unit)) expected += 1;
          }
          const whole = view.length - (view.length % unit.width);
          expect(count(start, start + whole, unit)).toBe(expected);
        },
      ),
    );
  });

  it("counts with SIMD here", () => {
    // The memory of the module is larger than what is read into it; that of a plain counter is not.
    expect(createNewlineCounter().window.buffer.byteLength).toBeGreaterThan(WINDOW);
    expect(createNewlineCounter(false).window.buffer.byteLength).toBe(WINDOW);
  });

  it("leaves what lies behind the counted part as it is", () => {
    const { window, count } = createNewlineCounter();
    window.fill(10);
    expect(count(0, 3, { width: 1, bigEndian: false, mark: "\n" })).toBe(3);
    expect(window.every((byte) => byte === 10)).toBe(true);
  });

  it("counts to the very end of the window", () => {
    const { window, count } = createNewlineCounter();
    window.fill(10);
    expect(count(0, window.length, { width: 1, bigEndian: false, mark: "\n" })).toBe(window.length);
  });
});
