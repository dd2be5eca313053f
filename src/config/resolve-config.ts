import type * as z from "zod";
import { deepFreeze } from "../schema/json-value.js";
import type { configSchema, TenonConfig } from "./config-schema.js";
import { configShape, fillDefaults } from "./config-shape.js";
import { checkObject } from "./load-source.js";
import { toNormal, type MovedKey, type NormalConfig } from "./normal-config.js";

type Filled = z.output<ReturnType<typeof configSchema>>;
type AgeInMs<T> = Omit<T, "maxAge"> & { maxAgeMs: number };

/** The configuration with every default filled in; deeply frozen. */
export type ResolvedConfig = DeepReadonly<
  Omit<Filled, "$schema" | "capabilities" | "sandbox" | "telemetry" | "tools"> & {
    /** Whether the configuration names the agent; if not, the agent of an MCP host is called as the host calls itself. */
    agentIsNamed: boolean;
    capabilities: Record<string, string[]>;
    sandbox: Omit<Filled["sandbox"], "quarantine" | "layers"> & {
      quarantine: AgeInMs<Filled["sandbox"]["quarantine"]>;
      layers: AgeInMs<Filled["sandbox"]["layers"]>;
    };
    telemetry: Filled["telemetry"] & { enabled: boolean };
    tools: Omit<Filled["tools"], MovedKey | "enabled" | "allowedPaths"> & {
      enabled: string[][];
      allowedPaths: string[][];
    };
  }
>;

/** Tenon's own files inside a workspace: an agent that could change them could change its own limits. */
const ownFiles = ["tenon.config.*", ".tenon/**"];

/**
 * Check the options that a program passes and fill in the defaults.
 * `home` is needed only where a path starts with `~`; relative folders stay as they are without `cwd`.
 */
export function resolveConfig(
  config: TenonConfig = {},
  { cwd: folder, home }: { readonly cwd?: string; readonly home?: string } = {},
): ResolvedConfig {
  const file = "options";
  const bases = { file, ...(folder !== undefined && { folder }), ...(home !== undefined && { home }) };
  return freezeResolved(toNormal(checkObject(config, file), bases));
}

/** Fill in the defaults of a merged configuration and freeze it. */
export function freezeResolved(config: NormalConfig): ResolvedConfig {
  const { files, sandbox, telemetry, ...filled } = fillDefaults(configShape(), config) as Filled;
  return deepFreeze({
    ...filled,
    agentIsNamed: config.agent !== undefined,
    files: { ...files, protectedPaths: [...new Set([...ownFiles, ...files.protectedPaths])] },
    sandbox: { ...sandbox, quarantine: withAgeInMs(sandbox.quarantine), layers: withAgeInMs(sandbox.layers) },
    telemetry: { ...telemetry, enabled: telemetry.enabled ?? telemetry.otlpEndpoint !== undefined },
  } as unknown as ResolvedConfig);
}

function withAgeInMs<T extends { maxAge: number }>({ maxAge: maxAgeMs, ...limits }: T): AgeInMs<T> {
  return { ...limits, maxAgeMs };
}

type DeepReadonly<T> = T extends readonly (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> }
    : T;
