import { homedir } from "node:os";
import { isAbsolute } from "node:path";
import { Command } from "commander";
import { exitCodes, type AddCommand, type Terminal } from "./command-line.js";
import { addAgent } from "./commands/agent.js";
import { addApprovals } from "./commands/approvals.js";
import { addCall } from "./commands/call.js";
import { addCompletion } from "./commands/completion.js";
import { addDoctor } from "./commands/doctor.js";
import { addEndpoints } from "./commands/endpoints.js";
import { addHelp, unknownCommand } from "./commands/help.js";
import { addFleet } from "./commands/fleet.js";
import { addInit } from "./commands/init.js";
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
import { helpLayout } from "./help-layout.js";
import { addTrust } from "./commands/trust.js";
import { addSecrets } from "./commands/secrets.js";
import { addTokens } from "./commands/tokens.js";
import { addUndo } from "./commands/undo.js";
import { addUsers } from "./commands/users.js";
import { addWorker } from "./commands/worker.js";
import { version } from "./version.js";
import { once } from "../contract/once.js";
import { toVisibleText } from "../text/visible-text.js";
import { helpHint, reportError } from "./report-error.js";
import { plainOutput } from "./plain-output.js";
import { leadingLength, moveLeadingOptions, sharedOptions } from "./shared-options.js";

/** Every command of `tenon` by its name, below its heading in the help; a new one is a file and a line here.
 * Functions, so that the build loads only the file of the command that runs (scripts/lazy-chunks.mjs). */
const commandGroups: Readonly<Record<string, Readonly<Record<string, () => AddCommand>>>> = {
  "Use tools:": {
    tools: () => addTools,
    call: () => addCall,
    agent: () => addAgent,
    prompt: () => addPrompt,
  },
  "Connect hosts and servers:": {
    mcp: () => addMcp,
    serve: () => addServe,
    "mcp-servers": () => addMcpServers,
    plugins: () => addPlugins,
  },
  "Decide what may run:": { policy: () => addPolicy, trust: () => addTrust, approvals: () => addApprovals },
  "Inspect and undo what happened:": {
    log: () => addLog,
    undo: () => addUndo,
    quarantine: () => addQuarantine,
    layers: () => addLayers,
    replay: () => addReplay,
    reflect: () => addReflect,
  },
  "Inspect the state:": {
    memory: () => addMemory,
    plan: () => addPlan,
    snippets: () => addSnippets,
    state: () => addState,
  },
  "Share with a team:": {
    users: () => addUsers,
    tokens: () => addTokens,
    endpoints: () => addEndpoints,
    secrets: () => addSecrets,
  },
  "Work on many machines:": { worker: () => addWorker, fleet: () => addFleet },
  "Set up:": {
    init: () => addInit,
    doctor: () => addDoctor,
    help: () => addHelp,
    completion: () => addCompletion,
  },
};

/** Commands that speak of all others. */
const needAll = new Set(["help", "completion"]);

/** Run the command line in a process. */
export async function main(process: NodeJS.Process, mcp?: Terminal["mcp"]): Promise<void> {
  const cwd = prepareFolders(process);
  if (cwd === undefined) return;
  const interrupt = new AbortController();
  process.once("SIGINT", () => interrupt.abort());
  process.once("SIGTERM", () => interrupt.abort());
  const stderr = once(() => plainOutput(2, () => process.stderr));
  const terminal: Terminal = {
    // Node.js opens a stream when it is first asked for, and few commands read one.
    get stdin() {
      return process.stdin;
    },
    stdout: mcp === undefined ? plainOutput(1, () => openStdout(process)) : openStdout(process),
    get stderr() {
      return stderr();
    },
    env: process.env,
    cwd,
    exitCode: exitCodes.success,
    interrupted: interrupt.signal,
    mcp,
  };
  await runCommandLine(process.argv.slice(2), terminal);
  process.exitCode = interrupt.signal.aborted && terminal.exitCode !== 0 ? 130 : terminal.exitCode;
}

