import { ToolResourceNotFoundError } from "../contract/errors.js";
import { setTimeout as sleep } from "node:timers/promises";
import { homedir } from "node:os";
import { createServerLogs } from "../runtime/gateway/server-logs.js";
import { openOptions } from "../runtime/options.js";
import { toVisibleLine } from "../text/visible-text.js";
import { UsageError, type CommonFlags, type Terminal } from "./command-line.js";
import { loadFor } from "./open-tenon.js";
import { writeResult } from "./output.js";

export interface LogsFlags extends CommonFlags {
  readonly lines: string;
  readonly follow?: boolean;
}

const followMs = 500;
/** More than the files hold. */
const all = 1_000_000;

/** Print what a server wrote to its standard error; nothing is started. */
export async function showLogs(terminal: Terminal, name: string, flags: LogsFlags): Promise<void> {
  if (!/^\d{1,6}$/.test(flags.lines))
    throw new UsageError(`Invalid --lines "${flags.lines}" (expected a number).`);
  const loaded = await loadFor(terminal, flags);
  const { stateDir, workspace } = openOptions({ loaded, env: terminal.env, home: homedir() });
  const logs = createServerLogs(stateDir, workspace, Date.now);
  const lines = logs.read(name, Number(flags.lines));
  if (lines.length === 0 && !Object.hasOwn(loaded.config.mcpServers, name))
    throw new ToolResourceNotFoundError(`MCP server "${name}" not found, and it has no stored log.`, {
      hint: "Run: tenon mcp-servers list",
    });
  const empty = `${name} has not written anything yet.`;
  writeResult({ terminal, flags }, { name, lines }, () =>
    lines.length === 0 ? empty : lines.map(toVisibleLine).join("\n"),
  );
  if (flags.follow !== true) return;
  let before = logs.read(name, all);
  while (!terminal.interrupted.aborted) {
    await sleep(followMs, undefined, { signal: terminal.interrupted }).catch(() => undefined);
    const now = logs.read(name, all);
    // The file may have been cut meanwhile; what comes after the last known line is new.
    const at = before.length === 0 ? -1 : now.lastIndexOf(before.at(-1) ?? "");
    for (const line of now.slice(at + 1)) terminal.stdout.write(`${toVisibleLine(line)}\n`);
    before = now;
  }
}
