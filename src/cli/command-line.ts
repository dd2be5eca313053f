import type { Command } from "commander";
import type { Mode } from "../config/levels.js";
import type { McpStart } from "../mcp/server/ready-answers.js";

/** What every command understands. */
export interface CommonFlags {
  readonly workspace?: string;
  readonly config?: string;
  readonly session?: string;
  readonly mode?: Mode;
  readonly toolset?: string;
  readonly json?: boolean;
}

/** What a command sees of the process that it runs in. */
export interface Terminal {
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly stdout: NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number };
  readonly stderr: NodeJS.WritableStream & { readonly isTTY?: boolean };
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** The exit code that the process will have. */
  exitCode: number;
  /** Fires when the person interrupts. */
  readonly interrupted: AbortSignal;
  /** The connection that `tenon mcp` began to serve before everything was loaded. */
  readonly mcp?: McpStart | undefined;
}

/** Add one command to the program. */
export type AddCommand = (program: Command, terminal: Terminal) => void;

/** The exit codes that the command line promises. */
export const exitCodes = { success: 0, failure: 1, usage: 2, denied: 3 } as const;

/** A mistake in how a command was called; ends with exit code 2. */
export class UsageError extends Error {
  override get name(): string {
    return "UsageError";
  }
}

/** Give a command the flags that all commands share. */
export function withCommonFlags(command: Command): Command {
  return command
    .option("-w, --workspace <dir>", "folder to work in (default: here)")
    .option("-c, --config <file>", "configuration to use before all others")
    .option("-s, --session <name>", "session that remembers between calls", "cli")
    .option("--mode <mode>", "read-only, ask, auto or unattended")
    .option("--toolset <name>", "which tools can be seen")
    .option("--json", "machine-readable output");
}
