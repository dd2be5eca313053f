import { runInNewContext } from "node:vm";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { defaultPlainLimits, takePlain } from "./take-plain.js";

function messageOf(value: unknown): string {
  const taken = takePlain(value);
  if (taken.ok) throw new Error("It was taken.");
  return taken.issues[0]?.message ?? "";
}

function pathOf(value: unknown): string | undefined {
  const taken = takePlain(value);
  return taken.ok ? undefined : taken.issues[0]?.path;
}

describe("takePlain", () => {
  it("copies any JSON value as a round trip through text would", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const wanted: unknown = JSON.parse(JSON.stringify(value));
        const text = JSON.stringify(value);
        fc.pre(
          !text.includes("__proto__") && (text as unknown as { isWellFormed(): boolean }).isWellFormed(),
        );
        expect(takePlain(value)).toEqual({ ok: true, value: wanted });
      }),
    );
  });

  it("never throws, whatever it is given, and gives JSON data if it gives any", () => {
    const anything = fc.anything({
      withBigInt: true,
      withBoxedValues: true,
      withDate: true,
      withMap: true,
      withNullPrototype: true,
      withObjectString: true,
      withSet: true,
      withSparseArray: true,
      withTypedArray: true,
    });
    fc.assert(
      fc.property(anything, (value) => {
        const taken = takePlain(value);
        const [copy, again] = taken.ok
          ? [taken.value, JSON.parse(JSON.stringify(taken.value)) as unknown]
          : [];
        expect(again).toEqual(copy);
        expect(taken.ok ? 1 : taken.issues.length).toBe(1);
      }),
    );
  });

  it("never throws for proxies whose traps throw, lie or never end", () => {
    const traps = ["get", "ownKeys", "getPrototypeOf", "getOwnPropertyDescriptor", "has"] as const;
    for (const trap of traps) {
      const bad = new Proxy(
        { a: 1 },
        {
          [trap]: () => {
            throw new Error("trap");
          },
        },
      );
      expect(() => takePlain({ inside: bad })).not.toThrow();
    }
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    expect(messageOf({ x: proxy })).toMatch(/"x" cannot be read/);
    const endless: object = new Proxy(
      {},
      {
        get: () => endless,
        ownKeys: () => ["a"],
        getOwnPropertyDescriptor: () => ({ value: 1, enumerable: true, configurable: true }),
      },
    );
    expect(messageOf(endless)).toMatch(/itself|deeper/);
    const wide = new Proxy([], { get: (_, key) => (key === "length" ? 2 ** 32 - 1 : 0) });
    expect(messageOf(wide)).toMatch(/more than 100000 values/);
  });

  it("never throws for errors that are hostile themselves", () => {
    const hostile = {
      get a(): never {
        throw Object.create(null) as Error;
      },
    };
    expect(messageOf(hostile)).toMatch(/"a" cannot be read/);
  });

  it("reads every property just once", () => {
    let reads = 0;
    const sly = {
      get path() {
        return ++reads === 1 ? "a.txt" : "/etc/passwd";
      },
    };
    expect(takePlain(sly)).toEqual({ ok: true, value: { path: "a.txt" } });
    expect(reads).toBe(1);
  });

  it("gives a copy that later changes of the original do not reach", () => {
    const original = { list: [{ a: 1 }] };
    const taken = takePlain(original);
    original.list[0] = { a: 2 };
    expect(taken).toEqual({ ok: true, value: { list: [{ a: 1 }] } });
  });

  it("gives ordinary objects, even for those without a prototype or from another realm", () => {
    const bare = Object.assign(Object.create(null) as object, { a: 1 });
    const foreign: unknown = runInNewContext("({ a: [1, { b: 2 }] })");
    for (const value of [bare, foreign]) {
      const taken = takePlain(value);
      expect(taken.ok && Object.getPrototypeOf(taken.value)).toBe(Object.prototype);
    }
  });

  it("refuses keys that could reach a prototype, at any depth", () => {
    const evil: unknown = JSON.parse('{"a":[{"__proto__":{"isAdmin":true}}]}');
    expect(pathOf(evil)).toBe("a[0].__proto__");
    expect(messageOf({ constructor: { prototype: { x: 1 } } })).toMatch(/"constructor".*forbidden/);
    expect(messageOf({ a: { constructor: { prototype: null } } })).toMatch(/forbidden/);
  });

  it("takes harmless uses of the same words", () => {
    const value = { prototype: "x", a: { constructor: "ACME" }, b: { constructor: { name: "y" } } };
    expect(takePlain(value)).toEqual({ ok: true, value });
  });

  it("drops undefined members and keeps null", () => {
    expect(takePlain({ a: undefined, b: null })).toStrictEqual({ ok: true, value: { b: null } });
  });

  it("refuses numbers that are not finite and turns -0 into 0", () => {
    expect(messageOf({ a: { b: [NaN] } })).toBe('"a.b[0]" is NaN, which is not a finite number');
    expect(messageOf({ t: -Infinity })).toContain("-Infinity");
    const taken = takePlain({ z: -0 });
    expect(taken.ok && Object.is((taken.value as { z: number }).z, 0)).toBe(true);
  });

  it("refuses what is not JSON, and says what to send instead", () => {
    expect(messageOf({ d: new Date(0) })).toMatch(/"d" is an instance of Date.*ISO 8601/);
    expect(messageOf({ d: Buffer.from("x") })).toMatch(/Buffer.*base64/);
    expect(messageOf({ d: new Map() })).toMatch(/Map.*plain object/);
    class Point {
      readonly x = 1;
    }
    expect(messageOf({ d: new Point() })).toMatch(/instance of Point/);
    expect(messageOf({ d: () => 1 })).toMatch(/a function/);
    expect(messageOf({ d: 1n })).toMatch(/a bigint/);
    expect(messageOf({ d: Symbol("x") })).toMatch(/a symbol/);
    expect(messageOf(undefined)).toMatch(/undefined/);
    expect(messageOf({ d: Object.create({ inherited: 1 }) as object })).toMatch(/not a plain object/);
  });

  it("refuses arrays with holes", () => {
    const sparse: unknown[] = [1];
    sparse[2] = 3;
    expect(pathOf({ a: sparse })).toBe("a[1]");
    expect(messageOf([undefined])).toMatch(/holes/);
  });

  it("names a cycle as one, and lets the same object stand in two places", () => {
    const loop: Record<string, unknown> = {};
    loop["a"] = { b: [loop] };
    expect(messageOf(loop)).toMatch(/refers back to itself/);
    const shared = { x: 1 };
    expect(takePlain({ a: shared, b: shared }).ok).toBe(true);
  });

  it("refuses halves of surrogate pairs in values and keys", () => {
    expect(pathOf({ s: "\ud800" })).toBe("s");
    expect(messageOf({ "\udc00": 1 })).toMatch(/surrogate/);
    expect(takePlain({ s: "😀" }).ok).toBe(true);
  });

  it("holds to the limits of depth, number and size", () => {
    let deep: unknown = 1;
    for (let level = 0; level < 100_000; level++) deep = [deep];
    expect(messageOf(deep)).toMatch(/deeper than 64 levels/);
    expect(messageOf(Array.from({ length: 100_001 }, () => 0))).toMatch(/more than 100000 values/);
    expect(messageOf(["x".repeat(defaultPlainLimits.chars + 1)])).toMatch(/characters/);
    expect(messageOf(Object.fromEntries(Array.from({ length: 100_001 }, (_, i) => [`k${i}`, i])))).toMatch(
      /values/,
    );
    const limits = { depth: 2, values: 3, chars: 4 };
    expect(takePlain({ a: { b: 1 } }, limits).ok).toBe(true);
    expect(takePlain({ a: { b: {} } }, limits).ok).toBe(false);
    expect(takePlain([1, 2, 3], limits).ok).toBe(false);
    expect(takePlain({ abc: "de" }, limits).ok).toBe(false);
  });

  it("does not repeat long keys in its messages", () => {
    expect(messageOf({ ["k".repeat(10_000)]: NaN }).length).toBeLessThan(500);
  });
});
