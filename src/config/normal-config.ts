import { isAbsolute, join, resolve } from "node:path";
import { ConfigError, printable, showPath } from "./config-error.js";
import type { TenonConfig } from "./config-schema.js";
import type { LoadedSource } from "./load-source.js";
import type { PolicyRule } from "./rule-schema.js";
import type { McpServerConfig } from "./server-schema.js";
import type { SandboxAccess } from "../contract/ports/upstream.js";

type Tools = NonNullable<TenonConfig["tools"]>;
/** Keys of `tools` that have their own place in the normal form. */
export type MovedKey = "workspaceDir" | "forbiddenPaths" | "maxFileSize" | "mcpServers";

/** A configuration with one place for each thing and all paths understood; nothing is filled in. */
export interface NormalConfig extends Omit<TenonConfig, "$schema" | "capabilities" | "tools" | "policy"> {
  /** By agent; `*` stands for every agent. */
  capabilities?: Record<string, string[]>;
  policy?: { rules: PolicyRule[] };
  tools?: Omit<Tools, MovedKey | "enabled" | "allowedPaths"> & {
    /** Lists of globs; a tool must be in every one of them. */
    enabled?: string[][] | undefined;
    /** Lists of paths; a path must be in every one of them that names a part of the workspace. */
    allowedPaths?: string[][] | undefined;
  };
}

/** What paths of a source are relative to. */
export interface Bases {
  /** The source's own name in errors. */
  readonly file: string;
  /** Folder of the file, or the current folder. */
  readonly folder?: string;
  readonly home?: string;
  /** Where a key stands, if the source is text. */
  readonly positionOf?: LoadedSource["positionOf"];
}

/** Bring a checked configuration into its normal form. */
export function toNormal(config: TenonConfig, bases: Bases): NormalConfig {
  if (Object.keys(config).length === 0) return {};
  const { $schema: _, capabilities, tools = {}, ...rest } = config;
  const { workspaceDir, allowedPaths, forbiddenPaths, maxFileSize, mcpServers, enabled, ...toolsRest } =
    tools;
  const problems = [
    ...conflictingValues("workspaceDir", config.workspaceDir, workspaceDir),
    ...conflictingValues("files.maxFileSize", config.files?.maxFileSize, maxFileSize),
    ...duplicateNames(config, mcpServers ?? []),
    ...duplicateIds(config.policy?.rules ?? []),
  ].map(({ keys, message }) => ({
    file: bases.file,
    ...bases.positionOf?.(keys),
    path: showPath(keys),
    message,
  }));
  if (problems.length > 0) throw new ConfigError(problems);
  const normal = {
    ...rest,
    ...withEndpointRules(config),
    workspaceDir: config.workspaceDir ?? workspaceDir,
    capabilities: Array.isArray(capabilities) ? { "*": capabilities } : capabilities,
    files: {
      ...config.files,
      allowedPaths: joined(config.files?.allowedPaths, allowedPaths),
      forbiddenPaths: joined(config.files?.forbiddenPaths, forbiddenPaths),
      maxFileSize: config.files?.maxFileSize ?? maxFileSize,
    },
    mcpServers: allServers(config.mcpServers, mcpServers),
    tools: {
      ...toolsRest,
      enabled: enabled && [enabled],
      allowedPaths: allowedPaths && [allowedPaths],
    },
  };
  return withPaths(normal as NormalConfig, bases);
}

interface KeyProblem {
  readonly keys: readonly PropertyKey[];
  readonly message: string;
}

function conflictingValues(path: string, one: unknown, other: unknown): KeyProblem[] {
  if (one === undefined || other === undefined || one === other) return [];
  return [
    { keys: ["tools", path.split(".").at(-1) ?? ""], message: `conflicts with ${path}; keep one of them` },
  ];
}

function duplicateNames(config: TenonConfig, list: readonly { readonly name: string }[]): KeyProblem[] {
  const seen = new Set(Object.keys(config.mcpServers ?? {}));
  return list.flatMap(({ name }, index) => {
    if (!seen.has(name)) {
      seen.add(name);
      return [];
    }
    return [{ keys: ["tools", "mcpServers", index], message: `another server is already named "${name}"` }];
  });
}

function duplicateIds(rules: readonly PolicyRule[]): KeyProblem[] {
  const seen = new Set<string>();
  return rules.flatMap(({ id }, index) => {
    if (id === undefined || !seen.has(id)) {
      if (id !== undefined) seen.add(id);
      return [];
    }
    return [
      { keys: ["policy", "rules", index, "id"], message: `another rule is already named "${printable(id)}"` },
    ];
  });
}

function joined(one: string[] | undefined, other: string[] | undefined): string[] | undefined {
  return one === undefined && other === undefined ? undefined : [...(one ?? []), ...(other ?? [])];
}

function allServers(
  map: NormalConfig["mcpServers"],
  list: Tools["mcpServers"],
): Record<string, McpServerConfig> | undefined {
  if (map === undefined && list === undefined) return undefined;
  const named = (list ?? []).map(({ name, ...server }) => [name, server] as const);
  const all = [...Object.entries(map ?? {}), ...named];
  return Object.fromEntries(all.map(([name, server]) => [name, withTransport(server)]));
}

