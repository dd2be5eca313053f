import { describe, expect, it } from "vitest";
import { stem } from "./stem.js";

describe("stem", () => {
  it.each([
    ["cache", "caches", "cached", "caching"],
    ["migrate", "migrates", "migrated", "migrating", "migration", "migrations"],
    ["retry", "retries", "retried", "retrying"],
    ["plan", "plans", "planned", "planning", "planner"],
    ["deploy", "deploys", "deployment", "deployments", "deploying"],
    ["index", "indexes", "indexed", "indexing"],
    ["query", "queries"],
    ["user", "users"],
    ["class", "classes"],
  ])("brings %s and its forms together", (...words) => {
    expect(new Set(words.map(stem)).size, words.map(stem).join()).toBe(1);
  });

  it("keeps what is no plain word, and never leaves nothing", () => {
    for (const word of ["", "is", "as", "数据", "état", "x1", "w2s"]) expect(stem(word)).toBe(word);
    for (const word of ["sing", "used", "ions", "sses", "ying", "eeee"])
      expect(stem(word).length).toBeGreaterThan(2);
  });
});
