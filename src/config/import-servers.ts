import { basename } from "node:path";
import { isRecord } from "../contract/is-record.js";
import { findServerMaps, type ImportedMap } from "./imported-maps.js";
import { interpolate, type Environment } from "./interpolate.js";
import { readServer, type ReadServer } from "./read-server.js";
import type { McpServerConfig } from "./server-schema.js";
import { translateReferences } from "./translate-references.js";
import { mergeSettings, translateServer, whyUnreachable } from "./translate-server.js";

/** Servers as another host's file names them, brought into our form. */
export interface ImportedServers {
  readonly servers: Readonly<Record<string, McpServerConfig>>;
  /** What could not be taken over, or means something else here, in words. */
  readonly left: readonly string[];
}

/**
 * Read the servers of another host's file: `mcpServers` (Claude Desktop, Claude Code with its projects, Cursor,
 * Windsurf, Gemini CLI), `servers` or `mcp.servers` (VS Code), `mcp` (OpenCode), `mcp_servers` (Codex),
 * `context_servers` (Zed), or the bare map.
 *
 * @param env Addresses that depend on a variable must be valid with it.
 */
export function importServers(file: unknown, env: Environment = {}): ImportedServers {
  const maps = findServerMaps(file);
  const left: string[] = [];
  if (maps.length === 0) return { servers: {}, left: ["no MCP servers were found in it"] };
  const servers = new Map<string, McpServerConfig>();
  for (const map of maps) {
    for (const [given, value] of Object.entries(map.servers)) take(given, value, { map, env, servers, left });
  }
  return { servers: Object.fromEntries(servers), left };
}

interface Import {
  readonly map: ImportedMap;
  readonly env: Environment;
  readonly servers: Map<string, McpServerConfig>;
  readonly left: string[];
}

function take(given: string, value: unknown, { map, env, servers, left }: Import): void {
  const where = map.project === undefined ? `"${given}"` : `"${given}" of the project ${map.project}`;
  const read = readEntry(given, value, { map, env, onNote: (note) => left.push(`${where}: ${note}`) });
  if (!read.ok) return void left.push(`${where} was left out: ${read.reason}`);
  const name = freeName(toName(given), read.server, { map, servers });
  if (name === undefined) {
    left.push(`${where} was left out: another one is named "${toName(given)}"`);
    return;
  }
  if (name !== given) left.push(`${where} was renamed to "${name}"`);
  servers.set(name, read.server);
}

function readEntry(
  given: string,
  value: unknown,
  { map, env, onNote }: Pick<Import, "map" | "env"> & { readonly onNote: (note: string) => void },
): ReadServer {
  const why = whyUnreachable(value);
  if (why !== undefined) return { ok: false, reason: why };
  const translated = translateServer(value, onNote);
  if (isRecord(translated)) mergeSettings(translated, map.overrides(given));
  const entry = translateReferences(inProject(translated, map.project), map.dialect, onNote);
  return readFilledIn(toName(given), entry, env);
}

/** A program of a project is started in the project's folder. */
function inProject(entry: unknown, project: string | undefined): unknown {
  if (project === undefined || !isRecord(entry) || !("command" in entry) || "cwd" in entry) return entry;
  return { ...entry, cwd: project.replaceAll("${", () => "$${") };
}

/** A server is checked with its variables filled in, as it will be when it is used, and kept with them. */
function readFilledIn(name: string, entry: unknown, env: Environment): ReadServer {
  const unset = new Set<string>();
  const read = readServer(name, fillIn(entry, env, unset));
  if (read.ok) return { ok: true, server: entry as McpServerConfig };
  const isOnlyUnset = unset.size > 0 && readServer(name, fillIn(entry, withAll(env, unset), unset)).ok;
  if (!isOnlyUnset) return read;
  const names = [...unset].join(", ");
  return { ok: false, reason: `it needs the environment variable ${names}, which is not set` };
}

function fillIn(value: unknown, env: Environment, unset: Set<string>): unknown {
  if (Array.isArray(value)) return value.map((item) => fillIn(item, env, unset));
  if (isRecord(value))
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fillIn(item, env, unset)]));
  if (typeof value !== "string") return value;
  const filled = interpolate(value, env);
  if (!filled.ok) return value;
  for (const variable of filled.variables) if ((env[variable] ?? "") === "") unset.add(variable);
  return filled.text;
}

/** The environment as it may be once the variables are set. */
function withAll(env: Environment, names: ReadonlySet<string>): Environment {
  return { ...env, ...Object.fromEntries([...names].map((name) => [name, "https://example.org"])) };
}

/** The name itself, or one with the project's name where another server has it. */
function freeName(
  name: string,
  server: McpServerConfig,
  { map, servers }: Pick<Import, "map" | "servers">,
): string | undefined {
  const project = map.project === undefined ? [] : [toName(`${name.slice(0, 40)}-${basename(map.project)}`)];
  const taken = new Map([...servers].map(([other, its]) => [other.toLowerCase(), JSON.stringify(its)]));
  return [name, ...project].find((one) => {
    const there = taken.get(one.toLowerCase());
    return there === undefined || (servers.has(one) && there === JSON.stringify(server));
  });
}

function toName(given: string): string {
  return given
    .trim()
    .replaceAll(/[^A-Za-z0-9_.-]+/g, "-")
    .replace(/^[^A-Za-z0-9]+/, "")
    .slice(0, 64);
}
