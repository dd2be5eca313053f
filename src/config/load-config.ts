import { settingPaths } from "./setting-paths.js";
import { realpath } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { checkKeys, type KeysOf } from "../schema/check-keys.js";
import { ConfigError, type ConfigProblem } from "./config-error.js";
import type { TenonConfig } from "./config-schema.js";
import { defaultStateDir, userConfigDir } from "./folders.js";
import type { Environment } from "./interpolate.js";
import { checkObject, loadSource } from "./load-source.js";
import { loadWorkspace, type UntrustedConfig, type WorkspaceLayer } from "./load-workspace.js";
import { mergeLayers } from "./merge-layers.js";
import { toNormal, type NormalConfig } from "./normal-config.js";
import { createPlaceOf, type LocatedSource } from "./place-of.js";
import { readConfigFile, readFolderConfig, type ConfigFile } from "./read-file.js";
import { withUniqueIds } from "./unique-ids.js";
import { freezeResolved, type ResolvedConfig } from "./resolve-config.js";
import type { PolicyRule } from "./rule-schema.js";
import { checkConfig } from "./check-config.js";

/** Where to look for configuration, and what the person passed. */
export interface LoadOptions {
  /** The folder to work in, unless a stronger source names another as `workspaceDir`. */
  readonly workspace: string;
  /** What `--config` names. @default $TENON_CONFIG */
  readonly configFile?: string;
  readonly env: Environment;
  readonly home: string;
  /** Relative paths of flags and environment start here. @default workspace */
  readonly cwd?: string;
  /** What the command line says; a `--workspace` belongs here as `workspaceDir`, too. */
  readonly flags?: Partial<TenonConfig>;
  /** Whether the person has trusted the workspace's file in exactly this form. */
  readonly trusted: (workspace: string, configDigest: string) => boolean;
}

/** One place that the configuration came from. */
export interface ConfigSource {
  readonly kind: "flags" | "env" | "file" | "user" | "workspace" | "default";
  readonly file?: string;
  readonly digest?: string;
  /** The settings that it has, such as `sandbox.layers.enabled`; a stronger source may have the same. */
  readonly settings?: readonly string[];
}

/** Rules of one strength, in their order. */
export interface RuleGroup {
  readonly source: "command-line" | "user" | "workspace";
  /** `false`: the rules may only make a decision stricter. */
  readonly trusted: boolean;
  readonly rules: readonly PolicyRule[];
}

/** The configuration and where it came from. */
export interface LoadedConfig {
  readonly config: ResolvedConfig;
  /** The strongest first. */
  readonly sources: readonly ConfigSource[];
  readonly warnings: readonly string[];
  /** The workspace's file, if it is there and nobody has trusted it. */
  readonly untrusted?: UntrustedConfig;
  readonly rules: readonly RuleGroup[];
  /**
   * Where the strongest file that has a setting has it, such as `["tools", "perTool"]`, for errors that are found later; `fits`
   * finds an item of a list.
   */
  readonly placeOf?: (
    path: readonly PropertyKey[],
    fits?: (item: unknown) => boolean,
  ) => { readonly file: string; readonly line?: number; readonly column?: number } | undefined;
}

/**
 * Find, read, check and merge every source; all faults of all sources come as one `ConfigError`.
 *
 * @example
 * const loaded = await loadConfig({ workspace: ".", env: process.env, home: homedir(), trusted: () => false });
 * const tenon = createTenon({ loaded });
 */
export async function loadConfig(options: LoadOptions): Promise<LoadedConfig> {
  checkKeys(options, optionNames, "loadConfig");
  const problems: ConfigProblem[] = [];
  const personal = await loadPersonal(options, problems);
  const taken = new Set<string>();
  const named = personal.map((layer) => ({
    ...layer,
    config: withUniqueIds(layer.config, layer.kind === "flags" ? "command-line" : layer.kind, taken),
  }));
  const own = mergeLayers(named.map((layer) => layer.config));
  const folder = own.workspaceDir ?? resolve(options.cwd ?? "/", options.workspace);
  const workspace = await attempt(problems, () =>
    loadWorkspace({
      ...options,
      folder,
      own,
      taken,
      named: personal.flatMap((layer) => layer.from?.identity ?? []),
    }),
  );
  if (problems.length > 0) throw new ConfigError(problems);
  return assemble({ options, folder, personal: named, own, workspace });
}

const optionNames: KeysOf<LoadOptions> = {
  workspace: true,
  configFile: true,
  env: true,
  home: true,
  cwd: true,
  flags: true,
  trusted: true,
};

interface Layer {
  readonly kind: Exclude<ConfigSource["kind"], "workspace" | "default">;
  readonly config: NormalConfig;
  readonly from?: ConfigFile;
  readonly located?: LocatedSource;
}

