import type { Command } from "commander";
import type { Mode } from "../config/levels.js";
import type { McpStart } from "../mcp/server/ready-answers.js";

export interface CommonFlags {
  readonly workspace?: string;
  readonly config?: string;
  readonly session?: string;
  readonly mode?: Mode;
  readonly toolset?: string;
  /** Of `tenon mcp` and `tenon serve`. */
  readonly listing?: string;
  /** Names of providers, separated by commas; `true` for all. */
  readonly native?: string | true;
  readonly json?: boolean;
}

/** The process that a command runs in. */
export interface Terminal {
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly stdout: NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number };
  readonly stderr: NodeJS.WritableStream & { readonly isTTY?: boolean };
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** The exit code of the process. */
  exitCode: number;
  /** Aborted on Ctrl-C and SIGTERM. */
  readonly interrupted: AbortSignal;
  /** The connection that `tenon mcp` started to serve before everything was loaded. */
  readonly mcp?: McpStart | undefined;
}

export type AddCommand = (program: Command, terminal: Terminal) => void;

/** The documented exit codes. */
export const exitCodes = { success: 0, failure: 1, usage: 2, denied: 3 } as const;

/** A command was used incorrectly; exit code 2. */
export class UsageError extends Error {
  override get name(): string {
    return "UsageError";
  }
}

/** Add a command with the flags that all commands share. */
export function addCommand(parent: Command, usage: string, description: string): Command {
  return withCommonFlags(parent.command(usage).description(description));
}

/** Add the shared flags to a command. */
export function withCommonFlags(command: Command): Command {
  return command
    .option("-w, --workspace <dir>", "workspace folder (default: the current folder)")
    .option("-c, --config <file>", "configuration file that takes precedence over all others")
    .option("-s, --session <name>", "session whose variables and answers are kept between calls", "cli")
    .option("--mode <mode>", "permission mode: read-only, ask, auto or unattended")
    .option("--toolset <name>", "toolset that limits the visible tools")
    .option(
      "--native [providers]",
      "offer the tools that models were trained on: anthropic, openai (default: both)",
    )
    .option("--json", "print JSON");
}
