import { userConfigDir } from "../../config/folders.js";
import { spawn } from "node:child_process";
import { homedir } from "node:os";
import { resolve } from "node:path";
import { localActor } from "../audit-faults.js";
import { createIds } from "../../runtime/calls/ids.js";
import { openOptions } from "../../runtime/options.js";
import type { LoadedConfig } from "../../config/load-config.js";
import type { Tenon } from "../../runtime/tenon.js";
import type { RequestNote } from "../../server/request-handler.js";
import type { RunningServer } from "../../server/start-server.js";
import { UsageError, type AddCommand, type CommonFlags, type Terminal } from "../command-line.js";
import { withSharedOptions } from "../shared-options.js";
import { tuneV8 } from "../tune-v8.js";
import { examine } from "../examine.js";
import { defaultPorts, onFirstFree } from "../first-free-port.js";
import { loadFor, startTenon } from "../open-tenon.js";
import { colorsFor, writeJson, warn } from "../output.js";
import { addServeControl } from "../serve-control.js";
import { readCertificate } from "../read-certificate.js";
import { watchConfig } from "../watch-config.js";
import { toVisibleLine } from "../../text/visible-text.js";
import { ToolError } from "../../contract/errors.js";
import { messageOf } from "../../contract/message-of.js";
import { tenantOwnership } from "../../store/ownership.js";

/** `tenon serve`: the console, its API and MCP over HTTP. */
export const addServe: AddCommand = (program, terminal) => {
  const command = program
    .command("serve")
    .description("Start the web console and MCP over HTTP (/mcp)")
    .enablePositionalOptions();
  withSharedOptions(command)
    .option("--port <number>", "port to listen on; 0 picks a free one (default: 7420, or the next free one)")
    .option("--host <address>", "address to listen on; exposing it to other machines is a risk", "127.0.0.1")
    .option("--name <host...>", "additional host names of the server, for example behind a proxy")
    .option(
      "--token-file <file>",
      "file outside the workspace with the token for programs; created if missing",
    )
    .option("--tls-cert <file>", "certificate (PEM, with its chain) to encrypt with")
    .option("--tls-key <file>", "private key of the certificate (PEM), outside the workspace")
    .option(
      "--trusted-proxy <network...>",
      "addresses or networks (CIDR) of proxies that say where requests come from",
    )
    .option("--listing <form>", "how tools are listed to MCP hosts: all, compact or search")
    .option("--fleet <address>", "serve a fleet of workers, through NATS at this address (nats://host:4222)")
    .option("--tenant <name>", "tenant of the fleet to accept calls for")
    .option("--open", "open the console in a browser")
    .option("--no-open", "do not open a browser")
    .option("--quiet", "do not log requests")
    .addHelpText(
      "after",
      "\nThe console link works once and expires after one minute; create another with: tenon serve link\nThe token for programs changes at each start; set TENON_TOKEN or use --token-file to keep it.\nCtrl-C stops the server after running calls have finished; press it again to stop immediately.",
    )
    .action((flags: ServeFlags) => serve(terminal, flags));
  addServeControl(command, terminal);
};

interface ServeFlags extends CommonFlags {
  readonly port?: string;
  readonly host: string;
  readonly name?: readonly string[];
  readonly tokenFile?: string;
  readonly tlsCert?: string;
  readonly tlsKey?: string;
  readonly trustedProxy?: readonly string[];
  readonly open?: boolean;
  readonly quiet?: boolean;
}

/** How long running calls may continue after the first Ctrl-C. */
const graceMs = 10_000;

async function serve(terminal: Terminal, flags: ServeFlags): Promise<void> {
  const ports = flags.port === undefined ? defaultPorts : [toPort(flags.port)];
  const loaded = await loadFor(terminal, flags);
  if (flags.json !== true) for (const warning of loaded.warnings) warn(terminal, warning);
  // Loaded here to keep other commands fast.
  const { startServer, isOpenToOthers, createConsolePerson, refuseSecretFileIn } =
    await import("../../server/index.js");
  const { stateDir, workspace } = openOptions({ loaded, env: terminal.env, home: homedir() });
  const folders = [workspace, ...loaded.config.files.allowedPaths];
  const token = await tokenFor(terminal, flags, folders);
  const tls = readCertificate(terminal, flags);
  if (flags.tlsKey !== undefined) await refuseSecretFileIn(folders, resolve(terminal.cwd, flags.tlsKey));
  const person = createConsolePerson({ now: Date.now, newId: createIds("question") });
  // Where a fault of Tenon itself happened is of use; a full disk is not a fault of Tenon.
  const onFault = (cause: unknown): void =>
    warn(terminal, cause instanceof ToolError ? cause.message : String((cause as Error)?.stack ?? cause));
  const fleet = await fleetFor(loaded.config, { stateDir, workspace, onFault });
  const tenon = startTenon(terminal, loaded, {
    interact: person,
    actor: localActor("console"),
    ...(fleet !== undefined && { ownership: fleet.ownership, startServers: false }),
  });
  try {
    const server = await onFirstFree(ports, (port) =>
      startServer(tenon, {
        ...(fleet !== undefined && {
          mcp: fleet.front.mcp,
          forward: fleet.front.forward,
          metrics: fleet.front.metrics,
          onServed: fleet.front.serve,
        }),
        port,
        host: flags.host,
        names: flags.name,
        token,
        tls,
        trustedProxies: flags.trustedProxy,
        person,
        workspace,
        machine: {
          configFolder: userConfigDir(terminal.env, homedir()),
          doctor: () => examine({ tenon, terminal, loaded }),
          configuration: () => ({ sources: loaded.sources, warnings: loaded.warnings }),
        },
        onRequest: flags.quiet === true || flags.json === true ? undefined : requestLog(terminal),
        onFault,
      }),
    );
    fleet?.front.open(tenon.config.auth.publicUrl ?? server.url);
    const forget = await writeRecord(terminal, server, {
      stateDir,
      workspace,
      fingerprint: tls?.fingerprint,
    });
    const stopWatching = watchConfig({ terminal, flags, tenon, loaded });
    tuneV8();
    startEagerly(terminal, tenon);
    try {
      await greet(terminal, flags, { server, tenon, open: isOpenToOthers(flags.host) });
      await interrupted(terminal.interrupted);
      if (flags.json !== true)
        terminal.stderr.write(
          "Stopping after running calls have finished. Press Ctrl-C again to stop immediately.\n",
        );
    } finally {
      stopWatching();
      forget();
      await server.close({ graceMs });
    }
  } finally {
    await tenon.close({ graceMs });
    await fleet?.front.close();
  }
}

