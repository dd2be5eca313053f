import { serversSchema, type McpServerConfig } from "./server-schema.js";

/** Servers as another host's file names them, brought into our form. */
export interface ImportedServers {
  readonly servers: Readonly<Record<string, McpServerConfig>>;
  /** What could not be taken over, in words. */
  readonly left: readonly string[];
}

/** Keys that other hosts use for what we call otherwise. */
const otherWords: Readonly<Record<string, (value: unknown) => Readonly<Record<string, unknown>>>> = {
  disabled: (value) => ({ enabled: value !== true }),
  serverUrl: (value) => ({ url: value }),
  httpUrl: (value) => ({ url: value }),
  timeout: (value) => (typeof value === "number" ? { timeoutMs: value < 1000 ? value * 1000 : value } : {}),
};

const knownKeys = new Set(
  "command args env cwd type url headers transport oauth enabled include exclude timeoutMs startTimeoutMs maxConcurrent lazy trustAnnotations".split(
    " ",
  ),
);

/** Read the usual `mcpServers` (or VS Code's `servers`) of another host. */
export function importServers(file: unknown): ImportedServers {
  const source = file as { mcpServers?: unknown; servers?: unknown; mcp?: { servers?: unknown } } | null;
  const found = source?.mcpServers ?? source?.servers ?? source?.mcp?.servers;
  if (typeof found !== "object" || found === null) return { servers: {}, left: ["it names no mcpServers"] };
  const servers: Record<string, McpServerConfig> = {};
  const left: string[] = [];
  for (const [given, server] of Object.entries(found)) {
    const name = given
      .trim()
      .replaceAll(/[^A-Za-z0-9_.-]+/g, "-")
      .replace(/^[^A-Za-z0-9]+/, "")
      .slice(0, 64);
    if (name !== given) left.push(`"${given}" is called "${name}" here`);
    const entry = translate(given, server, left);
    const checked = serversSchema().safeParse({ [name]: entry });
    if (checked.success) Object.assign(servers, checked.data);
    else left.push(`"${given}" was left out: ${checked.error.issues[0]?.message ?? "it is no server"}`);
  }
  return { servers, left };
}

function translate(name: string, server: unknown, left: string[]): unknown {
  if (typeof server !== "object" || server === null) return server;
  const entry: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(server)) {
    const other = Object.hasOwn(otherWords, key) ? otherWords[key] : undefined;
    if (knownKeys.has(key)) entry[key] = value;
    else if (other !== undefined) Object.assign(entry, other(value));
    else left.push(`"${key}" of "${name}" means nothing here`);
  }
  return entry;
}
