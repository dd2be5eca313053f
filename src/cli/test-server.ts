import { setTimeout as sleep } from "node:timers/promises";
import type { ServerView } from "../mcp/gateway/gateway-types.js";
import { toVisibleLine } from "../text/visible-text.js";
import { exitCodes, UsageError, type CommonFlags, type Terminal } from "./command-line.js";
import { showServer } from "./describe-servers.js";
import { withTenon, type OpenTenon } from "./open-tenon.js";
import { writeJson, writeResult } from "./output.js";
import { createSpinner } from "./spinner.js";

export interface WaitFlags extends CommonFlags {
  readonly wait?: string | true;
}

export const waitText =
  "keep trying until it is ready, and show progress; for at most 600 seconds by default";

/** Start a server, show its tools, and log in if it needs that. */
export async function testServer(terminal: Terminal, name: string, flags: WaitFlags): Promise<void> {
  const waitMs = toWaitMs(flags.wait);
  await withTenon(terminal, flags, async (open) => {
    await open.tenon.ready();
    const stop = flags.json === true ? () => {} : showProgress(open, name);
    const view = await start(open, name, waitMs).finally(stop);
    if (view.state !== "ready") terminal.exitCode = exitCodes.failure;
    if (flags.json === true) writeJson(terminal, view);
    else showServer(terminal, view);
  });
}

/** Print the URL of a login and wait for it. */
export async function logIn(open: OpenTenon, name: string): Promise<void> {
  const { tenon, terminal } = open;
  const signal = AbortSignal.any([terminal.interrupted, AbortSignal.timeout(300_000)]);
  await tenon.mcp.login(name, {
    signal,
    onLogin: (url) => terminal.stderr.write(`Open this URL to log in to ${name}:\n${url.href}\n`),
  });
  writeResult(open, { name, loggedIn: true }, () => `Logged in to ${name}.`);
}

/** Start it; with a time to wait, one start may take all of it, and a start that fails is repeated. */
async function start(open: OpenTenon, name: string, waitMs: number | undefined): Promise<ServerView> {
  const { tenon, terminal, flags } = open;
  const until = Date.now() + (waitMs ?? 0);
  for (;;) {
    const left = until - Date.now();
    try {
      return await tenon.mcp.restart(
        name,
        waitMs === undefined ? {} : { startTimeoutMs: Math.max(left, 1000) },
      );
    } catch (error) {
      const { code } = error as { code?: unknown };
      if (code === "LOGIN_NEEDED" && flags.json !== true) {
        await logIn(open, name);
        continue;
      }
      if (code !== "SERVER_UNAVAILABLE") throw error;
      if (terminal.interrupted.aborted || until - Date.now() < retryMs) return viewOf(open, name);
      await sleep(retryMs, undefined, { signal: terminal.interrupted });
    }
  }
}

const retryMs = 1000;

/** The view of a failed server says more than the error alone: it has the last log lines too. */
function viewOf({ tenon }: OpenTenon, name: string): ServerView {
  const view = tenon.mcp.servers().find((server) => server.name === name);
  if (view === undefined) throw new UsageError(`MCP server "${name}" not found.`);
  return view;
}

/** Say on standard error that it is still being waited for, and what the server writes meanwhile. */
function showProgress(open: OpenTenon, name: string): () => void {
  const { terminal, flags } = open;
  const began = Date.now();
  const spinner = createSpinner(terminal, flags);
  const waiting = `Waiting for ${toVisibleLine(name)},`;
  let shown = 0;
  const show = (): void => {
    const { log } = viewOf(open, name);
    const news = log.slice(shown).map((line) => `  > ${toVisibleLine(line)}\n`);
    shown = log.length;
    if (terminal.stderr.isTTY !== true)
      terminal.stderr.write(`${news.join("")}${waiting} ${Math.round((Date.now() - began) / 1000)} s\n`);
    else if (news.length > 0) {
      spinner.stop();
      terminal.stderr.write(news.join(""));
      spinner.start(waiting);
    }
  };
  spinner.start(waiting);
  const timer = setInterval(show, terminal.stderr.isTTY === true ? 500 : 5000);
  return () => {
    clearInterval(timer);
    spinner.stop();
  };
}

function toWaitMs(wait: WaitFlags["wait"]): number | undefined {
  if (wait === undefined) return undefined;
  if (wait === true) return 600_000;
  if (/^\d{1,6}$/.test(wait) && Number(wait) > 0) return Number(wait) * 1000;
  throw new UsageError(`Invalid --wait "${wait}" (expected a number of seconds).`);
}
