import { isDeepStrictEqual } from "node:util";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toolCategories, type SecurityLevel } from "../contract/tool.js";
import { profileNames } from "../world/sandbox/profiles.js";
import { sandboxUses } from "../world/sandbox/settings.js";
import type { TenonConfig } from "./config-schema.js";
import { logLevels, modes, optimiserModes, securityLevels } from "./levels.js";
import { mergeLayers } from "./merge-layers.js";
import { toNormal, type NormalConfig } from "./normal-config.js";
import { freezeResolved, resolveConfig, type ResolvedConfig } from "./resolve-config.js";
import { tighten } from "./tighten.js";
import { randomCases } from "../../test/setup/random-cases.js";

const name = fc.constantFrom("a", "b", "c", "toString");
const list = fc.array(name, { maxLength: 3 });
const number = fc.integer({ min: 1, max: 200 });

const some = <T extends object>(model: { [K in keyof T]: fc.Arbitrary<T[K]> }) =>
  fc.record(model, { requiredKeys: [] });

const toolConfig = some({
  enabled: fc.boolean(),
  priority: number,
  timeout: number,
  retryAttempts: fc.integer({ min: 0, max: 5 }),
  concurrency: some({ isConcurrencySafe: fc.boolean(), maxConcurrentCalls: number, queueSize: fc.nat(5) }),
  permissions: some({
    allowedPaths: list,
    forbiddenPaths: list,
    requiredCapabilities: list,
    securityLevel: fc.constantFrom(...securityLevels),
  }),
  monitoring: some({ enableMetrics: fc.boolean(), logLevel: fc.constantFrom(...logLevels) }),
  custom: fc.dictionary(name, fc.boolean()),
});

const server = fc.constantFrom({ command: "x" }, { url: "http://x" });

const anyConfig = some({
  workspaceDir: name,
  mode: fc.constantFrom(...modes),
  toolset: name,
  agent: name,
  stateDir: name,
  database: fc.constantFrom("sqlite", "postgres://x"),
  securityLevel: fc.constantFrom(...securityLevels),
  capabilities: fc.oneof(list, fc.dictionary(name, list)),
  durability: fc.constantFrom("default" as const, "strict" as const),
  policy: fc.record({
    rules: fc.uniqueArray(
      fc.record({
        id: fc.uuid(),
        decision: fc.constantFrom("allow" as const, "ask" as const, "deny" as const),
        tool: name,
      }),
      { selector: (rule) => rule.id, maxLength: 4 },
    ),
  }),
  files: some({
    allowedPaths: list,
    forbiddenPaths: list,
    protectedPaths: list,
    maxFileSize: number,
    strict: some({ noParent: fc.boolean(), noSymlinks: fc.boolean(), noAbsolute: fc.boolean() }),
  }),
  network: some({ allowHosts: list, allowPrivate: fc.boolean(), maxBytes: number, timeoutMs: number }),
  sandbox: some({
    enabled: fc.constantFrom(...sandboxUses),
    profiles: fc.uniqueArray(fc.constantFrom(...profileNames), { maxLength: 4 }),
    readable: list,
    writable: list,
    hidden: list,
    unixSockets: fc.boolean(),
    limits: some({
      cpuSeconds: number,
      fileSize: number,
      processes: number,
      memory: number,
      openFiles: number,
      disk: number,
    }),
  }),
  shell: some({ askAfter: fc.boolean() }),
  secrets: some({ allowEnv: list }),
  mcpServers: fc.dictionary(name, server),
  tools: some({
    enabled: list,
    timeout: number,
    maxConcurrent: number,
    maxQueued: number,
    allowedCommands: list,
    output: some({
      maxTokens: fc.integer({ min: 100, max: 200 }),
      maxBatchTokens: fc.integer({ min: 100, max: 200 }),
    }),
    cache: some({ enabled: fc.boolean(), maxBytes: number, maxEntries: number, ttlMs: number }),
    loopGuard: some({ enabled: fc.boolean(), refuseAfter: number }),
    allowedPaths: list,
    forbiddenPaths: list,
    webSearch: fc.constant({ provider: "brave" as const }),
    perTool: fc.dictionary(name, toolConfig),
    quotas: fc.array(some({ tool: name, perMinute: number }), { maxLength: 3 }),
  }),
  toolsets: fc.dictionary(
    name,
    fc.array(fc.oneof(name, fc.record({ category: fc.constantFrom(...toolCategories) })), { maxLength: 2 }),
  ),
  optimiser: fc.constantFrom(...optimiserModes),
  logLevel: fc.constantFrom(...logLevels),
  approvals: some({
    timeoutMs: number,
    pageTimeoutMs: number,
    channels: fc.constantFrom(["host" as const], ["console" as const, "api" as const]),
  }),
  plugins: list,
}) as fc.Arbitrary<TenonConfig>;

