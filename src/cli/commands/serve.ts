import { spawn } from "node:child_process";
import { homedir } from "node:os";
import { resolve } from "node:path";
import { localActor, tellAuditFaults } from "../audit-faults.js";
import { createTenon } from "../../runtime/create-tenon.js";
import { createIds } from "../../runtime/calls/ids.js";
import { openOptions } from "../../runtime/options.js";
import type { Tenon } from "../../runtime/tenon.js";
import type { RequestNote } from "../../server/front-door.js";
import type { RunningServer } from "../../server/start-server.js";
import {
  UsageError,
  withCommonFlags,
  type AddCommand,
  type CommonFlags,
  type Terminal,
} from "../command-line.js";
import { loadFor } from "../open-tenon.js";
import { colorsFor, writeJson } from "../output.js";
import { addServeControl } from "../serve-control.js";
import { toVisibleLine, toVisibleText } from "../../text/visible-text.js";

/** `tenon serve`: the console, its API and MCP over HTTP. */
export const addServe: AddCommand = (program, terminal) => {
  const command = program
    .command("serve")
    .description("Serve the web console, and MCP at /mcp, on this machine")
    .enablePositionalOptions();
  withCommonFlags(command)
    .option("--port <number>", "port to listen on; 0 takes any that is free", "7420")
    .option(
      "--host <address>",
      "listen on this address; anything but this machine itself is a risk",
      "127.0.0.1",
    )
    .option("--name <host...>", "further names that the server goes by, as behind a proxy")
    .option(
      "--token-file <file>",
      "keep the token for programs in this file outside the workspace; made where it is missing",
    )
    .option("--open", "open the console in a browser")
    .option("--no-open", "do not open a browser")
    .option("--quiet", "no line for each request")
    .addHelpText(
      "after",
      "\nA link opens the console once, within a minute; tenon serve link makes another.\nThe token for programs is new at each start; TENON_TOKEN or --token-file fix it.\nCtrl-C stops it once running calls have ended, a second Ctrl-C at once.",
    )
    .action((flags: ServeFlags) => serve(terminal, flags));
  addServeControl(command, terminal);
};

interface ServeFlags extends CommonFlags {
  readonly port: string;
  readonly host: string;
  readonly name?: readonly string[];
  readonly tokenFile?: string;
  readonly open?: boolean;
  readonly quiet?: boolean;
}

/** How long running calls may go on after the first Ctrl-C. */
const graceMs = 10_000;

async function serve(terminal: Terminal, flags: ServeFlags): Promise<void> {
  const port = toPort(flags.port);
  const loaded = await loadFor(terminal, flags);
  if (flags.json !== true)
    for (const warning of loaded.warnings) terminal.stderr.write(`tenon: ${toVisibleText(warning)}\n`);
  // Loaded here, so that no other command pays for it.
  const { startServer, isOpenToOthers, createConsolePerson } = await import("../../server/index.js");
  const { stateDir, workspace } = openOptions({ loaded, env: terminal.env, home: homedir() });
  const token = await tokenFor(terminal, flags, [workspace, ...loaded.config.files.allowedPaths]);
  const person = createConsolePerson({ now: Date.now, newId: createIds("question") });
  const tenon = createTenon({
    loaded,
    env: terminal.env,
    home: homedir(),
    interact: person,
    actor: localActor("console"),
    log: (record) => terminal.stderr.write(`${JSON.stringify(record)}\n`),
  });
  tellAuditFaults(tenon, terminal);
  try {
    const server = await startServer(tenon, {
      port,
      host: flags.host,
      names: flags.name,
      token,
      person,
      workspace,
      onRequest: flags.quiet === true || flags.json === true ? undefined : requestLog(terminal),
      onFault: (cause) =>
        terminal.stderr.write(`tenon: ${toVisibleText(String((cause as Error)?.stack ?? cause))}\n`),
    });
    const forget = await writeRecord(terminal, server, { stateDir, workspace });
    try {
      await greet(terminal, flags, { server, tenon, open: isOpenToOthers(flags.host) });
      await interrupted(terminal.interrupted);
      if (flags.json !== true)
        terminal.stderr.write("Stopping once running calls have ended; Ctrl-C again stops at once.\n");
    } finally {
      forget();
      await server.close({ graceMs });
    }
  } finally {
    await tenon.close({ graceMs });
  }
}

/** The token that programs use, where the person fixed one. */
async function tokenFor(
  { env, cwd }: Terminal,
  { tokenFile }: ServeFlags,
  folders: readonly string[],
): Promise<string | undefined> {
  const { readToken, refuseTokenFileIn } = await import("../../server/index.js");
  const file = tokenFile === undefined ? undefined : resolve(cwd, tokenFile);
  if (file !== undefined) await refuseTokenFileIn(folders, file);
  return readToken({ env, file });
}