/** The sources that are the person's own, the strongest first. */
async function loadPersonal(options: LoadOptions, problems: ConfigProblem[]): Promise<readonly Layer[]> {
  const { env, home, flags = {}, workspace } = options;
  const cwd = options.cwd ?? workspace;
  const named = options.configFile ?? (env["TENON_CONFIG"] || undefined);
  const at = { folder: cwd, home };
  const found = [
    await attempt(problems, () => {
      const config = toNormal(checkObject(flags, "command line"), { ...at, file: "command line" });
      return { kind: "flags" as const, config };
    }),
    await attempt(problems, () => {
      return {
        kind: "env" as const,
        config: toNormal(checkEnvironment(env), { ...at, file: "environment" }),
      };
    }),
    await attempt(problems, async () => {
      if (named === undefined) return undefined;
      return fileLayer("file", await readConfigFile(resolve(cwd, expand(named, home))), options);
    }),
    await attempt(problems, async () => {
      const source = await readFolderConfig(userConfigDir(env, home), "config");
      return source && fileLayer("user", source, options);
    }),
  ];
  return found.filter((layer) => layer !== undefined);
}

async function attempt<T>(problems: ConfigProblem[], step: () => T | Promise<T>): Promise<T | undefined> {
  try {
    return await step();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    problems.push(...error.problems);
    return undefined;
  }
}

async function fileLayer(
  kind: "file" | "user",
  from: ConfigFile,
  { env, home }: LoadOptions,
): Promise<Layer> {
  const { config, positionOf } = await loadSource(from, env);
  const bases = { file: from.file, folder: dirname(from.file), home, positionOf };
  const located = { file: from.file, config, positionOf };
  return { kind, from, located, config: toNormal(config, bases) };
}

function expand(path: string, home: string): string {
  return path.startsWith("~/") ? join(home, path.slice(2)) : path;
}

interface LoadedLayers {
  readonly options: LoadOptions;
  readonly folder: string;
  readonly personal: readonly Layer[];
  readonly own: NormalConfig;
  readonly workspace: WorkspaceLayer | undefined;
}

async function assemble({ options, folder, personal, own, workspace }: LoadedLayers): Promise<LoadedConfig> {
  const merged = workspace?.merged ?? own;
  const { files } = merged;
  const read = [...personal.flatMap((layer) => layer.from ?? []), ...(workspace ? [workspace.from] : [])];
  const real = await Promise.all(read.map(({ file }) => realpath(file).catch(() => file)));
  const protectedPaths = [...(files?.protectedPaths ?? []), ...read.map(({ file }) => file), ...real];
  const config = freezeResolved({
    ...merged,
    workspaceDir: merged.workspaceDir ?? folder,
    stateDir: merged.stateDir ?? defaultStateDir(options.env, options.home),
    files: { ...files, protectedPaths },
  });
  const untrusted = workspace?.untrusted;
  const located = [...personal.flatMap((layer) => layer.located ?? []), ...(workspace?.located ?? [])];
  return Object.freeze({
    config,
    sources: Object.freeze(sourcesOf(personal, own, workspace)),
    warnings: Object.freeze(workspace?.warning === undefined ? [] : [workspace.warning]),
    ...(untrusted !== undefined && { untrusted }),
    rules: Object.freeze(groupsOf(personal, workspace)),
    placeOf: createPlaceOf(located),
  });
}

function sourcesOf(
  personal: readonly Layer[],
  own: NormalConfig,
  workspace: WorkspaceLayer | undefined,
): ConfigSource[] {
  const used = personal.filter(
    (layer) => Object.values(layer.config).some((value) => hasContent(value)) || layer.from,
  );
  return [
    ...used.map(({ kind, from, config }) => ({
      kind,
      ...(from && { file: from.file, digest: from.digest }),
      settings: settingPaths(config),
    })),
    ...(workspace
      ? [
          {
            kind: "workspace" as const,
            file: workspace.from.file,
            digest: workspace.from.digest,
            settings: settingPaths(workspace.merged, own),
          },
        ]
      : []),
    { kind: "default" },
  ];
}

function hasContent(value: unknown): boolean {
  return typeof value !== "object" || value === null || Object.keys(value).length > 0;
}

function groupsOf(personal: readonly Layer[], workspace: WorkspaceLayer | undefined): RuleGroup[] {
  const rulesOf = (kinds: readonly string[]): PolicyRule[] =>
    personal.filter(({ kind }) => kinds.includes(kind)).flatMap(({ config }) => config.policy?.rules ?? []);
  const groups: RuleGroup[] = [
    { source: "command-line", trusted: true, rules: rulesOf(["flags", "env", "file"]) },
    { source: "user", trusted: true, rules: rulesOf(["user"]) },
    { source: "workspace", trusted: workspace?.untrusted === undefined, rules: workspace?.rules ?? [] },
  ];
  return groups.filter(({ rules }) => rules.length > 0).map((group) => Object.freeze(group));
}

const variables = { mode: "TENON_MODE", stateDir: "TENON_STATE_DIR", toolset: "TENON_TOOLSET" } as const;

/** What Tenon's own variables say; an empty one says nothing. */
function checkEnvironment(env: Environment): TenonConfig {
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
