import { homedir } from "node:os";
import type { Readable, Writable } from "node:stream";
import { serveStdio } from "../../mcp/server/serve-stdio.js";
import { StdioDispatch } from "../../mcp/server/stdio-dispatch.js";
import { StdioTransport } from "../../mcp/server/stdio-transport.js";
import { messageOf } from "../../contract/message-of.js";
import { tellAuditFaults } from "../audit-faults.js";
import { createTenon } from "../../runtime/create-tenon.js";
import { createMcpHost } from "../../runtime/mcp-host/create-mcp-host.js";
import { withCommonFlags, type AddCommand, type CommonFlags, type Terminal } from "../command-line.js";
import { loadFor } from "../open-tenon.js";
import { keepCatalogue } from "../mcp-catalogue.js";
import { version } from "../version.js";
import { toVisibleText } from "../../text/visible-text.js";

/** `tenon mcp`: MCP on standard input and output. Nothing else may be written there. */
export const addMcp: AddCommand = (program, terminal) => {
  withCommonFlags(
    program.command("mcp").description("Serve all tools to an MCP host, on standard input and output"),
  )
    .option("--include <globs...>", "only tools that one of these fits")
    .option("--exclude <globs...>", "no tools that one of these fits")
    .action((flags: McpFlags) => runMcp(terminal, flags));
};

interface McpFlags extends CommonFlags {
  readonly include?: readonly string[];
  readonly exclude?: readonly string[];
}

async function runMcp(terminal: Terminal, flags: McpFlags): Promise<void> {
  const dispatch = terminal.mcp?.dispatch ?? openDispatch(terminal);
  const loaded = await loadFor(terminal, flags);
  for (const warning of loaded.warnings) terminal.stderr.write(`tenon: ${toVisibleText(warning)}\n`);
  const tenon = createTenon({
    loaded,
    env: terminal.env,
    home: homedir(),
    log: (record) => terminal.stderr.write(`${JSON.stringify(record)}\n`),
  });
  tellAuditFaults(tenon, terminal);
  const host = createMcpHost(tenon, { version });
  const stop = (): void => dispatch.transport.end(1000);
  terminal.interrupted.addEventListener("abort", stop, { once: true });
  if (terminal.interrupted.aborted) stop();
  // Rules that another process remembers or revokes count here within a second.
  const syncing = setInterval(
    () => void tenon.syncRules().catch((cause: unknown) => warn(terminal, cause)),
    1000,
  );
  syncing.unref();
  try {
    await serveStdio(host, dispatch, {
      include: flags.include,
      exclude: flags.exclude,
      listedTools: () => terminal.mcp?.listedTools(),
      onReady: (tools) => remember(terminal, flags, tools),
    });
  } finally {
    clearInterval(syncing);
    terminal.interrupted.removeEventListener("abort", stop);
    await tenon.close({ graceMs: 1000 });
  }
}

function warn(terminal: Terminal, cause: unknown): void {
  terminal.stderr.write(`tenon: the rules of other processes could not be read: ${messageOf(cause)}\n`);
}

/** The next start of this kind is quick. Where it cannot be kept, that one is as slow as this one was. */
function remember(terminal: Terminal, flags: McpFlags, tools: readonly unknown[]): void {
  if (flags.include !== undefined || flags.exclude !== undefined || flags.config !== undefined) return;
  const { env, cwd } = terminal;
  try {
    keepCatalogue({ env, cwd, version, flags }, tools);
  } catch (error) {
    terminal.stderr.write(`tenon: the list of tools could not be kept: ${toVisibleText(String(error))}\n`);
  }
}

function openDispatch({ stdin, stdout }: Terminal): StdioDispatch {
  return new StdioDispatch(new StdioTransport({ input: stdin as Readable, output: stdout as Writable }));
}
