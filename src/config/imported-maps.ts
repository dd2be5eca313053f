import { isRecord } from "../contract/is-record.js";
import type { ReferenceDialect } from "./translate-references.js";

type Entry = Readonly<Record<string, unknown>>;

/** Servers as one part of another host's file holds them. */
export interface ImportedMap {
  readonly servers: Entry;
  readonly dialect: ReferenceDialect;
  /** The folder that they were configured for, where it is not everywhere. */
  readonly project?: string | undefined;
  /** Settings that the file gives elsewhere, by server. */
  readonly overrides: (name: string) => Entry;
}

/** Find the servers in a file of any known host; a file can hold several maps. */
export function findServerMaps(file: unknown): readonly ImportedMap[] {
  if (!isRecord(file)) return [];
  const found = [
    ...fromStandard(file),
    ...fromProjects(file),
    ...plain(file["servers"]),
    ...fromMcp(file),
    ...plain(file["context_servers"]),
    ...plain(file["mcp_servers"], "literal"),
  ];
  if (found.length > 0) return found;
  const entries = Object.values(file);
  const isBare = entries.every((entry) => isRecord(entry) && ("command" in entry || "url" in entry));
  return isBare && entries.length > 0 ? plain(file) : [];
}

const noOverrides = (): Entry => ({});

function plain(servers: unknown, dialect: ReferenceDialect = "braces"): readonly ImportedMap[] {
  return isRecord(servers) ? [{ servers, dialect, overrides: noOverrides }] : [];
}

/** `mcpServers`, as most hosts have it; Gemini CLI says elsewhere which of them it starts. */
function fromStandard(file: Entry): readonly ImportedMap[] {
  const { mcpServers: servers, mcp } = file;
  if (!isRecord(servers)) return [];
  const { allowed, excluded } = isRecord(mcp) ? mcp : ({} as Entry);
  const allow = listOf(allowed ?? file["allowMCPServers"]);
  const exclude = listOf(excluded ?? file["excludeMCPServers"]);
  const isOff = (name: string): boolean =>
    exclude.includes(name) || (allow.length > 0 && !allow.includes(name));
  const dialect = isGemini(file, servers) ? "shell" : "braces";
  return [{ servers, dialect, overrides: (name) => (isOff(name) ? { enabled: false } : {}) }];
}

/** Gemini CLI is the only host that writes `$NAME`; what else its file holds tells it apart. */
function isGemini(file: Entry, servers: Entry): boolean {
  const { mcp } = file;
  const keys = ["selectedAuthType", "security", "general", "contextFileName", "allowMCPServers"];
  if (keys.some((key) => key in file)) return true;
  if (isRecord(mcp) && ("allowed" in mcp || "excluded" in mcp || "serverCommand" in mcp)) return true;
  return Object.values(servers).some(
    (server) =>
      isRecord(server) && ("httpUrl" in server || "trust" in server || "authProviderType" in server),
  );
}

/** Claude Code keeps the servers of each project under its folder. */
function fromProjects({ projects }: Entry): readonly ImportedMap[] {
  if (!isRecord(projects)) return [];
  return Object.entries(projects).flatMap(([project, settings]) => {
    if (!isRecord(settings) || !isRecord(settings["mcpServers"])) return [];
    const disabled = listOf(settings["disabledMcpServers"]);
    const overrides = (name: string): Entry => (disabled.includes(name) ? { enabled: false } : {});
    return [{ servers: settings["mcpServers"], dialect: "braces" as const, project, overrides }];
  });
}

/** `mcp`: a map of OpenCode's, or `mcp.servers` of VS Code and of OpenCode's newer form. */
function fromMcp(file: Entry): readonly ImportedMap[] {
  const { mcp } = file;
  if (!isRecord(mcp)) return [];
  const isOpenCode = (entry: unknown): boolean =>
    isRecord(entry) && (entry["type"] === "local" || entry["type"] === "remote");
  const servers = isRecord(mcp["servers"]) && !isOpenCode(mcp["servers"]) ? mcp["servers"] : mcp;
  const known = Object.entries(servers).filter(([, entry]) => isOpenCode(entry));
  if (known.length === 0) return servers === mcp ? [] : plain(servers);
  const overrides = (name: string): Entry => switchedOff(name, file["tools"]);
  return [{ servers: Object.fromEntries(known.map(withStartLimit)), dialect: "opencode", overrides }];
}

/** OpenCode's time limit is that of the start. */
function withStartLimit([name, entry]: readonly [string, unknown]): readonly [string, unknown] {
  const { timeout, ...rest } = entry as Entry;
  return [name, timeout === undefined ? rest : { ...rest, startTimeoutMs: timeout }];
}

/** OpenCode switches off tools by globs of `server_tool`. */
function switchedOff(server: string, tools: unknown): Entry {
  if (!isRecord(tools)) return {};
  const off = Object.entries(tools).flatMap(([glob, on]) => (on === false ? [glob] : []));
  if (off.some((glob) => glob === `${server}*` || glob === `${server}_*`)) return { enabled: false };
  const exclude = off.flatMap((glob) =>
    glob.startsWith(`${server}_`) ? [glob.slice(server.length + 1)] : [],
  );
  return exclude.length > 0 ? { exclude } : {};
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
