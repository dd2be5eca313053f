import tab from "@bomb.sh/tab/commander";
import type { Command } from "commander";
import type { ToolDescription } from "../../contract/tool.js";
import { isRecord } from "../../contract/is-record.js";
import { bashCompletion } from "../bash-completion.js";
import { zshCompletion } from "../zsh-completion.js";
import type { AddCommand, CommonFlags, Terminal } from "../command-line.js";
import { withTenon } from "../open-tenon.js";
import { moveLeadingOptions, sharedOptions } from "../shared-options.js";
import { ToolsetCatalogue } from "../../registry/toolset-catalogue.js";
import { withState } from "./state.js";

/** What a word can be completed to, as of the workspace in the current folder. */
interface Suggestions {
  readonly tools: readonly ToolDescription[];
  readonly servers: readonly string[];
  readonly plugins: readonly string[];
  readonly toolsets: readonly string[];
  readonly sessions: readonly string[];
}

const nothing: Suggestions = { tools: [], servers: [], plugins: [], toolsets: [], sessions: [] };

type Complete = (value: string, description: string) => void;

/** `tenon completion SHELL`: a script for bash, zsh, fish or PowerShell, and what it asks for while you type. */
export const addCompletion: AddCommand = (program, terminal) => {
  const completion = tab(program, { completionCommandName: "completion" });
  program.commands
    .find((command) => command.name() === "completion")
    ?.action((shell: string) => {
      const own = { bash: bashCompletion, zsh: zshCompletion }[shell];
      if (own !== undefined) terminal.stdout.write(own);
      else completion.setup(program.name(), program.name(), shell);
    });
  let known = nothing;
  let words: readonly string[] = [];
  program.commands
    .find((command) => command.name() === "complete")
    ?.action(async (typed: readonly string[]) => {
      words = toCommandFirst(program, typed);
      known = await loadSuggestions(terminal, words);
      completion.parse([...words]);
    });
  const argument = (command: string, name: string, complete: (complete: Complete) => void): void => {
    const found = completion.commands.get(command)?.arguments.get(name);
    if (found !== undefined) found.handler = complete;
  };
  const tools = (complete: Complete): void => {
    for (const { name, description } of known.tools) complete(name, description.split(". ")[0] ?? "");
  };
  argument("call", "name", tools);
  argument("tools", "name", tools);
  argument("policy explain", "name", tools);
  argument("call", "arguments", (complete) => {
    const called = known.tools.find(({ name }) => words.includes(name, 1));
    for (const [key, about] of argumentsOf(called)) complete(`${key}=`, about);
  });
  const names = (list: (all: Suggestions) => readonly string[]) => (complete: Complete) => {
    for (const name of list(known)) complete(name, "");
  };
  for (const [command] of completion.commands) {
    if (command.startsWith("mcp-servers ") && command !== "mcp-servers add")
      argument(
        command,
        "name",
        names(({ servers }) => servers),
      );
    if (command === "plugins remove" || command === "plugins sandbox")
      argument(
        command,
        "name",
        names(({ plugins }) => plugins),
      );
  }
  const values: Readonly<Record<string, (complete: Complete) => void>> = {
    "--session": names(({ sessions }) => sessions),
    "--toolset": names(({ toolsets }) => toolsets),
  };
  for (const command of [completion, ...completion.commands.values()]) addSharedOptions(command, values);
};

/**
 * The line with its shared options behind the command, and `--session=` as two words. The word at the cursor stays
 * the last one.
 */
function toCommandFirst(program: Command, typed: readonly string[]): readonly string[] {
  const split = typed.flatMap((word) => /^(--[a-z-]+)=(.*)$/s.exec(word)?.slice(1) ?? [word]);
  return [...moveLeadingOptions(program, split.slice(0, -1)), ...split.slice(-1)];
}

/** The help of a command leaves the shared options out, and so does what is made from it. */
function addSharedOptions(
  command: {
    option(name: string, about: string, complete?: (complete: Complete) => void, short?: string): unknown;
  },
  values: Readonly<Record<string, (complete: Complete) => void>>,
): void {
  for (const { long, short, description, required, argChoices } of sharedOptions) {
    const choose = (complete: Complete): void => {
      for (const choice of argChoices ?? []) complete(choice, "");
    };
    const complete = values[long ?? ""] ?? (required ? choose : undefined);
    command.option((long ?? "").slice(2), description, complete, short?.slice(1));
  }
}

function argumentsOf(tool: ToolDescription | undefined): [string, string][] {
  const properties = tool?.inputSchema["properties"];
  if (!isRecord(properties)) return [];
  return Object.entries(properties).map(([name, schema]) => {
    const about = isRecord(schema) ? schema["description"] : undefined;
    return [name, typeof about === "string" ? about : ""];
  });
}

/** The workspace and the configuration that the line names. */
function placeOf(words: readonly string[]): Pick<CommonFlags, "workspace" | "config"> {
  const valueOf = (option: RegExp): string | undefined =>
    words.slice(0, -1).find((_, at) => option.test(words[at - 1] ?? ""));
  const workspace = valueOf(/^(?:-w|--workspace)$/);
  const config = valueOf(/^(?:-c|--config)$/);
  return { ...(workspace !== undefined && { workspace }), ...(config !== undefined && { config }) };
}

/** Only lines that name something of the workspace start Tenon; a broken one completes nothing. */
async function loadSuggestions(terminal: Terminal, words: readonly string[]): Promise<Suggestions> {
  const isNeeded = /^(?:call|tools|policy|mcp-servers|plugins)$/.test(words[0] ?? "");
  if (!isNeeded && !words.some((word) => /^(?:-s|--session|--toolset)$/.test(word))) return nothing;
  let found = nothing;
  const silent: Terminal = {
    ...terminal,
    stderr: Object.assign(Object.create(terminal.stderr), { write: () => true }) as Terminal["stderr"],
  };
  const flags: CommonFlags = { session: "cli", json: true, ...placeOf(words) };
  try {
    await withTenon(silent, flags, async ({ tenon, session }) => {
      await tenon.ready();
      found = {
        tools: session.tools().flatMap(({ name }) => tenon.registry.describe(name) ?? []),
        servers: Object.keys(tenon.config.mcpServers),
        plugins: tenon.plugins().map(({ name }) => name),
        toolsets: [...new ToolsetCatalogue().names(), ...Object.keys(tenon.config.toolsets)],
        sessions: [],
      };
    });
    if (words.some((word) => /^(?:-s|--session)$/.test(word)))
      await withState(silent, flags, async ({ sessions }) => {
        found = { ...found, sessions: (await sessions.list()).map(({ name }) => name) };
      });
  } catch {
    return nothing; // `tenon doctor` says what is wrong; a completion must not print into the line
  }
  return found;
}
