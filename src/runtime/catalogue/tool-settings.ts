import type { ToolSettings } from "../../call/parts.js";
import type { ResolvedConfig } from "../../config/resolve-config.js";
import type { Tool } from "../../contract/tool.js";
import type { Metrics } from "../../record/metrics.js";
import type { ToolMeter } from "../../record/tool-meter.js";
import type { ToolEntry } from "../../registry/tool-entry.js";
import { defaultRetry } from "../../scheduler/retry.js";

const networkTimeoutMs = 60_000;

/** What a tool says of itself, overruled by what the configuration says of it; made once per version. */
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
  const { permissions = {}, concurrency = {} } = own;
  const max = concurrency.maxConcurrentCalls ?? tool.concurrency?.max;
  const queue = concurrency.queueSize ?? tool.concurrency?.queue;
  const securityLevel = permissions.securityLevel ?? tool.securityLevel;
  return {
    timeoutMs: own.timeout ?? defaultTimeout(tool, config),
    priority: own.priority ?? tool.priority ?? 0,
    retry: {
      ...defaultRetry,
      ...tool.retry,
      ...(own.retryAttempts !== undefined && { attempts: own.retryAttempts }),
    },
    limits: { ...(max !== undefined && { max }), ...(queue !== undefined && { queue }) },
    meter: own.monitoring?.enableMetrics === false ? silentMeter : metrics.meter(entry.name, entry.version),
    exclusive: (concurrency.isConcurrencySafe ?? tool.concurrency?.safe) === false,
    annotations: tool.annotations ?? {},
    capabilities: [...(tool.capabilities ?? []), ...(permissions.requiredCapabilities ?? [])],
    ...(securityLevel !== undefined && { securityLevel }),
    ...(permissions.allowedPaths !== undefined && { allowedPaths: permissions.allowedPaths }),
    ...(permissions.forbiddenPaths !== undefined && { forbiddenPaths: permissions.forbiddenPaths }),
    ...(own.maxTokens !== undefined && { maxTokens: own.maxTokens }),
    custom: { ...(entry.name === "web_search" && config.tools.webSearch), ...own.custom },
  };
}

/** Only what changes nothing is answered from what is kept. */
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

/** For tools whose calls are not to be counted. */
const silentMeter: ToolMeter = { began() {}, ended() {}, refused() {}, resources() {} };
