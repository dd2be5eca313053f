import { isRecord } from "../contract/is-record.js";
import { shellQuote } from "../command/shell-quote.js";

/** How an MCP host reaches Tenon: as a program that it starts, or at an address of `tenon serve`. */
export type HostConnection =
  | {
      readonly command: string;
      readonly args: readonly string[];
      readonly env?: Readonly<Record<string, string>> | undefined;
    }
  | {
      readonly url: string;
      /** The environment variable that holds the token. @default "TENON_TOKEN" */
      readonly tokenVariable?: string | undefined;
    };

/** The part of a host's configuration that makes it use Tenon. */
export interface HostSnippet {
  readonly host: HostId;
  /** As the host calls itself. */
  readonly title: string;
  /** The file of the person, `~` and `%APPDATA%` unresolved. */
  readonly file: string;
  /** The file of a project, relative to its folder, where the host has one. */
  readonly projectFile?: string | undefined;
  readonly format: "json" | "toml";
  /** What to put into the file, as values: merge it with what is there. */
  readonly values: Readonly<Record<string, unknown>>;
  /** The same as text, to copy into an empty file. */
  readonly text: string;
  /** A command of the host that does the same. */
  readonly command?: string | undefined;
  /** What else a person has to do. */
  readonly note?: string | undefined;
}

interface HostProgram {
  readonly title: string;
  readonly file: string | Readonly<Partial<Record<NodeJS.Platform, string>>>;
  readonly projectFile?: string | undefined;
  /** @default "json" */
  readonly format?: "json" | "toml" | undefined;
  readonly toValues: (name: string, connection: HostConnection) => Readonly<Record<string, unknown>>;
  readonly toCommand?: (name: string, connection: HostConnection) => string;
}

const hosts = {
  "claude-desktop": {
    title: "Claude Desktop",
    file: {
      darwin: "~/Library/Application Support/Claude/claude_desktop_config.json",
      win32: "%APPDATA%\\Claude\\claude_desktop_config.json",
      linux: "~/.config/Claude/claude_desktop_config.json",
    },
    // Its file knows only programs, so a bridge speaks to the address.
    toValues: (name, connection) => ({
      mcpServers: { [name]: "url" in connection ? toBridge(connection) : toProgram(connection) },
    }),
  },
  "claude-code": {
    title: "Claude Code",
    file: "~/.claude.json",
    projectFile: ".mcp.json",
    toValues: (name, connection) => ({
      mcpServers: {
        [name]:
          "url" in connection
            ? { type: "http", ...toAddress(connection, (variable) => `\${${variable}}`) }
            : toProgram(connection),
      },
    }),
    toCommand: (name, connection) =>
      "url" in connection
        ? `claude mcp add --transport http ${name} ${connection.url} --header "Authorization: Bearer $${variableOf(connection)}"`
        : `claude mcp add ${name} ${envFlags(connection, "-e")}-- ${commandLine(connection)}`,
  },
  cursor: {
    title: "Cursor",
    file: "~/.cursor/mcp.json",
    projectFile: ".cursor/mcp.json",
    toValues: (name, connection) => ({
      mcpServers: {
        [name]:
          "url" in connection
            ? toAddress(connection, (variable) => `\${env:${variable}}`)
            : toProgram(connection),
      },
    }),
  },
  vscode: {
    title: "VS Code",
    file: {
      darwin: "~/Library/Application Support/Code/User/mcp.json",
      win32: "%APPDATA%\\Code\\User\\mcp.json",
      linux: "~/.config/Code/User/mcp.json",
    },
    projectFile: ".vscode/mcp.json",
    toValues: (name, connection) =>
      "url" in connection
        ? {
            inputs: [
              { type: "promptString", id: `${name}-token`, description: `Token of ${name}`, password: true },
            ],
            servers: { [name]: { type: "http", ...toAddress(connection, () => `\${input:${name}-token}`) } },
          }
        : { servers: { [name]: { type: "stdio", ...toProgram(connection) } } },
  },
  gemini: {
    title: "Gemini CLI",
    file: "~/.gemini/settings.json",
    projectFile: ".gemini/settings.json",
    toValues: (name, connection) => {
      if (!("url" in connection)) return { mcpServers: { [name]: toProgram(connection) } };
      const { url: httpUrl, headers } = toAddress(connection, (variable) => `$${variable}`);
      return { mcpServers: { [name]: { httpUrl, headers } } };
    },
  },
  codex: {
    title: "Codex",
    file: "~/.codex/config.toml",
    projectFile: ".codex/config.toml",
    format: "toml",
    toValues: (name, connection) => ({
      mcp_servers: {
        [name]:
          "url" in connection
            ? { url: connection.url, bearer_token_env_var: variableOf(connection) }
            : toProgram(connection),
      },
    }),
    toCommand: (name, connection) =>
      "url" in connection
        ? `codex mcp add ${name} --url ${connection.url} --bearer-token-env-var ${variableOf(connection)}`
        : `codex mcp add ${name} ${envFlags(connection, "--env")}-- ${commandLine(connection)}`,
  },
} satisfies Record<string, HostProgram>;

