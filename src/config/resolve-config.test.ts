import { describe, expect, it } from "vitest";
import { ConfigError } from "./config-error.js";
import { resolveConfig } from "./resolve-config.js";

describe("resolveConfig", () => {
  it("fills in every default once", () => {
    expect(resolveConfig()).toMatchObject({
      mode: "ask",
      toolset: "all",
      securityLevel: "critical",
      durability: "default",
      files: { maxFileSize: 104_857_600, strict: { noParent: false } },
      network: { allowPrivate: false, timeoutMs: 60_000 },
      tools: { timeout: 30_000, maxConcurrent: 10, enabled: [], quotas: [] },
      approvals: { timeoutMs: 300_000 },
    });
  });

  it("freezes to the depth and leaves the caller's object alone", () => {
    const mine = { tools: { perTool: { x: { custom: { list: [{ a: 1 }] } } } }, plugins: ["p"] };
    const config = resolveConfig(mine);
    const walk = (value: unknown): void => {
      if (typeof value !== "object" || value === null) return;
      expect(Object.isFrozen(value)).toBe(true);
      for (const inner of Object.values(value)) walk(inner);
    };
    walk(config);
    mine.tools.perTool.x.custom.list.push({ a: 2 });
    expect(config.tools.perTool["x"]?.custom).toEqual({ list: [{ a: 1 }] });
  });

  it("takes the seeds' places for what has another place", () => {
    const config = resolveConfig({
      tools: {
        workspaceDir: "/w",
        allowedPaths: ["./data"],
        forbiddenPaths: ["b"],
        maxFileSize: 5,
        enabled: ["read_file"],
        mcpServers: [{ name: "fs", url: "http://localhost:3000", enabled: false }],
      },
      files: { forbiddenPaths: ["a"] },
      mcpServers: { other: { type: "streamable-http", url: "https://x" } },
    });
    expect(config).toMatchObject({
      workspaceDir: "/w",
      files: { allowedPaths: ["./data"], forbiddenPaths: ["a", "b"], maxFileSize: 5 },
      tools: { enabled: [["read_file"]] },
    });
    expect({ ...config.mcpServers }).toEqual({
      fs: { url: "http://localhost:3000", enabled: false },
      other: { url: "https://x", transport: "http" },
    });
  });

  it("makes a list of capabilities hold for every agent", () => {
    expect({ ...resolveConfig({ capabilities: ["a"] }).capabilities }).toEqual({ "*": ["a"] });
    expect({ ...resolveConfig({ capabilities: { coder: ["a"] } }).capabilities }).toEqual({ coder: ["a"] });
  });

  it("finds nothing under names that nobody wrote", () => {
    const config = resolveConfig();
    for (const map of [config.mcpServers, config.tools.perTool, config.toolsets, config.capabilities]) {
      expect(map["constructor"]).toBeUndefined();
      expect(map["__proto__"]).toBeUndefined();
    }
  });

  it.each<[string, unknown]>([
    ["a function", { tools: { perTool: { x: { custom: { f: () => 1 } } } } }],
    ["a class", { files: new Map() }],
    ["an unknown key", { moed: "ask" }],
    ["two different workspaces", { workspaceDir: "/a", tools: { workspaceDir: "/b" } }],
    [
      "two servers of a name",
      { mcpServers: { a: { url: "http://x" } }, tools: { mcpServers: [{ name: "a", url: "http://y" }] } },
    ],
    [
      "two rules of a name",
      {
        policy: {
          rules: [
            { id: "a", decision: "deny" },
            { id: "a", decision: "ask" },
          ],
        },
      },
    ],
    ["a pattern that cannot be used", { tools: { enabled: ["@(read|write)_file"] } }],
    ["a pattern of too many alternatives", { secrets: { allowEnv: ["{a,b}".repeat(9)] } }],
    ["a home that is not known", { files: { forbiddenPaths: ["~/.ssh"] } }],
    ["a polluting key", JSON.parse('{"files":{"__proto__":{"x":1}}}')],
    ["no object", "auto"],
  ])("refuses %s", (_name, options) => {
    expect(() => resolveConfig(options as never)).toThrow(ConfigError);
  });

  it("refuses a configuration that refers to itself", () => {
    const custom: Record<string, unknown> = {};
    custom["self"] = custom;
    expect(() => resolveConfig({ tools: { perTool: { x: { custom } } } })).toThrow(ConfigError);
  });

  it("reads a getter once", () => {
    let reads = 0;
    const options = Object.defineProperty({}, "mode", {
      enumerable: true,
      get: () => (++reads === 1 ? "read-only" : "auto"),
    });
    expect(resolveConfig(options).mode).toBe("read-only");
    expect(reads).toBe(1);
  });

  it("expands the home and keeps undefined options out", () => {
    const config = resolveConfig(
      { mode: undefined, files: { forbiddenPaths: ["~/.ssh"] } },
      { home: "/home/me" },
    );
    expect(config.mode).toBe("ask");
    expect(config.files.forbiddenPaths).toEqual(["/home/me/.ssh"]);
  });
});
