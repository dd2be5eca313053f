import type { Command } from "commander";
import { canConfirm, isConfirmed } from "../confirm.js";
import type { ServerView } from "../../mcp/gateway/gateway-types.js";
import { exitCodes, type AddCommand, type CommonFlags, type Terminal, addCommand } from "../command-line.js";
import { showServers, warningsOf } from "../describe-servers.js";
import {
  addServer,
  importServerFile,
  removeServer,
  type AddFlags,
  type ForceFlags,
} from "../edit-mcp-servers.js";
import { addAccessFlags, type SandboxFlags } from "../sandbox-access.js";
import { sandboxServer } from "../sandbox-servers.js";
import { callServer, runningPorts, type ControlFlags } from "../serve-control.js";
import { showLogs, type LogsFlags } from "../server-logs.js";
import { logIn, testServer, waitText, type WaitFlags } from "../test-server.js";
import { withTenon } from "../open-tenon.js";
import { createSpinner, whileWorking } from "../spinner.js";
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
  const access = (usage: string, description: string): Command => addAccessFlags(sub(usage, description));
  access(
    "add <name> [command...]",
    "Add a server to your configuration: a command with its arguments, or --url; a command is tried in the sandbox",
  )
    .option("--url <address>", "URL of a running server")
    .option("--env <key=value...>", "environment variables for the command")
    .option("--header <key=value...>", "headers to send to the URL")
    .option("--cwd <dir>", "working folder of the command")
    .option("--transport <name>", "http or sse")
    .option("--force", "replace an existing server")
    .option("--wait [seconds]", waitText)
    .option("--no-sandbox", "run it outside the sandbox, with all your permissions; it is not tried")
    .passThroughOptions(false)
    .action(async (name: string, words: string[], flags: AddFlags & WaitFlags) => {
      await addServer(terminal, { name, words }, flags);
      if (flags.wait !== undefined) await testServer(terminal, name, flags);
    });
  access(
    "import <file>",
    "Import the servers from another MCP host's configuration file (JSON or TOML); each is tried in the sandbox",
  )
    .option("--force", "replace existing servers")
    .option("--no-sandbox", "run them outside the sandbox, with all your permissions; none is tried")
    .action((file: string, flags: ForceFlags) => importServerFile(terminal, file, flags));
  access(
    "sandbox <name>",
    "Move a server into the sandbox, or extend its access there: tries it and asks",
  ).action((name: string, flags: SandboxFlags) => sandboxServer(terminal, name, flags));
  sub("test <name>", "Start a server and show its tools; logs in if needed")
    .option("--wait [seconds]", waitText)
    .action((name: string, flags: WaitFlags) => testServer(terminal, name, flags));
  sub("logs <name>", "Show what a server wrote to its standard error, in all processes of this workspace")
    .option("-n, --lines <number>", "how many of the last lines", "100")
    .option("-f, --follow", "continue with new lines until interrupted")
    .action((name: string, flags: LogsFlags) => showLogs(terminal, name, flags));
  sub("restart <name>", "Restart a server of the running `tenon serve`")
    .option("--port <number>", "port of the server, if several are running")
    .action((name: string, flags: ControlFlags) => control(terminal, flags, { name, action: "restart" }));
  sub("stop <name>", "Stop a server of the running `tenon serve` until it is restarted")
    .option("--port <number>", "port of the server, if several are running")
    .action((name: string, flags: ControlFlags) => control(terminal, flags, { name, action: "stop" }));
  sub("login <name>", "Log in to a server").action((name: string, flags: CommonFlags) =>
    withTenon(terminal, flags, (open) => logIn(open, name)),
  );
  sub("logout <name>", "Log out of a server").action((name: string, flags: CommonFlags) =>
    withTenon(terminal, flags, async (open) => {
      const loggedOut = await open.tenon.mcp.logout(name);
      const text = loggedOut ? `Logged out of ${name}.` : `Not logged in to ${name}.`;
      writeResult(open, { name, loggedOut }, () => toVisibleText(text));
    }),
  );
  sub("accept <name> [tools...]", "Review and accept changed tool definitions")
    .option("-y, --yes", "do not ask for confirmation")
    .action((name: string, tools: string[], flags: AcceptFlags) => accept(terminal, { name, tools }, flags));
  sub("reject <name> [tools...]", "Reject changed tool definitions until they change again").action(
    (name: string, tools: string[], flags: CommonFlags) =>
      withTenon(terminal, flags, async (open) => {
        await open.tenon.ready();
        await open.tenon.mcp.listTools(name);
        const rejected = await open.tenon.mcp.reject(name, tools.length === 0 ? undefined : tools);
        const text = rejected.length === 0 ? "No definitions are held." : `Rejected ${rejected.join(", ")}.`;
        writeResult(open, { rejected }, () => toVisibleText(text));
      }),
  );
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
  const show = (views: readonly ServerView[]): void =>
    flags.json === true ? writeJson(terminal, views) : showServers(terminal, views);
  // A server that runs already is not started a second time, and its real state is shown.
  const [port, another] = flags.offline === true ? [] : await runningPorts(terminal, flags);
  if (port !== undefined && another === undefined)
    return show(await callServer(terminal, flags, { method: "GET", path: "/api/mcp-servers" }));
  await withTenon(terminal, flags, async ({ tenon }) => {
    await tenon.ready();
    if (flags.offline !== true)
      await whileWorking(
        createSpinner(terminal, flags),
        "Starting the servers,",
        tenon.mcp.tryAll(maxWaitMs),
      );
    show(tenon.mcp.servers());
  });
}

/** Ask the running `tenon serve` to start or stop one of its servers; starting may take as long as a download does. */
async function control(
  terminal: Terminal,
  flags: ControlFlags,
  { name, action }: { readonly name: string; readonly action: "restart" | "stop" },
): Promise<void> {
  const view = await callServer<ServerView>(terminal, flags, {
    method: "POST",
    path: `/api/mcp-servers/${encodeURIComponent(name)}/${action}`,
    timeoutMs: 600_000,
    missing: { message: `MCP server "${name}" not found.`, hint: "Run: tenon mcp-servers list" },
  });
  writeResult({ terminal, flags }, view, () => `${action === "stop" ? "Stopped" : "Restarted"} ${name}.`);
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
    if (flags.yes !== true && chosen.length > 0 && !(await isAgreed(terminal, chosen.length, changes))) {
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

async function isAgreed(terminal: Terminal, count: number, changes: string): Promise<boolean> {
  const message = `Accept ${count === 1 ? "this definition" : `these ${count} definitions`}?`;
  const content = changes.length > maxUnpagedText ? changes : undefined;
  return canConfirm(terminal, {}) && isConfirmed(terminal, message, content);
}
