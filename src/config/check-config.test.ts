import { describe, expect, it } from "vitest";
import { checkConfig } from "./check-config.js";
import { configSchema } from "./config-schema.js";
import { modes } from "./levels.js";

const faultsOf = (data: unknown) =>
  checkConfig(data).map(({ path, message, suggestion }) => [path.join("."), message, suggestion]);

describe("checkConfig", () => {
  it("finds nothing wrong with an empty configuration, which it does not hold against the schema", () => {
    expect(configSchema().safeParse({}).success).toBe(true);
    expect(checkConfig({})).toEqual([]);
    expect(faultsOf([])).toEqual([["", "expected a map of keys and values, but it is a list", undefined]]);
  });

  it.each([
    ...modes.map((mode) => ({ mode })),
    { mode: "loud" },
    { mode: "" },
    ...["stateDir", "toolset", "workspaceDir"].flatMap((key) =>
      ["x", "x".repeat(4096), "x".repeat(4097), "", 1, null].map((value) => ({ [key]: value })),
    ),
    { mode: "ask", toolset: "all", stateDir: "/state", workspaceDir: "/work" },
    { mode: "ask", toString: "x" },
  ])("judges the settings of variables and flags as the schema does: %j", (data) => {
    expect(checkConfig(data).length === 0).toBe(configSchema().safeParse(data).success);
  });

  it("finds nothing wrong with every key of the seeds", () => {
    const perTool = {
      read_file: {
        enabled: true,
        priority: 5,
        timeout: 1000,
        retryAttempts: 2,
        concurrency: { isConcurrencySafe: true, maxConcurrentCalls: 4, queueSize: 10 },
        permissions: {
          allowedPaths: ["./data"],
          forbiddenPaths: ["secret"],
          requiredCapabilities: ["files"],
          securityLevel: "low",
        },
        monitoring: { enableMetrics: true, enableTracing: false, logLevel: "warn" },
        custom: { anything: [1, { goes: true }] },
      },
    };
    const tools = {
      workspaceDir: "./w",
      enabled: ["file_read"],
      timeout: 30_000,
      maxConcurrent: 3,
      allowedPaths: ["./data"],
      webSearch: { provider: "tavily", apiKey: "k", maxResults: 10 },
      mcpServers: [
        { name: "filesystem", url: "http://localhost:3000", enabled: true },
        { name: "local", command: "node", args: ["x.js"] },
      ],
      perTool,
    };
    expect(checkConfig({ tools })).toEqual([]);
  });

  it.each([
    [{ tools: { timout: 1 } }, "tools.timout", "timeout"],
    [{ moed: "ask" }, "moed", "mode"],
    [{ tools: { perTool: { x: { retryAttempt: 1 } } } }, "tools.perTool.x.retryAttempt", "retryAttempts"],
    [{ policy: { rules: [{ decision: "deny", tooll: "x" }] } }, "policy.rules.0.tooll", "tool"],
    [{ mcpServers: { a: { comand: "x" } } }, "mcpServers.a.comand", "command"],
    [{ mcpServers: { a: { url: "http://x", heders: {} } } }, "mcpServers.a.heders", "headers"],
    [{ tools: { mcpServers: [{ nam: "a", url: "http://x" }] } }, "tools.mcpServers.0.nam", "name"],
    [{ maxConcurrent: 3 }, "maxConcurrent", "tools.maxConcurrent"],
    [{ tools: { mode: "ask" } }, "tools.mode", "mode"],
  ])("names the nearest right key in %j", (data, path, suggestion) => {
    expect(checkConfig(data)).toContainEqual({
      path: path.split(".").map((part) => (/^\d+$/.test(part) ? Number(part) : part)),
      message: expect.stringContaining("unknown key") as string,
      suggestion,
    });
  });

  it("lists what is known where nothing is near", () => {
    expect(faultsOf({ approvals: { zzzzzzzz: 1 } })).toEqual([
      ["approvals.zzzzzzzz", "unknown key; known here: timeoutMs, pageTimeoutMs, channels", undefined],
    ]);
  });

  it("names the nearest right word", () => {
    expect(faultsOf({ mode: "atuo" })).toEqual([
      ["mode", 'expected one of read-only, unattended, ask, auto, but it is "atuo"', "auto"],
    ]);
  });

  it.each([
    [{ tools: { timeout: -1 } }, "tools.timeout"],
    [{ tools: { timeout: 0 } }, "tools.timeout"],
    [{ tools: { timeout: Number.NaN } }, "tools.timeout"],
    [{ tools: { timeout: Number.POSITIVE_INFINITY } }, "tools.timeout"],
    [{ tools: { timeout: 2 ** 31 } }, "tools.timeout"],
    [{ tools: { timeout: 1.5 } }, "tools.timeout"],
    [{ tools: { timeout: "30000" } }, "tools.timeout"],
    [{ tools: { maxConcurrent: 0 } }, "tools.maxConcurrent"],
    [{ tools: { maxConcurrent: null } }, "tools.maxConcurrent"],
    [{ tools: null }, "tools"],
    [{ tools: [] }, "tools"],
    [{ network: { allowPrivate: "false" } }, "network.allowPrivate"],
    [{ policy: { rules: [{ tool: "x" }] } }, "policy.rules.0.decision"],
    [{ policy: { rules: [{ decision: "allow", tool: 5 }] } }, "policy.rules.0.tool"],
    [{ policy: { rules: [{ decision: "allow", tool: [] }] } }, "policy.rules.0.tool"],
    [{ mcpServers: { a: {} } }, "mcpServers.a.command"],
    [{ mcpServers: { a: { url: "ftp://x" } } }, "mcpServers.a.url"],
    [{ mcpServers: { "a:b": { url: "http://x" } } }, "mcpServers.a:b"],
    [{ mcpServers: { a: "npx x" } }, "mcpServers.a"],
    [{ database: "mysql://x" }, "database"],
    [{ files: { forbiddenPaths: ["!keep"] } }, "files.forbiddenPaths.0"],
    [{ toolsets: { x: [{ category: "fil" }] } }, "toolsets.x.0.category"],
    [{ toolsets: { x: [{ readOnly: false }] } }, "toolsets.x.0.readOnly"],
    ["text", ""],
    [[], ""],
    [null, ""],
  ])("refuses %j at %s", (data, path) => {
    const faults = faultsOf(data);
    expect(faults.map(([where]) => where)).toContain(path);
    expect(faults).toHaveLength(1);
  });

  it.each([
    [{ tools: { timeout: 1.5 } }, "expected a whole number, but it is 1.5"],
    [{ tools: { timeout: -1 } }, "expected at least 1, but it is -1"],
    [{ tools: { enabled: true } }, "but it is true"],
    [{ mode: true }, "expected one of read-only, unattended, ask, auto, but it is true"],
    [
      { policy: { rules: [{ decision: "allow", tool: "" }] } },
      "expected at least 1 character, but it has none",
    ],
    [{ policy: { rules: [{ decision: "allow", tool: [] }] } }, "expected at least 1 entry, but it has none"],
    [{ chains: { a: { description: "b", steps: [{ when: {} }] } } }, "not allowed with the other keys here"],
  ])("says what is there in %j", (data, message) => {
    expect(
      checkConfig(data)
        .map((fault) => fault.message)
        .join(),
    ).toContain(message);
  });

  it("says what was expected and what is there, never a value that may be a secret", () => {
    const faults = JSON.stringify(
      checkConfig({ tools: { timeout: "s3cret" }, mode: "s3cret", mcpServers: "s3cret", database: "s3cret" }),
    );
    expect(faults).not.toContain("s3cret");
    expect(faults).toContain("expected a number, but it is text");
  });

  it("stays quick and short with tens of thousands of unknown keys", () => {
    const data = Object.fromEntries(Array.from({ length: 40_000 }, (_, i) => [`key${i}`, 1]));
    expect(checkConfig(data)).toHaveLength(200);
  });
});
