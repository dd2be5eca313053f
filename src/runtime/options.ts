import { homedir } from "node:os";
import { resolve } from "node:path";
import { defaultStateDir } from "../config/folders.js";
import type { RuleGroup } from "../config/load-config.js";
import { resolveConfig, type ResolvedConfig } from "../config/resolve-config.js";
import { checkOptions } from "./check-options.js";
import type { TenonOptions } from "./tenon-options.js";

/** The options with every default in its place. */
export interface OpenedOptions {
  readonly config: ResolvedConfig;
  readonly rules: readonly RuleGroup[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly workspace: string;
  readonly stateDir: string;
}

/** Fill in what the caller left out; the only look at the process. */
export function openOptions(options: TenonOptions): OpenedOptions {
  checkOptions(options);
  const env = options.env ?? process.env;
  const home = options.home ?? homedir();
  const config = options.loaded?.config ?? resolveConfig(options.config, { cwd: process.cwd(), home });
  // What the host program itself says is as strong as a command line.
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
    stateDir: config.stateDir ?? (env["TENON_STATE_DIR"] || defaultStateDir(env, home)),
  };
}