/** As the loader lays an untrusted configuration over the person's own. */
function combine(own: NormalConfig, untrusted: NormalConfig): ResolvedConfig {
  const { policy, ...stricter } = tighten(untrusted, freezeResolved(structuredClone(own))).config;
  return freezeResolved(
    structuredClone(mergeLayers([stricter, own, { policy: { rules: policy?.rules ?? [] } }])),
  );
}

const normal = (config: TenonConfig) => toNormal(config, { file: "test" });

describe("tighten", () => {
  it("never loosens anything, whatever both configurations say", { timeout: 240_000 }, () => {
    fc.assert(
      fc.property(anyConfig, anyConfig, (person, stranger) => {
        const before = resolveConfig(person);
        const after = combine(normal(person), normal(stranger));
        expect(doorsOf(after)).toEqual(doorsOf(before));
        expectStricter(before, after);
        const names = new Set([...Object.keys(before.tools.perTool), ...Object.keys(after.tools.perTool)]);
        for (const tool of names)
          expectStricterTool(before.tools.perTool[tool] ?? {}, after.tools.perTool[tool] ?? {});
      }),
      { numRuns: randomCases(1000) },
    );
  });

  it("reports each key that it did not take, and only those", { timeout: 240_000 }, () => {
    fc.assert(
      fc.property(anyConfig, (stranger) => {
        const base = resolveConfig();
        const wanted = normal(stranger);
        const { config, ignored } = tighten(wanted, base);
        const again = tighten(config, base);
        expect(again.ignored).toEqual([]);
        expect(again.config).toEqual(config);
        const trusted = freezeResolved(structuredClone(wanted));
        expect(ignored.length > 0 || isDeepStrictEqual(combine({}, wanted), trusted)).toBe(true);
      }),
      { numRuns: randomCases(500) },
    );
  });

  it("takes every stricter mode and no looser one", () => {
    for (const [at, mode] of modes.entries()) {
      for (const [wantedAt, wanted] of modes.entries()) {
        const { config, ignored } = tighten({ mode: wanted }, resolveConfig({ mode }));
        expect(config.mode).toBe(wantedAt < at ? wanted : undefined);
        expect(ignored).toEqual(wantedAt > at ? ["mode"] : []);
      }
    }
  });

  it("keeps to the commands that both allow, and reports the others", () => {
    const wanted = { tools: { allowedCommands: ["git", "curl"] } };
    const { config, ignored } = tighten(wanted, resolveConfig({ tools: { allowedCommands: ["ls", "git"] } }));
    expect(config.tools?.allowedCommands).toEqual(["git"]);
    expect(ignored).toEqual(["tools.allowedCommands"]);
    expect(tighten(wanted, resolveConfig()).config).toEqual(wanted);
  });

  it("ignores a key that it does not know", () => {
    const { config, ignored } = tighten(
      { chains: { x: 1 }, hooks: "sh" } as unknown as NormalConfig,
      resolveConfig(),
    );
    expect(config).toEqual({});
    expect(ignored).toEqual(["chains.x", "hooks"]);
  });

  it("does not let a tool's own unknown limit be raised", () => {
    const wanted = {
      tools: { perTool: { t: { timeout: 5, retryAttempts: 0, concurrency: { maxConcurrentCalls: 1 } } } },
    };
    const { config, ignored } = tighten(wanted, resolveConfig());
    expect(config.tools?.perTool).toEqual({
      t: { retryAttempts: 0, concurrency: { maxConcurrentCalls: 1 } },
    });
    expect(ignored).toEqual(["tools.perTool.t.timeout"]);
  });
});

/** What opens something, or starts something, must not change at all. */
function doorsOf(c: ResolvedConfig): unknown[] {
  return [
    [c.workspaceDir, c.stateDir, c.database, c.toolset, c.agent, c.logLevel],
    [c.files.allowedPaths, c.network.allowHosts, c.secrets.allowEnv, c.plugins, c.tools.webSearch],
    [c.sandbox.readable, c.sandbox.writable],
    [c.approvals.channels],
    [{ ...c.capabilities }, { ...c.mcpServers }, { ...c.toolsets }],
  ];
}

