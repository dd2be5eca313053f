import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { resolve } from "node:path";
import type { Command } from "commander";
import { editServers, type ServerEdit } from "../../config/edit-servers.js";
import { userConfigDir } from "../../config/folders.js";
import { importServers } from "../../config/import-servers.js";
import { serversSchema, type McpServerConfig } from "../../config/server-schema.js";
import {
  exitCodes,
  UsageError,
  withCommonFlags,
  type AddCommand,
  type CommonFlags,
  type Terminal,
} from "../command-line.js";
import { showServer, showServers, warningsOf } from "../describe-servers.js";
import { withTenon, type OpenTenon } from "../open-tenon.js";
import { printable, writeJson } from "../output.js";

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
    .passThroughOptions(false)
    .action((name: string, words: string[], flags: AddFlags) => add(terminal, { name, words }, flags));
  sub("import <file>", "Add the servers of another host's JSON file").action(
    (file: string, flags: CommonFlags) => importFile(terminal, file, flags),
  );
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
    (name: string, flags: CommonFlags) => remove(terminal, name, flags),
  );
};

interface ListFlags extends CommonFlags {
  readonly offline?: boolean;
}

interface AddFlags extends CommonFlags {
  readonly url?: string;
  readonly env?: readonly string[];
  readonly header?: readonly string[];
  readonly cwd?: string;
  readonly transport?: string;
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

async function add(
  terminal: Terminal,
  { name, words }: { readonly name: string; readonly words: readonly string[] },
  flags: AddFlags,
): Promise<void> {
  const [command, ...args] = words;
  if ((command === undefined) === (flags.url === undefined)) {
    throw new UsageError("Name either a command (after --, if it has options) or --url, not both.");
  }
  const server =
    command === undefined
      ? { url: flags.url, headers: pairs(flags.header, "--header"), transport: flags.transport }
      : { command, args, env: pairs(flags.env, "--env"), cwd: flags.cwd && resolve(terminal.cwd, flags.cwd) };
  const given = Object.fromEntries(Object.entries(server).filter(([, value]) => value !== undefined));
  const checked = serversSchema().safeParse({ [name]: given });
  if (!checked.success) throw new UsageError(checked.error.issues.map(({ message }) => message).join("; "));
  const edit = await edited(terminal, checked.data);
  tell(terminal, flags, { edit, names: [name], done: `Added ${name}` });
}

async function importFile(terminal: Terminal, file: string, flags: CommonFlags): Promise<void> {
  let parsed: unknown;
  try {
    parsed = JSON.parse(await readFile(resolve(terminal.cwd, file), "utf8"));
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${(error as Error).message}`);
  }
  const { servers, left } = importServers(parsed);
  const names = Object.keys(servers);
  if (flags.json !== true) for (const line of left) terminal.stderr.write(`tenon: ${printable(line)}\n`);
  if (names.length === 0) throw new UsageError(`${file} holds no server that can be taken over.`);
  const edit = await edited(terminal, servers);
  tell(terminal, flags, { edit, names, left, done: `Added ${names.join(", ")}` });
}

async function test(terminal: Terminal, name: string, flags: CommonFlags): Promise<void> {
  await withTenon(terminal, flags, async (open) => {
    const { tenon } = open;
    await tenon.ready();
    try {
      await tenon.mcp.restart(name);
    } catch (error) {
      if ((error as { code?: unknown }).code !== "LOGIN_NEEDED" || flags.json === true) throw error;
      await login(open, name);
      await tenon.mcp.restart(name);
    }
    const view = tenon.mcp.servers().find((server) => server.name === name);
    if (view === undefined) return;
    if (flags.json === true) writeJson(terminal, view);
    else showServer(terminal, view);
  });
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
    if (flags.json !== true) {
      for (const { tool, diff } of chosen)
        terminal.stdout.write(`${printable(`${name}:${tool}\n${diff}`)}\n`);
      for (const line of warningsOf(chosen.map(({ diff }) => diff)))
        terminal.stderr.write(`tenon: ${line}\n`);
    }
    if (flags.yes !== true && chosen.length > 0 && !(await confirmed(terminal, chosen.length))) {
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

async function confirmed(terminal: Terminal, count: number): Promise<boolean> {
  if (terminal.stdin.isTTY !== true || terminal.stderr.isTTY !== true) return false;
  const { createTerminalBackend } = await import("../terminal-backend.js");
  const message = `Accept ${count === 1 ? "this definition" : `these ${count} definitions`}?`;
  const answer = await createTerminalBackend(terminal).ask(
    { kind: "confirm", message },
    terminal.interrupted,
  );
  return answer.approved === true;
}

async function remove(terminal: Terminal, name: string, flags: CommonFlags): Promise<void> {
  const edit = await edited(terminal, { [name]: undefined });
  if (edit.done && !edit.changed)
    throw new UsageError(`Your own configuration ${edit.file} names no server "${name}".`);
  await withTenon(terminal, flags, ({ tenon }) => tenon.mcp.forget(name));
  tell(terminal, flags, { edit, names: [name], done: `Removed ${name}` });
}

function edited(
  terminal: Terminal,
  changes: Readonly<Record<string, McpServerConfig | undefined>>,
): Promise<ServerEdit> {
  return editServers(userConfigDir(terminal.env, homedir()), changes);
}

interface Told {
  readonly edit: ServerEdit;
  readonly names: readonly string[];
  readonly left?: readonly string[];
  readonly done: string;
}

function tell(terminal: Terminal, flags: CommonFlags, { edit, names, left = [], done }: Told): void {
  const text = edit.done
    ? `${done} (${edit.file}). Try: tenon mcp-servers test ${names[0] ?? ""}`
    : `${edit.file} is a program; put this into it by hand:\n${edit.snippet}`;
  report(terminal, flags, { ...edit, names, left }, text);
}

function report(terminal: Terminal, flags: CommonFlags, data: unknown, text: string): void {
  if (flags.json === true) writeJson(terminal, data);
  else terminal.stdout.write(`${printable(text)}\n`);
}

function pairs(words: readonly string[] | undefined, flag: string): Record<string, string> | undefined {
  if (words === undefined) return undefined;
  return Object.fromEntries(
    words.map((word) => {
      const at = word.indexOf("=");
      if (at < 1) throw new UsageError(`${flag} takes key=value, not "${word}".`);
      return [word.slice(0, at), word.slice(at + 1)];
    }),
  );
}
