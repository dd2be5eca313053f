import type { Command } from "commander";
import { nearest } from "../../schema/nearest.js";
import { addCommand, type AddCommand } from "../command-line.js";

/** `tenon help [command...]`: the same as `--help`, and an error for a command that does not exist. */
export const addHelp: AddCommand = (program) => {
  program.helpCommand(false);
  addCommand(program, "help [command...]", "Show help for a command").action((words: string[]) =>
    findCommand(program, words).outputHelp(),
  );
};

function findCommand(program: Command, words: readonly string[]): Command {
  let found = program;
  for (const word of words) {
    const next = found.commands.find((command) => command.name() === word);
    if (next === undefined) return unknownCommand(found, word);
    found = next;
  }
  return found;
}

/** The same error as for `tenon mcp-servers lst`. */
export function unknownCommand(parent: Command, word: string): never {
  const close = nearest(
    word,
    parent.commands.map((command) => command.name()),
  );
  const suggestion = close === undefined ? "" : `\n(Did you mean ${close}?)`;
  return parent.error(`error: unknown command '${word}'${suggestion}`, { code: "commander.unknownCommand" });
}