/** The hosts whose configuration Tenon knows. */
export type HostId = keyof typeof hosts;
export const hostIds = Object.keys(hosts) as readonly HostId[];

/**
 * What to add to the configuration of a host so that it uses Tenon.
 *
 * @example hostSnippet("cursor", { name: "tenon", connection: { command: "tenon", args: ["mcp"] } }).text
 */
export function hostSnippet(
  host: HostId,
  options: {
    /** The server's name in the host. */
    readonly name: string;
    readonly connection: HostConnection;
    /** @default that of this process */
    readonly platform?: NodeJS.Platform | undefined;
  },
): HostSnippet {
  const { name, connection, platform = process.platform } = options;
  const { title, file, projectFile, format = "json", toValues, toCommand }: HostProgram = hosts[host];
  const values = toValues(name, connection);
  const note = noteFor(host, connection);
  return {
    host,
    title,
    file: typeof file === "string" ? file : (file[platform] ?? file.linux ?? ""),
    ...(projectFile !== undefined && { projectFile }),
    format,
    values,
    text: format === "toml" ? toToml(values) : `${JSON.stringify(values, undefined, 2)}\n`,
    ...(toCommand !== undefined && { command: toCommand(name, connection) }),
    ...(note !== undefined && { note }),
  };
}

/** The snippets of all hosts for one address or program. */
export function hostSnippets(options: Parameters<typeof hostSnippet>[1]): readonly HostSnippet[] {
  return hostIds.map((host) => hostSnippet(host, options));
}

type Program = Extract<HostConnection, { command: string }>;
type Address = Extract<HostConnection, { url: string }>;

function variableOf({ tokenVariable = "TENON_TOKEN" }: Address): string {
  return tokenVariable;
}

function toProgram({ command, args, env }: Program): Readonly<Record<string, unknown>> {
  return { command, args, ...(env !== undefined && Object.keys(env).length > 0 && { env }) };
}

function toAddress(connection: Address, refer: (variable: string) => string) {
  return {
    url: connection.url,
    headers: { Authorization: `Bearer ${refer(variableOf(connection))}` },
  };
}

/** The header has no space, because some systems split arguments of programs at spaces. */
function toBridge(connection: Address): Readonly<Record<string, unknown>> {
  const isLocal = /^http:\/\/(?:127\.|localhost|\[::1\])/.test(connection.url);
  const isPlain = connection.url.startsWith("http:") && !isLocal;
  const flags = isPlain ? ["--allow-http"] : [];
  const header = ["--header", `Authorization:\${AUTHORIZATION}`];
  return {
    command: "npx",
    args: ["-y", "mcp-remote", connection.url, ...header, ...flags],
    env: { AUTHORIZATION: "Bearer YOUR_TOKEN" },
  };
}

function noteFor(host: HostId, connection: HostConnection): string | undefined {
  if (!("url" in connection)) return undefined;
  if (host === "claude-desktop")
    return "Replace YOUR_TOKEN with the token. The program mcp-remote connects to the address.";
  if (host === "vscode") return "VS Code asks for the token and keeps it.";
  return `Set the environment variable ${variableOf(connection)} to the token where the host starts.`;
}

function envFlags({ env = {} }: Program, flag: string): string {
  return Object.entries(env)
    .map(([name, value]) => `${flag} ${shellQuote(`${name}=${value}`)} `)
    .join("");
}

function commandLine({ command, args }: Program): string {
  return [command, ...args].map(shellQuote).join(" ");
}

/** Tables of texts, lists and tables of texts, which is all that a snippet has. */
function toToml(values: Readonly<Record<string, unknown>>, path: readonly string[] = []): string {
  const entries = Object.entries(values);
  const own = entries.filter(([, value]) => !isRecord(value));
  const lines = own.map(([key, value]) => `${tomlKey(key)} = ${tomlValue(value)}\n`);
  const head = lines.length > 0 && path.length > 0 ? `[${path.map(tomlKey).join(".")}]\n` : "";
  const tables = entries.flatMap(([key, value]) => (isRecord(value) ? [toToml(value, [...path, key])] : []));
  return [...(lines.length > 0 ? [head + lines.join("")] : []), ...tables].join("\n");
}

function tomlKey(key: string): string {
  return /^[\w-]+$/.test(key) ? key : JSON.stringify(key);
}

function tomlValue(value: unknown): string {
  return Array.isArray(value) ? `[${value.map(tomlValue).join(", ")}]` : JSON.stringify(value);
}
