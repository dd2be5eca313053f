import { beforeEach, describe, expect, it } from "vitest";
import { ResultCache, type CacheLimits } from "./result-cache.js";

let now: number;
beforeEach(() => {
  now = 1000;
});

function open(limits: Partial<CacheLimits> = {}): ResultCache {
  return new ResultCache(
    { maxBytes: 4000, maxEntries: 100, ttlMs: 500, ...limits },
    { monotonic: () => now, wallTime: () => 77 },
  );
}

const answer = (result: unknown, version = "v1") => ({ version, result, sightings: [], tainted: false });
const small = { bytes: 10 };

describe("the cache of answers", () => {
  it("gives what was kept for a key, as it was kept", () => {
    const cache = open();
    expect(cache.get("a", "v1")).toBeUndefined();
    cache.set("a", answer({ list: [1] }), small);
    expect(cache.get("a", "v1")).toMatchObject({ ...answer({ list: [1] }), expiresAt: 1500 });
    expect(cache.get("a", "v1")).toBe(cache.get("a", "v1"));
    expect(cache.get("b", "v1")).toBeUndefined();
    expect(cache.wallTime()).toBe(77);
  });

  it("forgets an answer once it was asked for in another version", () => {
    const cache = open();
    cache.set("a", answer(1), small);
    expect(cache.get("a", "v2")).toBeUndefined();
    expect(cache.get("a", "v1")).toBeUndefined();
    cache.set("a", answer(2, "v2"), small);
    expect(cache.get("a", "v2")?.result).toBe(2);
  });

  it.each([
    [undefined, 500],
    [100, 100],
    [9000, 500],
  ])("keeps an answer with a life of %s ms for %i ms, and not a moment longer", (ttlMs, life) => {
    const cache = open();
    cache.set("a", answer(1), { bytes: 10, ttlMs });
    now += life - 1;
    expect(cache.get("a", "v1")?.result).toBe(1);
    now += 1;
    expect(cache.get("a", "v1")).toBeUndefined();
  });

  it("keeps no answer that takes more than a quarter of it", () => {
    const cache = open();
    cache.set("large", answer(1), { bytes: 1001 });
    cache.set("fits", answer(2), { bytes: 1000 });
    expect([cache.get("large", "v1"), cache.get("fits", "v1")?.result]).toEqual([undefined, 2]);
  });

  it("lets the least used go where there are too many, or where they are too large together", () => {
    for (const [limits, bytes, fitting] of [
      [{ maxEntries: 3 }, 1, 3],
      [{}, 1000, 4],
    ] as const) {
      const cache = open(limits);
      const keys = Array.from({ length: fitting }, (_, at) => `k${at}`);
      for (const key of keys) cache.set(key, answer(key), { bytes });
      expect(cache.get("k0", "v1")?.result).toBe("k0");
      cache.set("new", answer("new"), { bytes });
      const left = [...keys, "new"].filter((key) => cache.get(key, "v1") !== undefined);
      expect(left).toEqual([...keys, "new"].filter((key) => key !== "k1"));
    }
  });

  it("takes an answer without a size", () => {
    const cache = open();
    cache.set("a", answer(""), { bytes: 0 });
    expect(cache.get("a", "v1")?.result).toBe("");
  });
});