/** Other hosts say `type`, and have two words for Streamable HTTP. */
function withTransport(server: McpServerConfig): McpServerConfig {
  const { type, ...rest } = server;
  if ("command" in rest) return rest;
  const transport = rest.transport ?? (type === "stdio" ? undefined : type);
  if (transport === undefined) return rest;
  return { ...rest, transport: transport === "streamable-http" ? "http" : transport };
}

function withPaths(config: NormalConfig, bases: Bases): NormalConfig {
  const home = (path: string): string => expandHome(path, bases);
  const anchored = (path: string): string => anchor(home(path), bases);
  const withHome = <T extends SandboxAccess>(access: T): T => ({
    ...access,
    readable: access.readable?.map(home),
    writable: access.writable?.map(home),
  });
  const { files = {}, policy, sandbox, tools = {} } = config;
  return dropUndefined({
    ...config,
    workspaceDir: map(config.workspaceDir, anchored),
    stateDir: map(config.stateDir, anchored),
    logging: config.logging && { ...config.logging, file: map(config.logging.file, anchored) },
    secrets: config.secrets && { ...config.secrets, keyFile: map(config.secrets.keyFile, anchored) },
    plugins: config.plugins?.map((plugin) => {
      const local = (path: string): string =>
        /^(?:\.\.?|~)(?:[\\/]|$)|\.[cm]?[jt]s$/.test(path) ? anchored(path) : path;
      return typeof plugin === "string"
        ? local(plugin)
        : { ...plugin, path: local(plugin.path), sandbox: map(plugin.sandbox, withHome) };
    }),
    files: {
      ...files,
      allowedPaths: files.allowedPaths?.map(home),
      forbiddenPaths: files.forbiddenPaths?.map(home),
      protectedPaths: files.protectedPaths?.map(home),
    },
    sandbox: sandbox && {
      ...sandbox,
      readable: sandbox.readable?.map(anchored),
      writable: sandbox.writable?.map(anchored),
      hidden: sandbox.hidden?.map(home),
    },
    policy: policy && { rules: policy.rules.map((rule) => ({ ...rule, path: mapAll(rule.path, home) })) },
    mcpServers: mapValues(config.mcpServers, (server) =>
      "command" in server
        ? { ...server, cwd: map(server.cwd, home), sandbox: map(server.sandbox, withHome) }
        : server,
    ),
    tools: {
      ...tools,
      allowedPaths: tools.allowedPaths?.map((list) => list.map(home)),
      perTool: mapValues(tools.perTool, ({ permissions, ...tool }) => ({
        ...tool,
        permissions: permissions && {
          ...permissions,
          allowedPaths: permissions.allowedPaths?.map(home),
          forbiddenPaths: permissions.forbiddenPaths?.map(home),
        },
      })),
    },
  }) as NormalConfig;
}

/** `~` read as a folder of that name would quietly protect nothing, so it is never left standing. */
function expandHome(path: string, bases: Bases): string {
  const { home, file } = bases;
  // In rules, `!` takes a pattern out again.
  if (path.startsWith("!")) return `!${expandHome(path.slice(1), bases)}`;
  if (path !== "~" && !path.startsWith("~/")) return path;
  if (home !== undefined) return join(home, path.slice(1));
  throw new ConfigError([
    { file, path: "", message: 'a path starts with "~", but the home folder is not known' },
  ]);
}

function anchor(path: string, { folder }: Bases): string {
  return isAbsolute(path) || folder === undefined ? path : resolve(folder, path);
}

function map<T, U>(value: T | undefined, change: (value: T) => U): U | undefined {
  return value === undefined ? undefined : change(value);
}

function mapAll(value: string | string[] | undefined, change: (value: string) => string) {
  return Array.isArray(value) ? value.map(change) : map(value, change);
}

function mapValues<T, U>(record: Record<string, T> | undefined, change: (value: T) => U) {
  return (
    record && Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)] as const))
  );
}

/** Keys without a value say nothing; leave them out at every depth. */
function dropUndefined(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => dropUndefined(item));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, item]) => (item === undefined ? [] : [[key, dropUndefined(item)]])),
  );
}

/** The rules of an endpoint come before all others, and say which endpoint they are for. */
function withEndpointRules({ endpoints, policy }: TenonConfig): Pick<NormalConfig, "endpoints" | "policy"> {
  const named = Object.entries(endpoints ?? {});
  const own = named.flatMap(([endpoint, { policy: rules = [] }]) =>
    rules.map((rule, index) => ({ id: `endpoints.${endpoint}.policy[${index}]`, ...rule, endpoint })),
  );
  const bare = named.map(([name, { policy: _rules, ...rest }]) => [name, rest] as const);
  const rules = [...own, ...(policy?.rules ?? [])];
  return {
    ...(endpoints !== undefined && { endpoints: Object.fromEntries(bare) }),
    ...(policy !== undefined || rules.length > 0 ? { policy: { rules } } : {}),
  };
}
