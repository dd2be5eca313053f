import { ToolResourceNotFoundError } from "../contract/errors.js";
import { homedir } from "node:os";
import { setServerSandbox } from "../config/edit-servers.js";
import { userConfigDir } from "../config/folders.js";
import { interpolate } from "../config/interpolate.js";
import type { ResolvedConfig } from "../config/resolve-config.js";
import type { McpServerConfig } from "../config/server-schema.js";
import { isRecord } from "../contract/is-record.js";
import type { SandboxAccess } from "../contract/ports/upstream.js";
import { toVisibleText } from "../text/visible-text.js";
import { UsageError, type Terminal } from "./command-line.js";
import { withTenon, type OpenTenon } from "./open-tenon.js";
import { warn, writeResult } from "./output.js";
import {
  joinAccess,
  settleAccess,
  whyNoSandbox,
  type SandboxFlags,
  type SettledAccess,
} from "./sandbox-access.js";

/** Try an existing server in the sandbox, and write what it may use into its entry. */
export async function sandboxServer(terminal: Terminal, name: string, flags: SandboxFlags): Promise<void> {
  await withTenon(terminal, flags, async (open) => {
    const { mcpServers } = open.tenon.config;
    const server = Object.hasOwn(mcpServers, name) ? mcpServers[name] : undefined;
    if (server === undefined)
      throw new ToolResourceNotFoundError(`MCP server "${name}" not found.`, {
        hint: "Run: tenon mcp-servers list",
      });
    if (!("command" in server)) {
      throw new UsageError(`"${name}" is not started by Tenon, so it cannot run in its sandbox.`);
    }
    const why = await whyNoSandbox(open);
    if (why !== undefined) throw new UsageError(`No sandbox is available: ${why}`);
    const known = server.sandbox ?? {};
    const settled = await settleServer(open, { name, server, known }, flags);
    const edit = await setServerSandbox(userConfigDir(terminal.env, homedir()), name, settled.access);
    const text = edit.done
      ? `${name} runs in the sandbox from its next start (${edit.file}).`
      : `Add this to the entry of "${name}":\n${edit.snippet}`;
    writeResult({ terminal, flags }, { ...edit, name, ...settled }, () => toVisibleText(text));
  });
}

/** Try those that are programs in the sandbox; each entry gets what it may use there. */
export async function tryServers(
  terminal: Terminal,
  servers: Readonly<Record<string, McpServerConfig>>,
  flags: SandboxFlags,
): Promise<TriedServers> {
  const programs = Object.values(servers).some((server) => "command" in server);
  if (flags.sandbox === false || !programs) return { servers, settled: {} };
  const entries: Record<string, McpServerConfig> = { ...servers };
  const settled: Record<string, SettledAccess> = {};
  await withTenon(terminal, flags, async (open) => {
    const why = await whyNoSandbox(open);
    if (why !== undefined) {
      if (flags.json !== true)
        warn(terminal, `Servers run outside the sandbox, because there is none here: ${why}`);
      return;
    }
    for (const [name, server] of Object.entries(servers)) {
      if (!("command" in server)) continue;
      const found = await settleServer(open, { name, server, known: server.sandbox ?? {} }, flags);
      settled[name] = found;
      entries[name] = { ...server, sandbox: found.access as NonNullable<typeof server.sandbox> };
    }
  });
  return { servers: entries, settled };
}

export interface TriedServers {
  readonly servers: Readonly<Record<string, McpServerConfig>>;
  readonly settled: Readonly<Record<string, SettledAccess>>;
}

type Program = Extract<ResolvedConfig["mcpServers"][string], { readonly command: string }>;

function settleServer(
  open: OpenTenon,
  { name, server, known }: { readonly name: string; readonly server: Program; readonly known: SandboxAccess },
  flags: SandboxFlags,
): Promise<SettledAccess> {
  const { tenon, terminal } = open;
  const filled = fillIn(server, terminal.env) as Program;
  const timeoutMs =
    server.startTimeoutMs ?? (/(?:^|\/)(?:npx|uvx|bunx|pnpm|yarn)$/.test(server.command) ? 180_000 : 30_000);
  return settleAccess(
    { terminal, flags },
    {
      name,
      command: `tenon mcp-servers sandbox ${name}`,
      run: (access) => {
        const sandbox = joinAccess(known, access);
        return tenon.mcp.tryInSandbox(
          name,
          { ...filled, sandbox },
          { timeoutMs, signal: terminal.interrupted },
        );
      },
    },
  ).then((settled) => ({ ...settled, access: joinAccess(known, settled.access) }));
}

/** An entry of a file with its variables filled in, as it will be when the file is read. */
function fillIn(value: unknown, env: Terminal["env"]): unknown {
  if (Array.isArray(value)) return value.map((item) => fillIn(item, env));
  if (isRecord(value))
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fillIn(item, env)]));
  const filled = typeof value === "string" ? interpolate(value, env) : undefined;
  return filled?.ok === true ? filled.text : value;
}
