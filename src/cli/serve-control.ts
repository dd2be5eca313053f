import type { Command } from "commander";
import { homedir } from "node:os";
import { ToolUnavailableError } from "../contract/errors.js";
import { openOptions } from "../runtime/options.js";
import type { BrowserSessionView, EntryLink, ServerRecord } from "../server/index.js";
import { ago } from "./ago.js";
import { UsageError, withCommonFlags, type CommonFlags, type Terminal } from "./command-line.js";
import { loadFor } from "./open-tenon.js";
import { colorsFor, table, writeJson } from "./output.js";
import { toVisibleLine, toVisibleText } from "../text/visible-text.js";

interface ControlFlags extends CommonFlags {
  readonly port?: string;
}

/** `tenon serve link` and `tenon serve sessions`: who may open the console of a server that runs. */
export function addServeControl(serve: Command, terminal: Terminal): void {
  withControlFlags(
    serve.command("link").description("Make a link that opens the console of the running server once"),
  ).action(async (flags: ControlFlags) => {
    const { link, expiresAt } = await ask<EntryLink>(terminal, flags, { method: "POST", path: "/api/links" });
    if (flags.json === true) return writeJson(terminal, { link, expiresAt });
    terminal.stdout.write(`${link}\n`);
    terminal.stderr.write("It opens the console once, within a minute.\n");
  });
  const sessions = serve.command("sessions").description("See and end the browsers that are signed in");
  withControlFlags(sessions.command("list").description("List the browsers that are signed in")).action(
    (flags: ControlFlags) => listSessions(terminal, flags),
  );
  withControlFlags(sessions.command("end").description("Sign a browser out"))
    .argument("<id>", "id of the session, or `all`")
    .action((id: string, flags: ControlFlags) => endSessions(terminal, flags, id));
}

function withControlFlags(command: Command): Command {
  return withCommonFlags(command).option("--port <number>", "the server on this port, where several run");
}

async function listSessions(terminal: Terminal, flags: ControlFlags): Promise<void> {
  const rows = await ask<readonly BrowserSessionView[]>(terminal, flags, sessionList);
  if (flags.json === true) return writeJson(terminal, rows);
  if (rows.length === 0) return void terminal.stdout.write("No browser is signed in.\n");
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
  terminal.stdout.write(`${table([head, ...cells], terminal.stdout.columns)}\n`);
}

const sessionList = { method: "GET", path: "/api/sessions" } as const;

async function endSessions(terminal: Terminal, flags: ControlFlags, id: string): Promise<void> {
  const ids =
    id === "all"
      ? (await ask<readonly BrowserSessionView[]>(terminal, flags, sessionList)).map((one) => one.id)
      : [id];
  for (const one of ids)
    await ask(terminal, flags, { method: "DELETE", path: `/api/sessions/${encodeURIComponent(one)}` });
  if (flags.json === true) return writeJson(terminal, { ended: ids });
  terminal.stdout.write(ids.length === 0 ? "No browser is signed in.\n" : `Ended ${ids.join(", ")}.\n`);
}

/** Ask the running server of this workspace. */
async function ask<T>(
  terminal: Terminal,
  flags: ControlFlags,
  { method, path }: { readonly method: string; readonly path: string },
): Promise<T> {
  const { url, controlKey } = await findServer(terminal, flags);
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { authorization: `Bearer ${controlKey}` },
    signal: AbortSignal.timeout(10_000),
  }).catch((cause: unknown) => {
    throw new ToolUnavailableError(`The server at ${url} does not answer.`, {
      code: "SERVICE_UNAVAILABLE",
      cause,
      hint: "Look at the terminal that it runs in.",
    });
  });
  const text = await response.text();
  if (response.ok) return JSON.parse(text) as T;
  if (response.status === 404)
    throw new UsageError("There is no such session; see tenon serve sessions list.");
  throw new ToolUnavailableError(
    `The server at ${url} refused: ${response.status} ${toVisibleText(text.slice(0, 300))}`,
    {
      code: "SERVICE_UNAVAILABLE",
    },
  );
}

async function findServer(terminal: Terminal, flags: ControlFlags): Promise<ServerRecord> {
  const loaded = await loadFor(terminal, flags);
  const { stateDir, workspace } = openOptions({ loaded, env: terminal.env, home: homedir() });
  const { openServerRecords } = await import("../server/index.js");
  const all = openServerRecords(stateDir, workspace).list();
  const fitting = flags.port === undefined ? all : all.filter(({ port }) => String(port) === flags.port);
  const [only, another] = fitting;
  if (only === undefined) {
    const where = flags.port === undefined ? "" : ` on port ${flags.port}`;
    throw new ToolUnavailableError(`No tenon serve is running for ${workspace}${where}.`, {
      code: "SERVICE_UNAVAILABLE",
      hint: "Start one with: tenon serve. For another folder use --workspace.",
    });
  }
  if (another === undefined) return only;
  const ports = fitting.map(({ port }) => port).join(", ");
  throw new UsageError(`Several servers run for ${workspace}; choose one with --port: ${ports}.`);
}
