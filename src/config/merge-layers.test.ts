import { describe, expect, it } from "vitest";
import { mergeLayers } from "./merge-layers.js";

describe("mergeLayers", () => {
  it("lets the strongest source that has a key decide it", () => {
    const merged = mergeLayers([
      { mode: "auto" },
      { mode: "ask", tools: { timeout: 5 }, network: { allowPrivate: false } },
      { tools: { timeout: 9, maxConcurrent: 2 }, network: { allowPrivate: true, maxBytes: 7 } },
    ]);
    expect(merged).toEqual({
      mode: "auto",
      tools: { timeout: 5, maxConcurrent: 2 },
      network: { allowPrivate: false, maxBytes: 7 },
    });
  });

  it("keeps what stands alone as it is", () => {
    const [strong, weak] = [
      { mode: "auto" as const, toolset: undefined },
      { toolset: "all", stateDir: "/s" },
    ];
    expect(mergeLayers([strong, {}, weak])).toEqual({ mode: "auto", toolset: "all", stateDir: "/s" });
    expect(mergeLayers([])).toEqual({});
  });

  it("adds up what restricts, and takes what permits from one source", () => {
    const merged = mergeLayers([
      { files: { forbiddenPaths: ["a"], allowedPaths: ["/x"] }, tools: { enabled: [["read_*"]] } },
      { files: { forbiddenPaths: ["b", "a"], allowedPaths: ["/y"] }, tools: { enabled: [["*"]] } },
    ]);
    expect(merged).toEqual({
      files: { forbiddenPaths: ["a", "b"], allowedPaths: ["/x"] },
      tools: { enabled: [["read_*"], ["*"]] },
    });
  });

  it("keeps a server whole, and merges tools' settings by key", () => {
    const merged = mergeLayers([
      { mcpServers: { a: { url: "http://a" } }, tools: { perTool: { t: { timeout: 1 } } } },
      {
        mcpServers: { a: { command: "a", env: { KEY: "k" } }, b: { command: "b" } },
        tools: { perTool: { t: { timeout: 2, permissions: { forbiddenPaths: ["p"] } } } },
      },
    ]);
    expect(merged).toEqual({
      mcpServers: { a: { url: "http://a" }, b: { command: "b" } },
      tools: { perTool: { t: { timeout: 1, permissions: { forbiddenPaths: ["p"] } } } },
    });
  });

  it("never sends one source's key to another's search provider", () => {
    const merged = mergeLayers([
      { tools: { webSearch: { provider: "searxng", url: "http://mine" } } },
      { tools: { webSearch: { provider: "brave", apiKey: "k" } } },
    ]);
    expect(merged.tools?.webSearch).toEqual({ provider: "searxng", url: "http://mine" });
  });

  it("is not misled by names of what every object inherits", () => {
    const merged = mergeLayers([
      { toolsets: { toString: ["a"] } },
      { toolsets: { valueOf: ["b"] }, tools: { perTool: { hasOwnProperty: { enabled: false } } } },
    ]);
    expect(merged.toolsets).toEqual({ toString: ["a"], valueOf: ["b"] });
    expect(merged.tools?.perTool).toEqual({ hasOwnProperty: { enabled: false } });
  });
});