/** Write the server down for `tenon serve link`; it runs without, too. */
async function writeRecord(
  terminal: Terminal,
  { url, port, controlKey }: RunningServer,
  { stateDir, workspace }: { readonly stateDir: string; readonly workspace: string },
): Promise<() => void> {
  const { openServerRecords } = await import("../../server/index.js");
  try {
    const record = { url, port, controlKey, pid: process.pid, startedAt: Date.now() };
    return openServerRecords(stateDir, workspace).add(record);
  } catch (cause) {
    const reason = toVisibleText(cause instanceof Error ? cause.message : String(cause));
    terminal.stderr.write(`tenon: tenon serve link will not find this server: ${reason}\n`);
    return () => {};
  }
}

function toPort(word: string): number {
  const port = Number(word);
  if (/^\d+$/.test(word) && port <= 65_535) return port;
  throw new UsageError(`--port takes a number from 0 to 65535, not "${word}".`);
}

interface Greeting {
  readonly server: RunningServer;
  readonly tenon: Tenon;
  /** Other machines can reach it. */
  readonly open: boolean;
}

async function greet(
  terminal: Terminal,
  flags: ServeFlags,
  { server, tenon, open }: Greeting,
): Promise<void> {
  const { url, port } = server;
  const { link } = server.createLink();
  const sandbox = (await tenon.sandboxFacts()).find(({ name }) => name === "sandbox");
  const unheld = sandbox?.status === "ok" ? undefined : (sandbox?.message ?? "not active");
  if (flags.json === true) {
    writeJson(terminal, {
      url,
      port,
      link,
      mcp: `${url}/mcp`,
      token: server.token,
      mcpToken: server.mcpToken,
      sandbox: unheld ?? "active",
    });
    return;
  }
  const colors = colorsFor(terminal.stdout, terminal.env);
  const lines = [
    `${colors.bold("Tenon")} serves ${url} (mode ${tenon.config.mode}, toolset ${tenon.config.toolset})`,
    `  Console  ${colors.cyan(link)}`,
    colors.dim("           opens once, within a minute; for another one: tenon serve link"),
    `  MCP      ${url}/mcp  with the header "Authorization: Bearer ${server.mcpToken}"`,
  ];
  terminal.stdout.write(`${lines.join("\n")}\n`);
  const warn = colorsFor(terminal.stderr, terminal.env);
  if (unheld !== undefined)
    terminal.stderr.write(`${warn.yellow("No sandbox")}: ${toVisibleLine(unheld)}. See tenon doctor.\n`);
  if (open) terminal.stderr.write(`${warn.red(warn.bold("OPEN TO OTHER MACHINES"))}: ${openWarning}\n`);
  // The printed link stays for another browser; nothing that could be used twice stands on a command line.
  if (wantsBrowser(terminal, flags)) openBrowser(server.createLink().link, terminal);
}

const openWarning =
  "whoever can reach this address and learns the token controls the agent's tools. " +
  "The connection is not encrypted: put a proxy with TLS before it, or leave --host out and use ssh -L.";

/** A browser that was asked for, or one that is surely there for a person at a terminal. */
function wantsBrowser({ stdout, env }: Terminal, { open }: ServeFlags): boolean {
  if (open !== undefined) return open;
  const remote = env["SSH_CONNECTION"] !== undefined || env["CI"] !== undefined;
  const hasScreen = process.platform !== "linux" || Boolean(env["DISPLAY"] ?? env["WAYLAND_DISPLAY"]);
  return stdout.isTTY === true && !remote && hasScreen;
}

function openBrowser(link: string, terminal: Terminal): void {
  const [program, ...args] =
    process.platform === "darwin"
      ? ["open", link]
      : process.platform === "win32"
        ? ["explorer", link]
        : ["xdg-open", link];
  // A browser and what it starts have no use for the token.
  const { TENON_TOKEN: _token, ...env } = terminal.env;
  const child = spawn(program, args, { stdio: "ignore", detached: true, env });
  child.on("error", () => terminal.stderr.write("No browser could be opened; open the link yourself.\n"));
  child.unref();
}

/** One short line a request, on standard error. */
function requestLog(terminal: Terminal): (note: RequestNote) => void {
  const colors = colorsFor(terminal.stderr, terminal.env);
  return ({ method, path, status, ms }) => {
    const paint = status >= 500 ? colors.red : status >= 400 ? colors.yellow : colors.green;
    const shown = toVisibleLine(path.length > 100 ? `${path.slice(0, 99)}…` : path);
    terminal.stderr.write(
      `${colors.dim(new Date().toISOString().slice(11, 19))} ${paint(String(status))} ${method} ${shown} ${colors.dim(`${ms.toFixed(0)} ms`)}\n`,
    );
  };
}

function interrupted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolved) => signal.addEventListener("abort", () => resolved(), { once: true }));
}
