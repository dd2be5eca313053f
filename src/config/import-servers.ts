import { isRecord } from "../contract/is-record.js";
import { readServer } from "./read-server.js";
import type { McpServerConfig } from "./server-schema.js";
import { hasReference } from "./interpolate.js";

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

/**
 * Bring other hosts' placeholders into our `${NAME:-}`: one that we cannot read, or that names a variable which is
 * not set, would make the whole configuration unusable. What is left over is written as plain text.
 */
function translateReferences(value: unknown, onNote: (note: string) => void): unknown {
  if (typeof value === "string") return translateText(value, onNote);
  if (Array.isArray(value)) return value.map((item) => translateReferences(item, onNote));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, translateReferences(item, onNote)]),
  );
}

function translateText(text: string, onNote: (note: string) => void): string {
  if (!hasReference(text)) return text;
  const translated = text.replaceAll(/\$\{([^{}]*)\}/g, (whole, inner: string) => {
    const [, kind = "", rest = ""] = /^(env|input):([^]*)$/.exec(inner) ?? [];
    if (kind === "env") return `\${${rest}:-}`;
    if (kind === "input") {
      const variable = rest
        .toUpperCase()
        .replaceAll(/[^A-Z0-9]+/g, "_")
        .replace(/^(?=\d)/, "_");
      onNote(`"${whole}" is asked for by the other host; set the environment variable ${variable} here`);
      return `\${${variable}:-}`;
    }
    if (inner === "workspaceFolder" || inner === "workspaceRoot") return ".";
    if (inner === "userHome") return "${HOME}";
    return plainName.test(inner) ? `\${${inner}:-}` : whole;
  });
  if (!hasReference(translated.replaceAll(ownForm, ""))) return translated;
  onNote(`"${text}" is taken as plain text`);
  return text.replaceAll("${", () => "$${");
}

const plainName = /^[A-Za-z_][A-Za-z0-9_]*$/;
const ownForm = /\$\{[A-Za-z_][A-Za-z0-9_]*(?::-[^${}]*)?\}/g;
