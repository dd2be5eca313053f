import type { RuntimeBase } from "./state/runtime-base.js";
import { configJsonSchema, placesOfKey } from "../config/known-keys.js";
import { ToolDefinitionError } from "../contract/errors.js";
import { checkKeys, findUnknownKey, suggestKey, type KeysOf } from "../schema/check-keys.js";
import type { PlainLimits } from "../schema/take-plain.js";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { defaultStateDir, userConfigDir } from "../config/folders.js";
import type { RuleGroup } from "../config/load-config.js";
import { resolveConfig } from "../config/resolve-config.js";
import type { TenonOptions } from "./tenon-options.js";

/** The options with all defaults. */
export type OpenedOptions = Pick<RuntimeBase, "config" | "rules" | "env" | "workspace" | "stateDir"> & {
  /** Where the key for stored secrets lies. */
  readonly secretsKeyFile: string;
};

/** Fill in defaults; the only place that reads the process. */
export function openOptions(options: TenonOptions): OpenedOptions {
  checkOptions(options);
  const env = options.env ?? process.env;
  const home = options.home ?? homedir();
  const config = options.loaded?.config ?? resolveConfig(options.config, { cwd: process.cwd(), home });
  // Rules of the host program rank like those of a command line.
  const own: RuleGroup = {
    source: "command-line",
    trusted: true,
    rules: config.policy.rules as RuleGroup["rules"],
  };
  return {
    config,
    rules: options.loaded?.rules ?? [own],
    env,
    workspace: resolve(options.workspace ?? config.workspaceDir ?? process.cwd()),
    secretsKeyFile: config.secrets.keyFile ?? join(userConfigDir(env, home), "secrets.key"),
    stateDir: config.stateDir ?? (env["TENON_STATE_DIR"] || defaultStateDir(env, home)),
  };
}

/** All options; one that is missing here does not compile. */
const optionNames: KeysOf<TenonOptions> = {
  workspace: true,
  config: true,
  loaded: true,
  tools: true,
  extensions: true,
  builtIns: true,
  interact: true,
  recorders: true,
  log: true,
  telemetry: true,
  health: true,
  argumentLimits: true,
  maxTextChars: true,
  cancelGraceMs: true,
  jobs: true,
  startServers: true,
  actor: true,
  ownership: true,
  clock: true,
  random: true,
  env: true,
  home: true,
};

/** An unknown option must not be ignored: `mode: "read-only"` here would have no effect. */
function checkOptions(options: TenonOptions): void {
  const key = findUnknownKey(options, optionNames);
  if (key !== undefined) {
    const [place] = placesOfKey(configJsonSchema(), key);
    const hint =
      place === undefined
        ? suggestKey(key, Object.keys(optionNames))
        : `"${place}" is a setting: use createTenon({ config: { … } }).`;
    throw new ToolDefinitionError(`Unknown option "${key}" for createTenon.`, { hint });
  }
  checkKeys(options.health, healthKeys, "health of createTenon");
  checkKeys(options.argumentLimits, limitKeys, "argumentLimits of createTenon");
  checkKeys(options.actor, { via: true, userId: true, principal: true }, "actor of createTenon");
  if (typeof options.telemetry === "object")
    checkKeys(options.telemetry, { tracerProvider: true, recordContent: true }, "telemetry of createTenon");
}

const limitKeys: KeysOf<PlainLimits> = { depth: true, values: true, chars: true };

const healthKeys: KeysOf<NonNullable<TenonOptions["health"]>> = {
  criticalErrors: true,
  probeAfterMs: true,
  initTimeoutMs: true,
};
