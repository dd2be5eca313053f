import { securityLevels } from "./levels.js";
import type { ResolvedConfig } from "./resolve-config.js";
import { isEmpty, pickLower, pickSmaller, type Refuse } from "./stricter.js";
import type { ToolConfiguration } from "./tool-config-schema.js";

type BaseTool = Partial<ResolvedConfig["tools"]["perTool"][string]>;

/**
 * What one tool's settings may tighten. The tool's own limits are not known here, so a number
 * counts as smaller only against a configured one, or where it is the smallest there is.
 */
export function tightenTool(wanted: ToolConfiguration, base: BaseTool, refuse: Refuse): ToolConfiguration {
  const { enabled, timeout, retryAttempts, maxTokens, concurrency, permissions, ...rest } = wanted;
  for (const [key, value] of Object.entries(rest)) if (!isEmpty(value)) refuse(key);
  if (enabled === true && base.enabled === false) refuse("enabled");
  return filled({
    enabled: enabled === false ? false : undefined,
    timeout: pickSmaller(timeout, base.timeout, { refuse, path: "timeout", floor: 1 }),
    retryAttempts: pickSmaller(retryAttempts, base.retryAttempts, {
      refuse,
      path: "retryAttempts",
      floor: 0,
    }),
    maxTokens: pickSmaller(maxTokens, base.maxTokens, { refuse, path: "maxTokens", floor: 100 }),
    concurrency: tightenConcurrency(concurrency ?? {}, base.concurrency ?? {}, refuse),
    permissions: tightenPermissions(permissions ?? {}, base.permissions ?? {}, refuse),
  });
}

function tightenConcurrency(
  wanted: NonNullable<ToolConfiguration["concurrency"]>,
  base: NonNullable<BaseTool["concurrency"]>,
  refuse: Refuse,
): ToolConfiguration["concurrency"] {
  const { isConcurrencySafe: safe, maxConcurrentCalls, queueSize } = wanted;
  if (safe === true && base.isConcurrencySafe !== true) refuse("concurrency.isConcurrencySafe");
  return filled({
    isConcurrencySafe: safe === false ? false : undefined,
    maxConcurrentCalls: pickSmaller(maxConcurrentCalls, base.maxConcurrentCalls, {
      refuse,
      path: "concurrency.maxConcurrentCalls",
      floor: 1,
    }),
    queueSize: pickSmaller(queueSize, base.queueSize, { refuse, path: "concurrency.queueSize", floor: 0 }),
  });
}

function tightenPermissions(
  wanted: NonNullable<ToolConfiguration["permissions"]>,
  base: NonNullable<BaseTool["permissions"]>,
  refuse: Refuse,
): ToolConfiguration["permissions"] {
  if (!isEmpty(wanted.allowedPaths)) refuse("permissions.allowedPaths");
  return filled({
    forbiddenPaths: wanted.forbiddenPaths,
    requiredCapabilities: wanted.requiredCapabilities,
    // A tool that counts as more harmful is more easily above the cap: here the highest is the strictest.
    securityLevel: pickLower(wanted.securityLevel, base.securityLevel, {
      refuse,
      path: "permissions.securityLevel",
      order: securityLevels.toReversed(),
    }),
  });
}

function filled<T extends object>(map: T): T {
  return Object.fromEntries(Object.entries(map).filter(([, value]) => !isEmpty(value))) as T;
}
