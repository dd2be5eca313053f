import { describe, expect, it } from "vitest";
import { createLinkedPaths } from "./linked-paths.js";

const below = (patterns: readonly string[], link: string) => createLinkedPaths(patterns, "/work")(link);

describe("the paths that rules cover below a link", () => {
  it("are those of patterns that lead through its place", () => {
    expect(below(["**/.cargo/{config,config.toml}"], "a/.Cargo")).toEqual([
      "a/.Cargo/config",
      "a/.Cargo/config.toml",
    ]);
    expect(below(["deploy/*/prod.yml"], "deploy")).toEqual(["deploy/*/prod.yml"]);
    expect(below(["deploy/*/prod.yml", "deploy/**/prod.yml"], "deploy/eu")).toEqual(["deploy/eu/prod.yml"]);
    expect(below(["/work/deploy/key", "/elsewhere/deploy/key"], "deploy")).toEqual(["deploy/key"]);
    expect(below([String.raw`a/b/\[id\].ts`], "a/b")).toEqual(["a/b/[id].ts"]);
  });

  it("are none where the rule covers the link itself, another place, or paths at any depth", () => {
    const patterns = ["deploy/**", "**/.npmrc", "*.key", "src/deploy/key", "**"];
    expect(below(patterns, "deploy")).toEqual([]);
    expect(below(patterns, "other")).toEqual([]);
  });
});
