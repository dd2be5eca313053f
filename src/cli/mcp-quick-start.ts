import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ReadyAnswers, type McpStart } from "../mcp/server/ready-answers.js";
import { StdioDispatch } from "../mcp/server/stdio-dispatch.js";
import { StdioTransport } from "../mcp/server/stdio-transport.js";
import { findCatalogue } from "./mcp-catalogue.js";

/** The parts of the process that the quick start uses. */
export interface QuickProcess {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  cwd(): string;
}

/**
 * Answer an MCP host's `initialize` and its first `tools/list` from a stored list of tools, and load everything else
 * in the meantime. `false` where the list is not known: then everything is loaded first.
 * Separate from the rest, because this is all that is loaded until then.
 */
export function startQuickly(process: QuickProcess, dist: string, load: (start: McpStart) => void): boolean {
  const catalogue = findCatalogue({
    args: process.argv.slice(3),
    env: process.env,
    cwd: process.cwd(),
    builtIn: () => readFileSync(join(dist, "mcp-catalogue.txt"), "utf8"),
  });
  if (catalogue === undefined) return false;
  const transport = new StdioTransport({ input: process.stdin, output: process.stdout });
  const dispatch = new StdioDispatch(transport);
  const ready = new ReadyAnswers(catalogue, dispatch, load);
  dispatch.handlers.ready = (message) => ready.answer(message);
  dispatch.onWaiting = () => ready.loadSoon(0);
  transport.open();
  return true;
}
