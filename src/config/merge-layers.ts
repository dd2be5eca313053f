import type { NormalConfig } from "./normal-config.js";

/** Lists that restrict, or that are no permission: what every source says counts. */
const addUp = new Set([
  "policy.rules",
  "files.forbiddenPaths",
  "files.protectedPaths",
  "sandbox.hidden",
  "tools.enabled",
  "tools.quotas",
  "tools.perTool.*.permissions.forbiddenPaths",
  "tools.perTool.*.permissions.requiredCapabilities",
  "plugins",
]);

/** Maps that make sense only as one piece: half of a server, or one's key with another's provider, is wrong. */
const whole = new Set(["mcpServers.*", "chains.*", "tools.webSearch", "telemetry", "logging"]);

/** Maps whose keys are names that people give. */
const named = new Set(["mcpServers", "chains", "tools.perTool", "toolsets", "capabilities"]);

/** Put sources on top of each other, the strongest first; a key is decided by the strongest that has it. */
export function mergeLayers(layers: readonly NormalConfig[]): NormalConfig {
  return layers.reduceRight<unknown>((weak, strong) => merge(strong, weak, ""), {}) as NormalConfig;
}

function merge(strong: unknown, weak: unknown, path: string): unknown {
  if (strong === undefined) return weak;
  if (weak === undefined) return strong;
  if (addUp.has(path) && Array.isArray(strong) && Array.isArray(weak)) return union(strong, weak);
  if (whole.has(path) || !isMap(strong) || !isMap(weak)) return strong;
  const keys = new Set([...Object.keys(strong), ...Object.keys(weak)]);
  return Object.fromEntries(
    [...keys].map((key) => {
      const name = named.has(path) ? "*" : key;
      return [key, merge(own(strong, key), own(weak, key), path === "" ? name : `${path}.${name}`)];
    }),
  );
}

function own(map: Record<string, unknown>, key: string): unknown {
  return Object.hasOwn(map, key) ? map[key] : undefined;
}

function union(strong: readonly unknown[], weak: readonly unknown[]): unknown[] {
  const seen = new Set<string>();
  return [...strong, ...weak].filter((item) => {
    const key = JSON.stringify(item);
    return !seen.has(key) && seen.add(key);
  });
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