function expectStricter(before: ResolvedConfig, after: ResolvedConfig): void {
  const ranks = (c: ResolvedConfig) => [
    modes.indexOf(c.mode),
    securityLevels.indexOf(c.securityLevel),
    optimiserModes.indexOf(c.optimiser),
    c.durability === "strict" ? 0 : 1,
    c.approvals.timeoutMs,
    c.approvals.pageTimeoutMs,
    c.files.maxFileSize,
    ...Object.values(c.files.strict).map((strict) => (strict ? 0 : 1)),
    c.network.allowPrivate ? 1 : 0,
    c.network.maxBytes,
    c.network.timeoutMs,
    c.tools.timeout,
    c.tools.maxConcurrent,
    c.tools.maxQueued,
    sandboxUses.indexOf(c.sandbox.enabled),
    c.sandbox.unixSockets ? 1 : 0,
    c.shell.askAfter ? 1 : 0,
    c.sandbox.limits.cpuSeconds,
    c.sandbox.limits.fileSize,
    c.sandbox.limits.processes,
    c.sandbox.limits.memory ?? Infinity,
    c.sandbox.limits.openFiles ?? Infinity,
    c.sandbox.limits.disk,
    c.tools.output.maxTokens,
    c.tools.output.maxBatchTokens,
    c.tools.cache.enabled ? 1 : 0,
    c.tools.cache.maxBytes,
    c.tools.cache.maxEntries,
    c.tools.cache.ttlMs,
  ];
  const now = ranks(after);
  for (const [index, rank] of ranks(before).entries()) expect(now[index]).toBeLessThanOrEqual(rank);
  expect(after.files.forbiddenPaths).toEqual(expect.arrayContaining([...before.files.forbiddenPaths]));
  expect(after.files.protectedPaths).toEqual(expect.arrayContaining([...before.files.protectedPaths]));
  expect(after.sandbox.hidden).toEqual(expect.arrayContaining([...before.sandbox.hidden]));
  expect(before.sandbox.profiles).toEqual(expect.arrayContaining([...after.sandbox.profiles]));
  if (before.tools.allowedCommands !== undefined)
    expect(before.tools.allowedCommands).toEqual(
      expect.arrayContaining([...(after.tools.allowedCommands ?? ["any"])]),
    );
  expect(after.tools.loopGuard).toEqual(before.tools.loopGuard);
  expect(after.tools.enabled).toEqual(expect.arrayContaining([...before.tools.enabled]));
  expect(after.tools.quotas).toEqual(expect.arrayContaining([...before.tools.quotas]));
  expect(after.policy.rules.slice(0, before.policy.rules.length)).toEqual(before.policy.rules);
  const added = after.policy.rules.slice(before.policy.rules.length);
  expect(added.filter(({ decision }) => decision === "allow")).toEqual([]);
}

type ToolSettings = Partial<ResolvedConfig["tools"]["perTool"][string]>;

function expectStricterTool(before: ToolSettings, after: ToolSettings): void {
  const limits = (tool: ToolSettings): [number | undefined, number][] => [
    [tool.timeout, 1],
    [tool.retryAttempts, 0],
    [tool.concurrency?.maxConcurrentCalls, 1],
    [tool.concurrency?.queueSize, 0],
  ];
  const now = limits(after);
  for (const [index, [limit, floor]] of limits(before).entries()) {
    const value = now[index]?.[0];
    // Where no limit was set, the tool's own is not known: only the smallest is surely no more.
    const isStricter =
      limit === undefined ? [undefined, floor].includes(value) : (value ?? Infinity) <= limit;
    expect(isStricter).toBe(true);
  }
  const rank = (tool: ToolSettings, none: SecurityLevel) =>
    securityLevels.indexOf(tool.permissions?.securityLevel ?? none);
  const isKnown = before.permissions?.securityLevel !== undefined;
  expect(rank(after, isKnown ? "safe" : "critical")).toBeGreaterThanOrEqual(rank(before, "critical"));
  expect([before.enabled, false]).toContain(after.enabled);
  expect([before.concurrency?.isConcurrencySafe, false]).toContain(after.concurrency?.isConcurrencySafe);
  expect(after.permissions?.allowedPaths).toEqual(before.permissions?.allowedPaths);
  for (const key of ["forbiddenPaths", "requiredCapabilities"] as const) {
    expect(after.permissions?.[key] ?? []).toEqual(
      expect.arrayContaining([...(before.permissions?.[key] ?? [])]),
    );
  }
  expect([after.priority, after.monitoring, after.custom]).toEqual([
    before.priority,
    before.monitoring,
    before.custom,
  ]);
}
