import { checkConfig } from "./check-config.js";
import { ConfigError } from "./config-error.js";
import type { TenonConfig } from "./config-schema.js";
import type { Environment } from "./interpolate.js";

const variables = { mode: "TENON_MODE", stateDir: "TENON_STATE_DIR", toolset: "TENON_TOOLSET" } as const;

/** What Tenon's own variables say; an empty one says nothing. */
export function checkEnvironment(env: Environment): TenonConfig {
  const config = Object.fromEntries(
    Object.entries(variables).flatMap(([key, name]) => (env[name] ? [[key, env[name]]] : [])),
  );
  const faults = checkConfig(config);
  if (faults.length === 0) return config;
  throw new ConfigError(
    faults.map((fault) => {
      const [key] = fault.path;
      return { ...fault, file: "environment", path: variables[key as keyof typeof variables] ?? String(key) };
    }),
  );
}
