import { Command, CommanderError } from "commander";
import { ConfigError } from "../config/config-error.js";
import { ToolDefinitionError, ToolError, ToolValidationError } from "../contract/errors.js";
import { exitCodes, UsageError, type AddCommand, type Terminal } from "./command-line.js";
import { addAgent } from "./commands/agent.js";
import { addCall } from "./commands/call.js";
import { addCompletion } from "./commands/completion.js";
import { addDoctor } from "./commands/doctor.js";
import { addEndpoints } from "./commands/endpoints.js";
import { addMcp } from "./commands/mcp.js";
import { addMcpServers } from "./commands/mcp-servers.js";
import { addLog } from "./commands/log.js";
import { addMemory } from "./commands/memory.js";
import { addPlan } from "./commands/plan.js";
import { addPlugins } from "./commands/plugins.js";
import { addPolicy } from "./commands/policy.js";
import { addLayers } from "./commands/layers.js";
import { addQuarantine } from "./commands/quarantine.js";
import { addReflect } from "./commands/reflect.js";
import { addReplay } from "./commands/replay.js";
import { addServe } from "./commands/serve.js";
import { addPrompt } from "./commands/prompt.js";
import { addSnippets } from "./commands/snippets.js";
import { addState } from "./commands/state.js";
import { addTools } from "./commands/tools.js";
import { addTrust } from "./commands/trust.js";
import { addTokens } from "./commands/tokens.js";
import { addUndo } from "./commands/undo.js";
import { addUsers } from "./commands/users.js";
import { version } from "./version.js";
import { toVisibleText } from "../text/visible-text.js";
import { warn } from "./output.js";
import { messageOf } from "../contract/message-of.js";

/** Every command of `tenon`; a new one is a file and a line here. */
const commands: readonly AddCommand[] = [
  addTools,
  addCall,
  addAgent,
  addPrompt,
  addMcp,
  addMcpServers,
  addPlugins,
  addPolicy,
  addTrust,
  addLog,
  addUndo,
  addReflect,
  addQuarantine,
  addLayers,
  addReplay,
  addMemory,
  addPlan,
  addSnippets,
  addState,
  addDoctor,
  addServe,
  addEndpoints,
  addUsers,
  addTokens,
  addCompletion,
];

/** Run the command line in a process. */
export async function main(process: NodeJS.Process, mcp?: Terminal["mcp"]): Promise<void> {
  const interrupt = new AbortController();
  process.once("SIGINT", () => interrupt.abort());
  process.once("SIGTERM", () => interrupt.abort());
  // A reader that closed the pipe (`tenon tools | head`) ends the output without an error.
  // An MCP host that closed it ends its connection; calls it left running are cancelled first.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (process.argv[2] !== "mcp") process.exit(error.code === "EPIPE" ? 0 : 1);
  });
  const terminal: Terminal = {
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    env: process.env,
    cwd: process.cwd(),
    exitCode: exitCodes.success,
    interrupted: interrupt.signal,
    mcp,
  };
  await runCommandLine(process.argv.slice(2), terminal);
  process.exitCode = interrupt.signal.aborted && terminal.exitCode !== 0 ? 130 : terminal.exitCode;
}

/** Parse and run one command line; errors become a message and an exit code, never an exception. */
export async function runCommandLine(args: readonly string[], terminal: Terminal): Promise<void> {
  const program = createProgram(terminal);
  try {
    await program.parseAsync(args, { from: "user" });
  } catch (error) {
    terminal.exitCode = exitCodeOf(error);
    if (error instanceof CommanderError) return; // commander has printed it
    warn(terminal, messageOf(error));
    if (error instanceof ToolError && error.hint !== undefined)
      terminal.stderr.write(`${toVisibleText(error.hint)}\n`);
  }
}

export function createProgram(terminal: Terminal): Command {
  const program = new Command("tenon")
    .description(
      "The tool runtime for AI agents: validates, authorises, schedules, executes and records every call.",
    )
    .version(version, "-V, --version")
    .showHelpAfterError("Run 'tenon --help' to list the commands.")
    .showSuggestionAfterError()
    // Flags belong to the command before them: `serve link --port` is not `serve --port`.
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.stdout.write(text),
      writeErr: (text) => terminal.stderr.write(toVisibleText(text)),
    });
  for (const add of commands) add(program, terminal);
  return program;
}

function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.success : exitCodes.usage;
  const isUsageError = [UsageError, ConfigError, ToolDefinitionError, ToolValidationError].some(
    (kind) => error instanceof kind,
  );
  return isUsageError ? exitCodes.usage : exitCodes.failure;
}
