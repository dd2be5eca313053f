import { toStateLimits } from "../store/state-limits.js";
import { profileNames } from "../world/sandbox/profiles.js";
import type { TenonConfig } from "./config-schema.js";
import { outputDefaults } from "./output-schema.js";
import { checkObject } from "./load-source.js";
import { toNormal, type NormalConfig } from "./normal-config.js";

/** The configuration with every default filled in; frozen to its depth. */
export type ResolvedConfig = DeepReadonly<ReturnType<typeof fillDefaults>>;

/** The people's own files of Tenon inside a workspace: an agent that changed them would free itself. */
const ownFiles = ["tenon.config.*", ".tenon/**"];

/**
 * Check the options that a program passes and fill in the defaults.
 * `home` is needed only where a path starts with `~`; relative folders stay as they are without `cwd`.
 */
export function resolveConfig(
  config: TenonConfig = {},
  places: { readonly cwd?: string; readonly home?: string } = {},
): ResolvedConfig {
  const file = "options";
  const { cwd: folder, home } = places;
  const bases = { file, ...(folder !== undefined && { folder }), ...(home !== undefined && { home }) };
  return freezeResolved(toNormal(checkObject(config, file), bases));
}

/** Fill in the defaults of a merged configuration and freeze it. */
export function freezeResolved(config: NormalConfig): ResolvedConfig {
  return deepFreeze(fillDefaults(config));
}

/** The one place where defaults stand. */
export function fillDefaults(config: NormalConfig) {
  const { files = {}, network = {}, sandbox = {}, tools = {} } = config;
  return {
    ...pick(config, ["workspaceDir", "stateDir"]),
    database: config.database ?? "sqlite",
    mode: config.mode ?? "ask",
    toolset: config.toolset ?? "all",
    agent: config.agent ?? "default",
    /** Whether the configuration names the agent: else that of an MCP host is called as the host calls itself. */
    agentIsNamed: config.agent !== undefined,
    securityLevel: config.securityLevel ?? "critical",
    capabilities: byName(config.capabilities),
    durability: config.durability ?? "default",
    state: toStateLimits(config.state),
    journal: {
      maxAgeDays: config.journal?.maxAgeDays ?? 30,
      maxBytes: config.journal?.maxBytes ?? 1024 ** 3,
    },
    idempotency: {
      maxAgeHours: config.idempotency?.maxAgeHours ?? 24,
      maxKeys: config.idempotency?.maxKeys ?? 10_000,
    },
    audit: {
      enabled: config.audit?.enabled ?? true,
      maxAgeDays: config.audit?.maxAgeDays ?? 90,
      maxBytes: config.audit?.maxBytes ?? 1024 ** 3,
      keepResults: config.audit?.keepResults ?? true,
    },
    policy: { rules: config.policy?.rules ?? [] },
    files: {
      allowedPaths: files.allowedPaths ?? [],
      forbiddenPaths: files.forbiddenPaths ?? [],
      protectedPaths: [...new Set([...ownFiles, ...(files.protectedPaths ?? [])])],
      maxFileSize: files.maxFileSize ?? 100 * 1024 * 1024,
      strict: {
        noParent: files.strict?.noParent ?? false,
        noSymlinks: files.strict?.noSymlinks ?? false,
        noAbsolute: files.strict?.noAbsolute ?? false,
      },
    },
    network: {
      allowHosts: network.allowHosts ?? [],
      allowPrivate: network.allowPrivate ?? false,
      maxBytes: network.maxBytes ?? 10 * 1024 * 1024,
      timeoutMs: network.timeoutMs ?? 60_000,
    },
    sandbox: {
      enabled: sandbox.enabled ?? "auto",
      profiles: sandbox.profiles ?? profileNames,
      readable: sandbox.readable ?? [],
      writable: sandbox.writable ?? [],
      hidden: sandbox.hidden ?? [],
      unixSockets: sandbox.unixSockets ?? false,
      limits: {
        cpuSeconds: sandbox.limits?.cpuSeconds ?? 3600,
        fileSize: sandbox.limits?.fileSize ?? 4 * 1024 ** 3,
        disk: sandbox.limits?.disk ?? 16 * 1024 ** 3,
        processes: sandbox.limits?.processes ?? 2048,
        ...pick(sandbox.limits ?? {}, ["openFiles", "memory"]),
      },
      quarantine: {
        maxItems: sandbox.quarantine?.maxItems ?? 1000,
        maxBytes: sandbox.quarantine?.maxBytes ?? 256 * 1024 * 1024,
        maxAgeMs: sandbox.quarantine?.maxAge ?? 7 * 24 * 3600 * 1000,
      },
    },
    secrets: { allowEnv: config.secrets?.allowEnv ?? [] },
    mcpServers: byName(config.mcpServers),
    tools: {
      enabled: tools.enabled ?? [],
      timeout: tools.timeout ?? 30_000,
      maxConcurrent: tools.maxConcurrent ?? 10,
      maxQueued: tools.maxQueued ?? 1000,
      ...pick(tools, ["webSearch", "allowedCommands"]),
      perTool: byName(tools.perTool),
      listing: tools.listing ?? "all",
      quotas: tools.quotas ?? [],
      ...outputDefaults(tools),
    },
    toolsets: byName(config.toolsets),
    chains: byName(config.chains),
    optimiser: config.optimiser ?? "off",
    telemetry: {
      enabled: config.telemetry?.enabled ?? config.telemetry?.otlpEndpoint !== undefined,
      ...pick(config.telemetry ?? {}, ["otlpEndpoint", "headers"]),
      serviceName: config.telemetry?.serviceName ?? "tenon",
      recordContent: config.telemetry?.recordContent ?? false,
    },
    ...pick(config, ["logging"]),
    logLevel: config.logLevel ?? "info",
    approvals: {
      timeoutMs: config.approvals?.timeoutMs ?? 300_000,
      pageTimeoutMs: config.approvals?.pageTimeoutMs ?? 30_000,
      channels: config.approvals?.channels,
    },
    artifacts: { dir: config.artifacts?.dir ?? ".tenon/artifacts" },
    plugins: config.plugins ?? [],
  } as const;
}

/** Maps by names that people give have no prototype, so that no name finds what nobody wrote. */
function byName<T>(map: Record<string, T> | undefined): Record<string, T> {
  return Object.assign(Object.create(null) as Record<string, T>, map);
}

function pick<T extends object, K extends keyof T>(from: T, keys: readonly K[]): Pick<T, K> {
  return Object.fromEntries(
    keys.flatMap((key) => (from[key] === undefined ? [] : [[key, from[key]]])),
  ) as Pick<T, K>;
}

type DeepReadonly<T> = T extends readonly (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> }
    : T;

function deepFreeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  for (const inner of Object.values(value)) deepFreeze(inner);
  return Object.freeze(value);
}
