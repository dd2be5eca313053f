import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toPlainResult } from "./plain-result.js";
import { anyCharacter } from "../../test/setup/any-character.js";

describe("toPlainResult", () => {
  it("passes JSON data as it is, uncopied", () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: anyCharacter }), (value) => {
        expect(toPlainResult(value)).toEqual({ value });
        expect(toPlainResult(value).value).toBe(value);
      }),
    );
  });

  it.each([
    ["BigInt", { n: 10n }, { n: "10" }],
    ["Map", new Map([["a", 1]]), { a: 1 }],
    ["Set", new Set([1, 2]), [1, 2]],
    ["Date", { at: new Date(0) }, { at: "1970-01-01T00:00:00.000Z" }],
    ["NaN and Infinity", [Number.NaN, Number.POSITIVE_INFINITY], [null, null]],
    ["bytes", new Uint8Array([104, 105]), "aGk="],
    ["errors", { e: new TypeError("x") }, { e: { name: "TypeError", message: "x" } }],
    ["functions and symbols", { f: () => 1, s: Symbol("x"), keep: 1 }, { keep: 1 }],
    ["holes and undefined in lists", [undefined, () => 1, 2], [null, null, 2]],
  ])("turns %s into its nearest JSON form and says so", (_name, value, plain) => {
    const result = toPlainResult(value);
    expect(result.value).toEqual(plain);
    expect(result.changed).toBeDefined();
  });

  it("cuts circles, and keeps what is merely shared", () => {
    const circle: Record<string, unknown> = { name: "a" };
    circle["self"] = circle;
    const shared = { x: 1n };
    expect(toPlainResult(circle).value).toEqual({ name: "a", self: "[Circular]" });
    expect(toPlainResult([shared, shared]).value).toEqual([{ x: "1" }, { x: "1" }]);
  });

  it("survives depth, throwing getters and proxies that throw", () => {
    let deep: unknown = {};
    for (let level = 0; level < 100_000; level++) deep = { deep };
    expect(JSON.stringify(toPlainResult(deep).value)).toContain("[Too deep]");
    const hostile = Object.defineProperty({}, "boom", {
      enumerable: true,
      get: () => {
        throw new Error("no");
      },
    });
    expect(toPlainResult(hostile)).toMatchObject({ value: null });
    const proxy = new Proxy(
      {},
      {
        ownKeys: () => {
          throw new Error("no");
        },
      },
    );
    expect(() => toPlainResult({ proxy })).not.toThrow();
  });

  it("ends in time where parts are shared many times over", () => {
    let shared: unknown = {};
    for (let level = 0; level < 60; level++) shared = { left: shared, right: shared };
    expect(toPlainResult(shared).changed).toBeDefined();
  });

  it("never lets a prototype through", () => {
    const result = toPlainResult(new Map([["__proto__", { polluted: 1n }]]));
    expect(Object.getPrototypeOf(result.value)).toBe(Object.prototype);
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });

  it("always gives something that can be serialized", () => {
    fc.assert(
      fc.property(
        fc.anything({ withBigInt: true, withDate: true, withMap: true, withSet: true, withTypedArray: true }),
        (value) => {
          expect(() => JSON.stringify(toPlainResult(value).value)).not.toThrow();
        },
      ),
    );
  });
});
