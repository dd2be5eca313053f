import { Option, type Command } from "commander";
import { modes } from "../config/levels.js";
import { helpLayout } from "./help-layout.js";
import { wrap } from "./wrap.js";

/** The options that every command takes; `tenon --help` lists them once, and they may stand before the command too. */
export const sharedOptions: readonly Option[] = [
  new Option("-w, --workspace <dir>", "workspace folder (default: the current folder)"),
  new Option("-c, --config <file>", "configuration file that takes precedence over all others"),
  new Option("-s, --session <name>", "session whose variables and answers are kept between calls").default(
    "cli",
  ),
  new Option("--mode <mode>", "permission mode").choices(modes),
  new Option("--toolset <name>", "toolset that limits the visible tools"),
  new Option(
    "--native [providers]",
    "offer the tools that models were trained on: anthropic, openai (default: both)",
  ),
  new Option("--json", "print JSON"),
];

/** The values of an option that may be repeated. */
export function collect(value: string, earlier: readonly string[] = []): readonly string[] {
  return [...earlier, value];
}

/** Add the shared options to a command; its help names them in one line. */
export function withSharedOptions(command: Command): Command {
  for (const option of sharedOptions) command.addOption(option);
  return command
    .configureHelp({
      ...helpLayout,
      visibleOptions: (shown) => [
        ...shown.options.filter((option) => !option.hidden && !sharedOptions.includes(option)),
        new Option("-h, --help", "show help"),
      ],
    })
    .addHelpText("after", ({ command: shown }) => {
      const width = shown.configureOutput().getOutHelpWidth?.() ?? 80;
      return wrap(`\nShared options (see tenon --help): ${sharedNames}`, width).join("\n");
    });
}

const sharedNames = sharedOptions.map(({ long }) => long).join(", ");

/** Move shared options that stand before the command behind it: `tenon -w DIR tools` is `tenon tools -w DIR`. */
export function moveLeadingOptions(program: Command, args: readonly string[]): readonly string[] {
  const first = leadingLength(args);
  if (first === 0 || first >= args.length) return args;
  const rest = args.slice(first);
  const depth = commandDepth(program, rest);
  return [...rest.slice(0, depth), ...args.slice(0, first), ...rest.slice(depth)];
}

/** How many words at the beginning are shared options and their values. */
export function leadingLength(args: readonly string[]): number {
  let at = 0;
  for (let length = lengthOfOption(args, at); length > 0; length = lengthOfOption(args, at)) at += length;
  return at;
}

/** How many words a shared option at this place takes; 0 if there is none. */
function lengthOfOption(args: readonly string[], at: number): number {
  const word = args[at] ?? "";
  const option = sharedOptions.find(({ short, long }) => word === short || word === long);
  if (option !== undefined) return option.required ? 2 : 1;
  return sharedOptions.some(({ long }) => word.startsWith(`${long}=`)) ? 1 : 0;
}

/** How many words name the command: 2 in `mcp-servers list x`. */
function commandDepth(program: Command, words: readonly string[]): number {
  let current = program;
  let depth = 0;
  for (const word of words) {
    const next = current.commands.find((command) => command.name() === word);
    if (next === undefined) return depth;
    current = next;
    depth += 1;
  }
  return depth;
}
