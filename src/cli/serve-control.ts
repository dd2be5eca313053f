import type { Command } from "commander";
import { homedir } from "node:os";
import { ToolResourceNotFoundError, ToolUnavailableError } from "../contract/errors.js";
import { openOptions } from "../runtime/options.js";
import type { BrowserSessionView, EntryLink, ServerRecord } from "../server/index.js";
import { ago } from "./ago.js";
import { UsageError, type CommonFlags, type Terminal, addCommand } from "./command-line.js";
import { loadFor } from "./open-tenon.js";
import { requestServer } from "./request-server.js";
import { colorsFor, table, writeJson, writeResult } from "./output.js";
import { toVisibleLine, toVisibleText } from "../text/visible-text.js";

export interface ControlFlags extends CommonFlags {
  readonly port?: string;
}

/** `tenon serve link` and `tenon serve sessions`: who can open the console of a running server. */
export function addServeControl(serve: Command, terminal: Terminal): void {
  addControlCommand(serve, "link", "Create a link that opens the console of the running server once").action(
    async (flags: ControlFlags) => {
      const { link, expiresAt } = await callServer<EntryLink>(terminal, flags, {
        method: "POST",
        path: "/api/links",
      });
      if (flags.json === true) return writeJson(terminal, { link, expiresAt });
      terminal.stdout.write(`${link}\n`);
      terminal.stderr.write("The link works once and expires after one minute.\n");
    },
  );
  const sessions = serve.command("sessions").description("Manage the browsers that are signed in");
  addControlCommand(sessions, "list", "List the browsers that are signed in").action((flags: ControlFlags) =>
    listSessions(terminal, flags),
  );
  addControlCommand(sessions, "end", "Sign out a browser")
    .argument("<id>", "session id, or `all`")
    .action((id: string, flags: ControlFlags) => endSessions(terminal, flags, id));
}

function addControlCommand(parent: Command, usage: string, description: string): Command {
  return addCommand(parent, usage, description).option(
    "--port <number>",
    "port of the server, if several are running",
  );
}

async function listSessions(terminal: Terminal, flags: ControlFlags): Promise<void> {
  const rows = await callServer<readonly BrowserSessionView[]>(terminal, flags, sessionList);
  const colors = colorsFor(terminal.stdout, terminal.env);
  const now = Date.now();
  const cells = rows.map(({ id, browser, address, since, lastSeen }) => [
    colors.bold(id),
    toVisibleLine(browser),
    toVisibleLine(address),
    ago(since, now),
    ago(lastSeen, now),
  ]);
  const head = ["ID", "BROWSER", "ADDRESS", "SINCE", "LAST SEEN"];
  writeResult({ terminal, flags }, rows, () =>
    rows.length === 0 ? noBrowsers : table([head, ...cells], { width: terminal.stdout.columns }),
  );
}

const noBrowsers = "No browsers are signed in.";
const sessionList = { method: "GET", path: "/api/sessions" } as const;

async function endSessions(terminal: Terminal, flags: ControlFlags, id: string): Promise<void> {
  const ids =
    id === "all"
      ? (await callServer<readonly BrowserSessionView[]>(terminal, flags, sessionList)).map((one) => one.id)
      : [id];
  for (const one of ids)
    await callServer(terminal, flags, { method: "DELETE", path: `/api/sessions/${encodeURIComponent(one)}` });
  const text = ids.length === 0 ? noBrowsers : `Ended ${ids.join(", ")}.`;
  writeResult({ terminal, flags }, { ended: ids }, () => text);
}

interface ServerRequest {
  readonly method: string;
  readonly path: string;
  /** @default 10000 */
  readonly timeoutMs?: number;
  /** What to say where the server does not know the path. */
  readonly missing?: { readonly message: string; readonly hint: string };
}

const sessionMissing = { message: "Session not found.", hint: "Run: tenon serve sessions list" };

/** Send a request to the running server of this workspace. */
export async function callServer<T>(
  terminal: Terminal,
  flags: ControlFlags,
  { method, path, timeoutMs = 10_000, missing = sessionMissing }: ServerRequest,
): Promise<T> {
  const { url, controlKey, fingerprint } = await findServer(terminal, flags);
  const { status, text } = await requestServer(`${url}${path}`, {
    method,
    fingerprint,
    headers: { authorization: `Bearer ${controlKey}` },
    signal: AbortSignal.any([terminal.interrupted, AbortSignal.timeout(timeoutMs)]),
  }).catch((cause: unknown) => {
    throw new ToolUnavailableError(`The server at ${url} does not answer.`, {
      code: "SERVICE_UNAVAILABLE",
      cause,
      hint: "Check the terminal where it is running.",
    });
  });
  if (status >= 200 && status < 300) return JSON.parse(text) as T;
  if (status === 404) throw new ToolResourceNotFoundError(missing.message, missing);
  throw new ToolUnavailableError(
    `The server at ${url} refused the request: ${status} ${toVisibleText(text.slice(0, 300))}`,
    {
      code: "SERVICE_UNAVAILABLE",
    },
  );
}

/** The ports of the servers that run for this workspace. */
export async function runningPorts(terminal: Terminal, flags: CommonFlags): Promise<readonly number[]> {
  return (await runningServers(terminal, flags)).all.map(({ port }) => port);
}

async function findServer(terminal: Terminal, flags: ControlFlags): Promise<ServerRecord> {
  const { all, workspace } = await runningServers(terminal, flags);
  const matching = flags.port === undefined ? all : all.filter(({ port }) => String(port) === flags.port);
  const [only, another] = matching;
  if (only === undefined) {
    const where = flags.port === undefined ? "" : ` on port ${flags.port}`;
    throw new ToolUnavailableError(`No server is running for ${workspace}${where}.`, {
      code: "SERVICE_UNAVAILABLE",
      hint: "Start one with: tenon serve. Use --workspace for another folder.",
    });
  }
  if (another === undefined) return only;
  const ports = matching.map(({ port }) => port).join(", ");
  throw new UsageError(`Several servers are running for ${workspace}. Choose one with --port: ${ports}.`);
}

async function runningServers(terminal: Terminal, flags: CommonFlags) {
  const loaded = await loadFor(terminal, flags);
  const { stateDir, workspace } = openOptions({ loaded, env: terminal.env, home: homedir() });
  const { openServerRecords } = await import("../server/index.js");
  return { all: openServerRecords(stateDir, workspace).list(), workspace };
}
