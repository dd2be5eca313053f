import { ConfigError, showPath } from "../../config/config-error.js";
import type { LoadedConfig } from "../../config/load-config.js";
import type { ResolvedConfig } from "../../config/resolve-config.js";
import { ToolDefinitionError } from "../../contract/errors.js";
import { isRecord } from "../../contract/is-record.js";
import { misspeltTool } from "../../registry/misspelt-tool.js";
import type { ToolRegistry } from "../../registry/tool-registry.js";
import { chainTools } from "./chains.js";

/** A name of a tool in the configuration. */
interface NamedTool {
  readonly name: string;
  /** The setting that has it, as errors show it. */
  readonly shown: string;
  readonly keys: readonly PropertyKey[];
  /** Finds the item of the list at `keys` that has it. */
  readonly fits?: (item: unknown) => boolean;
}

type Files = Pick<LoadedConfig, "placeOf"> | undefined;

/**
 * Settings of a tool that does not exist would be ignored, a rule or a quota about it would restrict nothing, and a list
 * that names it would lack the right one.
 */
export function refuseMisspelt(config: ResolvedConfig, registry: ToolRegistry, files: Files): void {
  const names = [...settingsOf(config), ...listsOf(config), ...quotasOf(config), ...rulesOf(config)];
  refuse(
    names.flatMap((named) => {
      const suggestion = misspeltTool(registry, named.name);
      return suggestion === undefined ? [] : [{ ...named, suggestion }];
    }),
    files,
  );
}

/** Register the chains of the configuration. */
export function registerChains(config: ResolvedConfig, registry: ToolRegistry, files: Files): void {
  try {
    registry.registerMany(chainTools(config.chains));
  } catch (error) {
    refuseUnknownSteps(config, registry, files);
    throw inFile(error, files) ?? error;
  }
}

/** A fault of a chain, with the place of the chain where that is in a file. */
function inFile(error: unknown, files: Files): ConfigError | undefined {
  if (!(error instanceof ToolDefinitionError) || error.toolName === undefined) return undefined;
  const keys = ["chains", error.toolName];
  const place = files?.placeOf?.(keys);
  if (place === undefined) return undefined;
  return new ConfigError([{ ...place, path: showPath(keys), message: error.message }], { cause: error });
}

/** A chain must be able to call its steps; it may call another chain. */
function refuseUnknownSteps({ chains }: ResolvedConfig, registry: ToolRegistry, files: Files): void {
  const steps = Object.entries(chains).flatMap(([name, chain]) => toolsIn(chain, ["chains", name]));
  const unknown = steps.filter(({ name }) => {
    const [base = ""] = name.split("@");
    return !name.includes(":") && !registry.has(base) && !Object.hasOwn(chains, base);
  });
  refuse(
    unknown.map((step) => ({ ...step, suggestion: misspeltTool(registry, step.name) })),
    files,
  );
}

function refuse(
  names: readonly (NamedTool & { readonly suggestion: string | undefined })[],
  files: Files,
): void {
  if (names.length === 0) return;
  throw new ConfigError(
    names.map(({ keys, fits, shown, suggestion }) => ({
      file: "configuration",
      ...files?.placeOf?.(keys, fits),
      path: shown,
      message: "unknown tool",
      ...(suggestion !== undefined && { suggestion }),
    })),
  );
}

function settingsOf({ tools }: ResolvedConfig): NamedTool[] {
  return Object.keys(tools.perTool).map((name) => ({
    name,
    shown: `tools.perTool.${name}`,
    keys: ["tools", "perTool", name],
  }));
}

function listsOf({ tools, toolsets }: ResolvedConfig): NamedTool[] {
  const lists: (readonly [keys: readonly string[], list: readonly unknown[]])[] = [
    ...tools.enabled.map((list) => [["tools", "enabled"], list] as const),
    ...Object.entries(toolsets).map(([set, list]) => [["toolsets", set], list] as const),
  ];
  return lists.flatMap(([keys, list]) =>
    list.flatMap((rule) => {
      if (typeof rule !== "string") return [];
      const shown = `${keys.join(".")}: ${rule}`;
      return [{ name: rule.replace(/^!/, ""), shown, keys, fits: (item: unknown) => item === rule }];
    }),
  );
}

function quotasOf({ tools }: ResolvedConfig): NamedTool[] {
  return tools.quotas.flatMap(({ tool }) => {
    if (tool === undefined) return [];
    const fits = (item: unknown): boolean => isRecord(item) && item["tool"] === tool;
    return [{ name: tool, shown: `tools.quotas: ${tool}`, keys: ["tools", "quotas"], fits }];
  });
}

function rulesOf({ policy }: ResolvedConfig): NamedTool[] {
  return policy.rules.flatMap((rule) =>
    [rule.tool ?? []].flat().map((tool) => ({
      name: tool.replace(/^!/, "").toLowerCase(),
      shown: `policy.rules: ${tool}`,
      keys: ["policy", "rules"],
      fits: (item: unknown) => isRecord(item) && [item["tool"]].flat().includes(tool),
    })),
  );
}

/** The tools that a step or a list of steps calls, at any depth. */
function toolsIn(value: unknown, keys: readonly PropertyKey[]): NamedTool[] {
  if (Array.isArray(value)) return value.flatMap((item, at) => toolsIn(item, [...keys, at]));
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([key, item]) => {
    const at = [...keys, key];
    if (key === "tool" && typeof item === "string") return [{ name: item, shown: showPath(at), keys: at }];
    // Data that a tool gets may have any keys.
    return key === "input" || key === "result" || key === "when" ? [] : toolsIn(item, at);
  });
}
