import type { Command } from "commander";
import type { ServerView } from "../../mcp/gateway/gateway-types.js";
import {
  exitCodes,
  withCommonFlags,
  type AddCommand,
  type CommonFlags,
  type Terminal,
} from "../command-line.js";
import { showServer, showServers, warningsOf } from "../describe-servers.js";
import {
  addServer,
  importServerFile,
  removeServer,
  type AddFlags,
  type ForceFlags,
} from "../edit-mcp-servers.js";
import { withTenon, type OpenTenon } from "../open-tenon.js";
import { writeJson } from "../output.js";
import { maxUnpagedText } from "../../text/approval-text.js";
import { toVisibleText } from "../../text/visible-text.js";

/** `tenon mcp-servers`: the MCP servers behind Tenon. */
export const addMcpServers: AddCommand = (program, terminal) => {
  const servers = program.command("mcp-servers").description("The MCP servers whose tools Tenon offers");
  const sub = (usage: string, description: string): Command =>
    withCommonFlags(servers.command(usage).description(description));
  sub("list", "Show every server: its state, tools, faults, and what is held or refused")
    .option("--offline", "start nothing; show what is known from before")
    .action((flags: ListFlags) => list(terminal, flags));
  sub(
    "add <name> [command...]",
    "Add a server to your own configuration: a program with its arguments, or --url",
  )
    .option("--url <address>", "address of a server that runs already")
    .option("--env <key=value...>", "variables for the program")
    .option("--header <key=value...>", "headers for the address")
    .option("--cwd <dir>", "folder to start the program in")
    .option("--transport <name>", "http or sse")
    .option("--force", "replace a server of that name")
    .passThroughOptions(false)
    .action((name: string, words: string[], flags: AddFlags) => addServer(terminal, { name, words }, flags));
  sub("import <file>", "Add the servers of another host's JSON file")
    .option("--force", "replace servers of the same names")
    .action((file: string, flags: ForceFlags) => importServerFile(terminal, file, flags));
  sub("test <name>", "Start one server and show what it offers; logs in where it wants that").action(
    (name: string, flags: CommonFlags) => test(terminal, name, flags),
  );
  sub("login <name>", "Log in to a server").action((name: string, flags: CommonFlags) =>
    withTenon(terminal, flags, (open) => login(open, name)),
  );
  sub("logout <name>", "Forget a login").action((name: string, flags: CommonFlags) =>
    withTenon(terminal, flags, async ({ tenon }) => {
      const done = await tenon.mcp.logout(name);
      report(
        terminal,
        flags,
        { name, loggedOut: done },
        done ? `Logged out of ${name}.` : `There was no login at ${name}.`,
      );
    }),
  );
  sub("accept <name> [tools...]", "Look at changed definitions and accept them")
    .option("-y, --yes", "accept without asking")
    .action((name: string, tools: string[], flags: AcceptFlags) => accept(terminal, { name, tools }, flags));
  sub("remove <name>", "Take a server out of your own configuration").action(
    (name: string, flags: CommonFlags) => removeServer(terminal, name, flags),
  );
};

interface ListFlags extends CommonFlags {
  readonly offline?: boolean;
}

interface AcceptFlags extends CommonFlags {
  readonly yes?: boolean;
}

/** A server that hangs must not keep the person waiting. */
const patienceMs = 15_000;

async function list(terminal: Terminal, flags: ListFlags): Promise<void> {
  await withTenon(terminal, flags, async ({ tenon }) => {
    await tenon.ready();
    if (flags.offline !== true) await tenon.mcp.tryAll(patienceMs);
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

/** What is known of a server that does not work says more than the error alone: its last words too. */
function failedView({ tenon, terminal }: OpenTenon, name: string): ServerView {
  const view = tenon.mcp.servers().find((server) => server.name === name);
  if (view === undefined) throw new Error(`The MCP server "${name}" is gone.`);
  terminal.exitCode = exitCodes.failure;
  return view;
}

async function login({ tenon, terminal, flags }: OpenTenon, name: string): Promise<void> {
  const signal = AbortSignal.any([terminal.interrupted, AbortSignal.timeout(300_000)]);
  await tenon.mcp.login(name, {
    signal,
    onLogin: (url) => terminal.stderr.write(`Open this address to log in to ${name}:\n${url.href}\n`),
  });
  report(terminal, flags, { name, loggedIn: true }, `Logged in to ${name}.`);
}

async function accept(
  terminal: Terminal,
  { name, tools }: { readonly name: string; readonly tools: readonly string[] },
  flags: AcceptFlags,
): Promise<void> {
  await withTenon(terminal, flags, async ({ tenon }) => {
    await tenon.ready();
    await tenon.mcp.listTools(name);
    const held = tenon.mcp.servers().find((server) => server.name === name)?.held ?? [];
    const chosen = held.filter(({ tool }) => tools.length === 0 || tools.includes(tool));
    const changes = chosen.map(({ tool, diff }) => `${name}:${tool}\n${diff}\n`).join("");
    if (flags.json !== true) {
      if (flags.yes === true || terminal.stdin.isTTY !== true || changes.length <= maxUnpagedText)
        terminal.stdout.write(toVisibleText(changes));
      for (const line of warningsOf(chosen)) terminal.stderr.write(`tenon: ${toVisibleText(line)}\n`);
    }
    if (flags.yes !== true && chosen.length > 0 && !(await confirmed(terminal, chosen.length, changes))) {
      terminal.exitCode = exitCodes.denied;
      report(
        terminal,
        flags,
        { accepted: [], held: chosen },
        "Nothing was accepted; with --yes nobody is asked.",
      );
      return;
    }
    const accepted = await tenon.mcp.accept(name, tools.length === 0 ? undefined : tools);
    const text = accepted.length === 0 ? "Nothing is held." : `Accepted ${accepted.join(", ")}.`;
    report(terminal, flags, { accepted }, text);
  });
}

async function confirmed(terminal: Terminal, count: number, changes: string): Promise<boolean> {
  if (terminal.stdin.isTTY !== true || terminal.stderr.isTTY !== true) return false;
  const { createTerminalBackend } = await import("../terminal-backend.js");
  const message = `Accept ${count === 1 ? "this definition" : `these ${count} definitions`}?`;
  const answer = await createTerminalBackend(terminal).ask(
    // What was too long to be printed above is opened in a pager by the question itself.
    { kind: "confirm", message, ...(changes.length > maxUnpagedText && { content: changes }) },
    terminal.interrupted,
  );
  return answer.approved === true;
}

function report(terminal: Terminal, flags: CommonFlags, data: unknown, text: string): void {
  if (flags.json === true) writeJson(terminal, data);
  else terminal.stdout.write(`${toVisibleText(text)}\n`);
}
