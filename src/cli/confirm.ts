import { exitCodes, UsageError, type CommonFlags, type Terminal } from "./command-line.js";
import { createTerminalBackend } from "./terminal-backend.js";

/** Whether somebody can be asked: at a terminal, and without --json. */
export function canConfirm(terminal: Terminal, flags: CommonFlags): boolean {
  return flags.json !== true && createTerminalBackend(terminal).available();
}

/** Where nobody can be asked, `--yes` is required for what `purpose` says. */
export function requireTerminal(terminal: Terminal, flags: CommonFlags, purpose: string): void {
  if (!canConfirm(terminal, flags))
    throw new UsageError(`Cannot ask for confirmation without a terminal. Pass --yes to ${purpose}.`);
}

/** Ask a yes-or-no question at the terminal; a long content is opened in a pager by the question itself. */
export async function isConfirmed(terminal: Terminal, message: string, content?: string): Promise<boolean> {
  const question = { kind: "confirm", message, ...(content !== undefined && { content }) } as const;
  return (await createTerminalBackend(terminal).ask(question, terminal.interrupted)).approved === true;
}

/** Ask, and end the command as denied if the answer is no. */
export async function isConfirmedOrEnds(
  terminal: Terminal,
  message: string,
  content?: string,
): Promise<boolean> {
  const approved = await isConfirmed(terminal, message, content);
  if (!approved) {
    terminal.exitCode = exitCodes.denied;
    terminal.stderr.write("Nothing changed.\n");
  }
  return approved;
}
