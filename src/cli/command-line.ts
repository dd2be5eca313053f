import type { Command } from "commander";
import type { Mode } from "../config/levels.js";
import type { McpStart } from "../mcp/server/ready-answers.js";
import { withSharedOptions } from "./shared-options.js";

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
  /** Address of NATS; `true` for that of the configuration. */
  readonly fleet?: string | true;
  readonly tenant?: string;
  readonly label?: readonly string[];
  /** Of `tenon call`: settings, as `key=value`. */
  readonly set?: readonly string[];
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

/** The person pressed Ctrl-C; exit code 130. */
export class InterruptedError extends Error {
  constructor() {
    super("Interrupted.");
  }

  override get name(): string {
    return "InterruptedError";
  }
}

/** Add a command with the options that all commands share. */
export function addCommand(parent: Command, usage: string, description: string): Command {
  return withSharedOptions(parent.command(usage).description(description));
}
