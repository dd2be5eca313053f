import { isRecord } from "../contract/is-record.js";
import { readServer } from "./read-server.js";
import type { McpServerConfig } from "./server-schema.js";
import { translateReferences } from "./translate-references.js";

/** Servers as another host's file names them, brought into our form. */
export interface ImportedServers {
  readonly servers: Readonly<Record<string, McpServerConfig>>;
  /** What could not be taken over, or means something else here, in words. */
  readonly left: readonly string[];
}

type Entry = Readonly<Record<string, unknown>>;

/** Keys that other hosts use for what we call otherwise. */
const otherWords: Readonly<Record<string, (value: unknown) => Entry>> = {
  disabled: (value) => ({ enabled: value !== true }),
  serverUrl: (value) => ({ url: value }),
  httpUrl: (value) => ({ url: value }),
  type: toTransport,
  transport: toTransport,
  transportType: toTransport,
  includeTools: (value) => ({ include: value }),
  excludeTools: (value) => ({ exclude: value }),
  // Some hosts count seconds, others milliseconds.
  timeout: (value) => (typeof value === "number" ? { timeoutMs: value < 1000 ? value * 1000 : value } : {}),
  // An older form of Zed's.
  command: (value) => {
    if (typeof value !== "object" || value === null) return { command: value };
    const { path, ...rest } = value as Entry;
    return { command: path, ...rest };
  },
};

const knownKeys = new Set(
  "args env cwd url headers oauth enabled include exclude timeoutMs startTimeoutMs maxConcurrent lazy trustAnnotations".split(
    " ",
  ),
);

/** Read the usual `mcpServers` of another host, VS Code's `servers`, Zed's `context_servers`, or the bare map. */
export function importServers(file: unknown): ImportedServers {
  const found = mapIn(file);
  if (found === undefined) return { servers: {}, left: ["it has no mcpServers"] };
  const servers: Record<string, McpServerConfig> = {};
  const left: string[] = [];
  const taken = new Set<string>();
  for (const [given, value] of Object.entries(found)) {
    const name = toName(given);
    const read = taken.has(name.toLowerCase())
      ? { ok: false as const, reason: `another one is called "${name}" here` }
      : readServer(name, translate(given, value, left));
    if (!read.ok) {
      left.push(`"${given}" was left out: ${read.reason}`);
      continue;
    }
    if (name !== given) left.push(`"${given}" is called "${name}" here`);
    taken.add(name.toLowerCase());
    servers[name] = read.server;
  }
  return { servers, left };
}

function mapIn(file: unknown): Entry | undefined {
  if (!isRecord(file)) return undefined;
  const { mcpServers, servers, mcp, context_servers: zed } = file;
  const found = mcpServers ?? servers ?? (isRecord(mcp) ? mcp["servers"] : undefined) ?? zed;
  if (found !== undefined) return isRecord(found) ? found : undefined;
  const entries = Object.values(file);
  const isBare = entries.every((entry) => isRecord(entry) && ("command" in entry || "url" in entry));
  return isBare && entries.length > 0 ? file : undefined;
}

function toName(given: string): string {
  return given
    .trim()
    .replaceAll(/[^A-Za-z0-9_.-]+/g, "-")
    .replace(/^[^A-Za-z0-9]+/, "")
    .slice(0, 64);
}

function toTransport(value: unknown): Entry {
  const plain = typeof value === "string" ? value.toLowerCase().replaceAll(/[^a-z]/g, "") : value;
  if (plain === "stdio" || plain === "local") return {};
  if (plain === "http" || plain === "streamablehttp" || plain === "remote") return {};
  return { transport: value };
}

function translate(name: string, server: unknown, left: string[]): unknown {
  if (!isRecord(server)) return server;
  const entry: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(server)) {
    const other = Object.hasOwn(otherWords, key) ? otherWords[key] : undefined;
    if (knownKeys.has(key)) entry[key] = value;
    else if (other !== undefined) Object.assign(entry, other(value));
    else left.push(`"${key}" of "${name}" is not supported`);
  }
  return translateReferences(entry, (note) => left.push(`"${name}": ${note}`));
}
