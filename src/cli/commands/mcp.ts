import type { Readable, Writable } from "node:stream";
import { serveHost } from "../../mcp/server/serve-host.js";
import { StdioDispatch } from "../../mcp/server/stdio-dispatch.js";
import { StdioTransport } from "../../mcp/server/stdio-transport.js";
import { toFileProblem } from "../../contract/file-problem.js";
import { messageOf } from "../../contract/message-of.js";
import { createMcpHost } from "../../runtime/mcp-host/create-mcp-host.js";
import { type AddCommand, type CommonFlags, type Terminal, addCommand } from "../command-line.js";
import { loadFor, startTenon } from "../open-tenon.js";
import { saveCatalogue } from "../mcp-catalogue.js";
import { limitYoungGeneration, tuneV8 } from "../tune-v8.js";
import { version } from "../version.js";
import { watchConfig } from "../watch-config.js";
import { warn } from "../output.js";
import { addMcpInstall } from "./mcp-install.js";

/** `tenon mcp`: MCP on standard input and output. Nothing else may be written there. */
export const addMcp: AddCommand = (program, terminal) => {
  const mcp = addCommand(program, "mcp", "Serve the tools over MCP on standard input and output")
    .option("--include <globs...>", "only tools that match one of these")
    .option("--exclude <globs...>", "no tools that match one of these")
    .option("--listing <form>", "how tools are listed to the host: all, compact or search")
    .action((flags: McpFlags) => runMcp(terminal, flags));
  addMcpInstall(mcp, terminal);
};

interface McpFlags extends CommonFlags {
  readonly include?: readonly string[];
  readonly exclude?: readonly string[];
}

async function runMcp(terminal: Terminal, flags: McpFlags): Promise<void> {
  const dispatch = terminal.mcp?.dispatch ?? openDispatch(terminal);
  const loaded = await loadFor(terminal, flags);
  for (const warning of loaded.warnings) warn(terminal, warning);
  // The servers behind it hear what this host can be asked, which it says first.
  const tenon = startTenon(terminal, loaded, { startServers: false });
  const host = createMcpHost(tenon, { version });
  const stop = (): void => dispatch.transport.end(1000);
  terminal.interrupted.addEventListener("abort", stop, { once: true });
  if (terminal.interrupted.aborted) stop();
  // Rules that another process adds or revokes apply here within a second.
  const syncing = setInterval(
    () =>
      void tenon
        .syncRules()
        .catch((cause: unknown) =>
          warn(terminal, `cannot read the rules of other processes: ${messageOf(cause)}`),
        ),
    1000,
  );
  syncing.unref();
  const stopWatching = watchConfig({ terminal, flags, tenon, loaded });
  tuneV8();
  limitYoungGeneration();
  try {
    await serveHost(host, dispatch, {
      include: flags.include,
      exclude: flags.exclude,
      listedTools: () => terminal.mcp?.listedTools(),
      onReady: (tools) => {
        // A list without the tools of a server that is still starting must not answer the next start.
        const views = tenon.mcp.servers();
        const isWhole = views.every(({ state, tools: own }) => own.length > 0 || whole.has(state));
        if (isWhole) remember(terminal, flags, tools);
      },
    });
  } finally {
    clearInterval(syncing);
    stopWatching();
    terminal.interrupted.removeEventListener("abort", stop);
    await tenon.close({ graceMs: 1000 });
  }
}

/** States of a server in which its list of tools is known, even if it is empty. */
const whole: ReadonlySet<string> = new Set(["ready", "disabled"]);

/** Makes the next start like this one quick; if that fails, it is as slow as this one was. */
function remember(terminal: Terminal, flags: McpFlags, tools: readonly unknown[]): void {
  if (
    flags.listing !== undefined ||
    flags.include !== undefined ||
    flags.exclude !== undefined ||
    flags.config !== undefined
  )
    return;
  const { env, cwd } = terminal;
  try {
    saveCatalogue({ env, cwd, version, flags }, tools);
  } catch (error) {
    warn(terminal, `Cannot save the list of tools: ${toFileProblem(error)}.`);
  }
}

function openDispatch({ stdin, stdout }: Terminal): StdioDispatch {
  return new StdioDispatch(new StdioTransport({ input: stdin as Readable, output: stdout as Writable }));
}
