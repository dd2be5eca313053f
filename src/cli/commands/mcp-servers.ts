import type { Command } from "commander";
import type { ServerView } from "../../mcp/gateway/gateway-types.js";
import { exitCodes, type AddCommand, type CommonFlags, type Terminal, addCommand } from "../command-line.js";
import { showServer, showServers, warningsOf } from "../describe-servers.js";
import {
  addServer,
  importServerFile,
  removeServer,
  type AddFlags,
  type ForceFlags,
} from "../edit-mcp-servers.js";
import { withTenon, type OpenTenon } from "../open-tenon.js";
import { writeJson, writeResult, warn } from "../output.js";
import { maxUnpagedText } from "../../text/approval-text.js";
import { toVisibleText } from "../../text/visible-text.js";

/** `tenon mcp-servers`: the MCP servers whose tools Tenon offers. */
export const addMcpServers: AddCommand = (program, terminal) => {
  const servers = program
    .command("mcp-servers")
    .description("Manage the MCP servers whose tools Tenon offers");
  const sub = (usage: string, description: string): Command => addCommand(servers, usage, description);
  sub("list", "List servers with their state, tools, faults, and held or refused tools")
    .option("--offline", "start no servers; show what is known from earlier runs")
    .action((flags: ListFlags) => list(terminal, flags));
  sub("add <name> [command...]", "Add a server to your configuration: a command with its arguments, or --url")
    .option("--url <address>", "URL of a running server")
    .option("--env <key=value...>", "environment variables for the command")
    .option("--header <key=value...>", "headers to send to the URL")
    .option("--cwd <dir>", "working folder of the command")
    .option("--transport <name>", "http or sse")
    .option("--force", "replace an existing server")
    .passThroughOptions(false)
    .action((name: string, words: string[], flags: AddFlags) => addServer(terminal, { name, words }, flags));
  sub("import <file>", "Import the servers from another MCP host's configuration file (JSON or TOML)")
    .option("--force", "replace existing servers")
    .action((file: string, flags: ForceFlags) => importServerFile(terminal, file, flags));
  sub("test <name>", "Start a server and show its tools; logs in if needed").action(
    (name: string, flags: CommonFlags) => test(terminal, name, flags),
  );
  sub("login <name>", "Log in to a server").action((name: string, flags: CommonFlags) =>
    withTenon(terminal, flags, (open) => login(open, name)),
  );
  sub("logout <name>", "Log out of a server").action((name: string, flags: CommonFlags) =>
    withTenon(terminal, flags, async (open) => {
      const loggedOut = await open.tenon.mcp.logout(name);
      const text = loggedOut ? `Logged out of ${name}.` : `Not logged in to ${name}.`;
      writeResult(open, { name, loggedOut }, () => text);
    }),
  );
  sub("accept <name> [tools...]", "Review and accept changed tool definitions")
    .option("-y, --yes", "do not ask for confirmation")
    .action((name: string, tools: string[], flags: AcceptFlags) => accept(terminal, { name, tools }, flags));
  sub("remove <name>", "Remove a server from your configuration").action((name: string, flags: CommonFlags) =>
    removeServer(terminal, name, flags),
  );
};

interface ListFlags extends CommonFlags {
  readonly offline?: boolean;
}

interface AcceptFlags extends CommonFlags {
  readonly yes?: boolean;
}

/** A server that hangs must not block the command. */
const maxWaitMs = 15_000;

async function list(terminal: Terminal, flags: ListFlags): Promise<void> {
  await withTenon(terminal, flags, async ({ tenon }) => {
    await tenon.ready();
    if (flags.offline !== true) await tenon.mcp.tryAll(maxWaitMs);
    const views = tenon.mcp.servers();
    if (flags.json === true) writeJson(terminal, views);
    else showServers(terminal, views);
  });
}

async function test(terminal: Terminal, name: string, flags: CommonFlags): Promise<void> {
  await withTenon(terminal, flags, async (open) => {
    const { tenon } = open;
    await tenon.ready();
    const view = await tenon.mcp.restart(name).catch(async (error: unknown) => {
      const { code } = error as { code?: unknown };
      if (code === "SERVER_UNAVAILABLE") return failedView(open, name);
      if (code !== "LOGIN_NEEDED" || flags.json === true) throw error;
      await login(open, name);
      return tenon.mcp.restart(name);
    });
    if (flags.json === true) writeJson(terminal, view);
    else showServer(terminal, view);
  });
}

/** The view of a failed server says more than the error alone: it has the last log lines too. */
function failedView({ tenon, terminal }: OpenTenon, name: string): ServerView {
  const view = tenon.mcp.servers().find((server) => server.name === name);
  if (view === undefined) throw new Error(`MCP server "${name}" not found.`);
  terminal.exitCode = exitCodes.failure;
  return view;
}

async function login(open: OpenTenon, name: string): Promise<void> {
  const { tenon, terminal } = open;
  const signal = AbortSignal.any([terminal.interrupted, AbortSignal.timeout(300_000)]);
  await tenon.mcp.login(name, {
    signal,
    onLogin: (url) => terminal.stderr.write(`Open this URL to log in to ${name}:\n${url.href}\n`),
  });
  writeResult(open, { name, loggedIn: true }, () => `Logged in to ${name}.`);
}

async function accept(
  terminal: Terminal,
  { name, tools }: { readonly name: string; readonly tools: readonly string[] },
  flags: AcceptFlags,
): Promise<void> {
  await withTenon(terminal, flags, async (open) => {
    const { tenon } = open;
    await tenon.ready();
    await tenon.mcp.listTools(name);
    const held = tenon.mcp.servers().find((server) => server.name === name)?.held ?? [];
    const chosen = held.filter(({ tool }) => tools.length === 0 || tools.includes(tool));
    const changes = chosen.map(({ tool, diff }) => `${name}:${tool}\n${diff}\n`).join("");
    if (flags.json !== true) {
      if (flags.yes === true || terminal.stdin.isTTY !== true || changes.length <= maxUnpagedText)
        terminal.stdout.write(toVisibleText(changes));
      for (const line of warningsOf(chosen)) warn(terminal, line);
    }
    if (flags.yes !== true && chosen.length > 0 && !(await isConfirmed(terminal, chosen.length, changes))) {
      terminal.exitCode = exitCodes.denied;
      const text = "Nothing accepted. Pass --yes to accept without confirmation.";
      writeResult(open, { accepted: [], held: chosen }, () => text);
      return;
    }
    const accepted = await tenon.mcp.accept(name, tools.length === 0 ? undefined : tools);
    const text = accepted.length === 0 ? "No definitions are held." : `Accepted ${accepted.join(", ")}.`;
    writeResult(open, { accepted }, () => toVisibleText(text));
  });
}

async function isConfirmed(terminal: Terminal, count: number, changes: string): Promise<boolean> {
  if (terminal.stdin.isTTY !== true || terminal.stderr.isTTY !== true) return false;
  const { createTerminalBackend } = await import("../terminal-backend.js");
  const message = `Accept ${count === 1 ? "this definition" : `these ${count} definitions`}?`;
  const answer = await createTerminalBackend(terminal).ask(
    // Changes that are too long to print are opened in a pager by the question itself.
    { kind: "confirm", message, ...(changes.length > maxUnpagedText && { content: changes }) },
    terminal.interrupted,
  );
  return answer.approved === true;
}
