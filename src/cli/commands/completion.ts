import tab from "@bomb.sh/tab/commander";
import type { AddCommand } from "../command-line.js";

/** `tenon completion SHELL`: a script for bash, zsh, fish or PowerShell. */
export const addCompletion: AddCommand = (program) => {
  tab(program, { completionCommandName: "completion" });
};
