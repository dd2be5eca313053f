import type { ToolSettings } from "../../call/parts.js";
import type { ResolvedConfig } from "../../config/resolve-config.js";
import type { Tool } from "../../contract/tool.js";
import type { Metrics } from "../../record/metrics.js";
import type { ToolMeter } from "../../record/tool-meter.js";
import type { ToolEntry } from "../../registry/tool-entry.js";
import { defaultRetry } from "../../scheduler/retry.js";

const networkTimeoutMs = 60_000;

/** The settings of a tool, overridden by the configuration; built once per version. */
export function createToolSettings(
  config: ResolvedConfig,
  metrics: Metrics,
): (entry: ToolEntry) => ToolSettings {
  const known = new WeakMap<ToolEntry, ToolSettings>();
  let versions = 0;
  return (entry) => {
    const settings = known.get(entry);
    if (settings !== undefined) return settings;
    const fresh = { ...toSettings(entry, config, metrics), ...cacheIdOf(entry, ++versions) };
    known.set(entry, fresh);
    return fresh;
  };
}

function toSettings(entry: ToolEntry, config: ResolvedConfig, metrics: Metrics): ToolSettings {
  const { tool } = entry;
  const own = config.tools.perTool[entry.name] ?? {};
  return {
    timeoutMs: own.timeout ?? defaultTimeout(tool, config),
    priority: own.priority ?? tool.priority ?? 0,
    retry: {
      ...defaultRetry,
      ...tool.retry,
      ...(own.retryAttempts !== undefined && { attempts: own.retryAttempts }),
    },
    meter: own.monitoring?.enableMetrics === false ? silentMeter : metrics.meter(entry.name, entry.version),
    ...concurrencySettings(tool, own),
    annotations: tool.annotations ?? {},
    otherNames: namesInRules(tool),
    ...permissionSettings(tool, own),
    ...(own.maxTokens !== undefined && { maxTokens: own.maxTokens }),
    custom: { ...(entry.name === "web_search" && config.tools.webSearch), ...own.custom },
  };
}

/** A provider's own tool counts as those that it stands for: a rule about one of them concerns it, too. */
function namesInRules({ aliases, native, replaces = [] }: Tool): readonly string[] | undefined {
  return native === undefined ? aliases : [...(aliases ?? []), ...replaces];
}

type ToolConfig = ResolvedConfig["tools"]["perTool"][string];

function concurrencySettings(
  { concurrency: declared = {} }: Tool,
  { concurrency = {} }: ToolConfig,
): Pick<ToolSettings, "limits" | "exclusive"> {
  const max = concurrency.maxConcurrentCalls ?? declared.max;
  const queue = concurrency.queueSize ?? declared.queue;
  return {
    limits: { ...(max !== undefined && { max }), ...(queue !== undefined && { queue }) },
    exclusive: (concurrency.isConcurrencySafe ?? declared.safe) === false,
  };
}

function permissionSettings(
  { capabilities = [], securityLevel: declared }: Tool,
  { permissions = {} }: ToolConfig,
): Pick<ToolSettings, "capabilities" | "securityLevel" | "allowedPaths" | "forbiddenPaths"> {
  const { securityLevel = declared, allowedPaths, forbiddenPaths, requiredCapabilities = [] } = permissions;
  return {
    capabilities: [...capabilities, ...requiredCapabilities],
    ...(securityLevel !== undefined && { securityLevel }),
    ...(allowedPaths !== undefined && { allowedPaths }),
    ...(forbiddenPaths !== undefined && { forbiddenPaths }),
  };
}

/** Only read-only tools can be answered from the cache. */
function cacheIdOf({ name, tool }: ToolEntry, version: number): Pick<ToolSettings, "cacheId"> {
  const { cacheable, readOnly } = tool.annotations ?? {};
  return cacheable === true && readOnly === true ? { cacheId: `${name}#${version}` } : {};
}

function defaultTimeout(tool: Tool, config: ResolvedConfig): number | null {
  if (tool.timeoutMs !== undefined) return tool.timeoutMs;
  return tool.category === "network"
    ? Math.max(networkTimeoutMs, config.tools.timeout)
    : config.tools.timeout;
}

/** For tools without metrics. */
const silentMeter: ToolMeter = { began() {}, ended() {}, refused() {}, resources() {} };