function openStdout(process: NodeJS.Process): NodeJS.WriteStream {
  // A reader that closed the pipe (`tenon tools | head`) ends the output without an error.
  // An MCP host that closed it ends its connection; calls it left running are cancelled first.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (process.argv[2] !== "mcp") process.exit(error.code === "EPIPE" ? 0 : 1);
  });
  return process.stdout;
}

/** The current folder, and a home that can be used. */
function prepareFolders(process: NodeJS.Process): string | undefined {
  // As with the XDG folders, a home that is not absolute is ignored: the state would end up in the workspace.
  if (!isAbsolute(process.env["HOME"] ?? "/")) delete process.env["HOME"];
  const missing = "The current folder no longer exists. Change to another one and try again.";
  const homeless = "This user has no home folder. Set HOME to a folder for the configuration and the state.";
  if (orRefuse(process, homedir, homeless) === undefined) return undefined;
  return orRefuse(process, () => process.cwd(), missing);
}

function orRefuse(process: NodeJS.Process, find: () => string, problem: string): string | undefined {
  try {
    return find();
  } catch {
    process.stderr.write(`tenon: ${problem}\n`);
    process.exitCode = exitCodes.usage;
    return undefined;
  }
}

/** Parse and run one command line; errors become a message and an exit code, never an exception. */
export async function runCommandLine(args: readonly string[], terminal: Terminal): Promise<void> {
  const json = (args.includes("--") ? args.slice(0, args.indexOf("--")) : args).includes("--json");
  // With --json, what commander says becomes part of the JSON: the last line is the way to the help.
  const said: string[] = [];
  const program = createProgram(terminal, {
    writeErr: json ? (text) => said.push(text) : undefined,
    only: commandIn(args),
  });
  let command: Command | undefined;
  program.hook("preAction", (_, action) => {
    command = action;
    const [word] = action.registeredArguments.length === 0 ? action.args : [];
    if (word !== undefined) unknownCommand(action, word);
  });
  try {
    await program.parseAsync(moveLeadingOptions(program, args), { from: "user" });
  } catch (error) {
    reportError(terminal, error, { command, json, usage: said.at(-1)?.trimEnd() });
  }
}

/** The command that a line names first; none where it may need the others: to list them, or to suggest one. */
function commandIn(args: readonly string[]): string | undefined {
  const word = args[leadingLength(args)] ?? "";
  const isKnown = Object.values(commandGroups).some((commands) => Object.hasOwn(commands, word));
  return isKnown && !needAll.has(word) ? word : undefined;
}

/** The commands and their help; one command by its name alone is made in a fraction of the time. */
export function createProgram(
  terminal: Terminal,
  {
    writeErr = (text) => void terminal.stderr.write(toVisibleText(text)),
    only,
  }: { writeErr?: ((text: string) => void) | undefined; only?: string | undefined } = {},
): Command {
  const program = new Command("tenon")
    .description(
      "The tool runtime for AI agents: validates, authorises, schedules, executes and records every call.",
    )
    .version(version, "-V, --version", "print the version")
    .helpOption("-h, --help", "show help")
    .showSuggestionAfterError()
    // Flags belong to the command before them: `serve link --port` is not `serve --port`.
    .enablePositionalOptions()
    .exitOverride()
    .configureHelp(helpLayout)
    .configureOutput({
      getOutHelpWidth: () => (terminal.stdout.isTTY === true ? terminal.stdout.columns : undefined) ?? 80,
      writeOut: (text) => terminal.stdout.write(text),
      writeErr,
    });
  for (const option of sharedOptions)
    program.addOption(option.helpGroup("Shared options, for every command:"));
  for (const [heading, commands] of Object.entries(commandGroups)) {
    program.commandsGroup(heading);
    for (const [name, load] of Object.entries(commands))
      if (only === undefined || only === name) load()(program, terminal);
  }
  finish(program);
  return program;
}

/** A usage error names the help of the command that it is about; `tenon log shw` is a typo, not an argument too many. */
function finish(command: Command): void {
  command.showHelpAfterError(helpHint(command));
  if (command.parent !== null && command.commands.length > 0)
    command.helpCommand("help [command]", "Show help for a command");
  if (command.commands.length > 0 && command.registeredArguments.length === 0) command.allowExcessArguments();
  for (const child of command.commands) finish(child);
}