/** What makes a server a front, where a fleet is configured; the NATS client is loaded only then. */
async function fleetFor(
  config: LoadedConfig["config"],
  place: {
    readonly stateDir: string;
    readonly workspace: string;
    readonly onFault: (cause: unknown) => void;
  },
) {
  if (config.fleet.nats === undefined) return undefined;
  const { openFront } = await import("../../fleet/index.js");
  const front = await openFront({ config, ...place });
  return { front, ownership: tenantOwnership(config.fleet.tenant) };
}

/** Start what must be there before the first request: MCP servers with `lazy: false`. */
function startEagerly(terminal: Terminal, tenon: Tenon): void {
  const isEager = Object.values(tenon.config.mcpServers).some(({ lazy }) => lazy === false);
  if (isEager) tenon.ready().catch((error: unknown) => warn(terminal, messageOf(error)));
}

/** The token for programs, if it is set in the environment or a file. */
async function tokenFor(
  { env, cwd }: Terminal,
  { tokenFile }: ServeFlags,
  folders: readonly string[],
): Promise<string | undefined> {
  const { readToken, refuseSecretFileIn } = await import("../../server/index.js");
  const file = tokenFile === undefined ? undefined : resolve(cwd, tokenFile);
  if (file !== undefined) await refuseSecretFileIn(folders, file);
  return readToken({ env, file });
}

/** Record the server for `tenon serve link`; it also runs without that. */
async function writeRecord(
  terminal: Terminal,
  { url, port, controlKey }: RunningServer,
  at: { readonly stateDir: string; readonly workspace: string; readonly fingerprint: string | undefined },
): Promise<() => void> {
  const { openServerRecords } = await import("../../server/index.js");
  try {
    const { fingerprint } = at;
    const record = { url, port, controlKey, fingerprint, pid: process.pid, startedAt: Date.now() };
    return openServerRecords(at.stateDir, at.workspace).add(record);
  } catch (cause) {
    warn(terminal, `"tenon serve link" will not find this server: ${messageOf(cause)}`);
    return () => {};
  }
}

function toPort(word: string): number {
  const port = Number(word);
  if (/^\d+$/.test(word) && port <= 65_535) return port;
  throw new UsageError(`Invalid --port "${word}" (expected a number from 0 to 65535).`);
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
  const sandboxFault = sandbox?.status === "ok" ? undefined : (sandbox?.message ?? "not active");
  if (flags.json === true) {
    writeJson(terminal, {
      url,
      port,
      link,
      mcp: `${url}/mcp`,
      token: server.token,
      mcpToken: server.mcpToken,
      sandbox: sandboxFault ?? "active",
    });
    return;
  }
  const colors = colorsFor(terminal.stdout, terminal.env);
  const lines = [
    `${colors.bold("Tenon")} is running at ${url} (mode ${tenon.config.mode}, toolset ${tenon.config.toolset})`,
    `  Console  ${colors.cyan(link)}`,
    colors.dim("           works once, for one minute; create another with: tenon serve link"),
    `  MCP      ${url}/mcp  header "Authorization: Bearer ${server.mcpToken}"`,
  ];
  terminal.stdout.write(`${lines.join("\n")}\n`);
  const errorColors = colorsFor(terminal.stderr, terminal.env);
  if (sandboxFault !== undefined)
    terminal.stderr.write(
      `${errorColors.yellow("No sandbox")}: ${toVisibleLine(sandboxFault)}. Run: tenon doctor\n`,
    );
  if (open)
    terminal.stderr.write(
      `${errorColors.red(errorColors.bold("OPEN TO OTHER MACHINES"))}: ${openWarning}${flags.tlsCert === undefined ? notEncrypted : ""}\n`,
    );
  // The printed link stays usable for another browser; no reusable secret appears on a command line.
  if (wantsBrowser(terminal, flags)) openBrowser(server.createLink().link, terminal);
}

const openWarning = "anyone who can reach this address and knows the token controls the agent's tools.";
const notEncrypted =
  " The connection is not encrypted: pass --tls-cert and --tls-key, use a TLS proxy, or omit --host and use ssh -L.";

/** Whether to open a browser: if requested, or if a person at this terminal surely has one. */
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
  // The browser and its child processes do not need the token.
  const { TENON_TOKEN: _token, ...env } = terminal.env;
  const child = spawn(program, args, { stdio: "ignore", detached: true, env });
  child.on("error", () => terminal.stderr.write("Cannot open a browser. Open the link yourself.\n"));
  child.unref();
}

/** Logs each request in one line on standard error. */
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
