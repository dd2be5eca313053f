import type { SandboxState } from "../../contract/ports/processes.js";
import type { CommandPaths } from "../../contract/session.js";
import type { TreeLimits } from "../processes/watch-tree.js";
import type { CommandGroup } from "./command-group.js";
import type { HeldBack, Quarantine } from "../../contract/ports/quarantine.js";
import type { RunOrigin } from "./quarantine/judge-runs.js";

/** Limits of one command; what is left out is not limited. */
export interface SandboxLimits {
  /** CPU time of one process in seconds. */
  readonly cpuSeconds?: number | undefined;
  /** Largest file that may be written, in bytes. */
  readonly fileSize?: number | undefined;
  /** Processes and threads at the same time. */
  readonly processes?: number | undefined;
  /** Open files of one process. */
  readonly openFiles?: number | undefined;
  /** Memory in bytes of all commands together; needs a control group. */
  readonly memory?: number | undefined;
  /** Bytes that one command may take of the disk, with what the session keeps in /tmp and its caches. */
  readonly disk?: number | undefined;
}

/** A command that is to run inside. */
export interface SandboxCommand {
  /** The program and its arguments; the program is looked for inside, by the PATH of `env`. */
  readonly argv: readonly string[];
  /** An absolute folder inside the workspace or what is writable or readable there. */
  readonly cwd: string;
  /** The whole environment of the command. */
  readonly env: Readonly<Record<string, string>>;
  /** The workspace is read-only too. */
  readonly readOnly: boolean;
  readonly network: boolean;
  /** It gets a pseudo-terminal of its own, whose session it must be able to lead. */
  readonly pty?: boolean | undefined;
  /** Whose /tmp and caches it sees. @default those of no session in particular */
  readonly sessionId?: string | undefined;
  /** It outlives its call: what exists and other programs obey is read-only for it. */
  readonly background?: boolean | undefined;
  /** Whose changes are held back. @default nobody's in particular */
  readonly origin?: RunOrigin | undefined;
  /** In the place of the sandbox's own limits, one by one. */
  readonly limits?: SandboxLimits | undefined;
  /** What the policy's rules about paths mean for it; without any, only the sandbox's own rules count. */
  readonly paths?: CommandPaths | undefined;
}

/** What must be started to run a command inside. */
export interface WrappedCommand {
  readonly file: string;
  readonly args: readonly string[];
  /**
   * The whole environment of the started process. It is not the command's: a variable such as
   * LD_PRELOAD must not act on the program that builds the wall.
   */
  readonly env: Readonly<Record<string, string>>;
  /** Each descriptor must give these bytes and then end. */
  readonly extraFds: readonly { readonly fd: number; readonly data: Uint8Array }[];
  /** What the command cannot see or write, where that must be told. */
  readonly notes: readonly string[];
  /** Limits that whoever starts the command must watch. */
  readonly treeLimits: TreeLimits;
  /** How many processes it may have. */
  readonly processLimit: number | undefined;
  /**
   * To be run when the command has ended, always: until then what it could swap is not mounted for other
   * commands. It judges what the command changed, and says what was held back of that and which of its
   * processes still ran when it ended, and ended with it.
   */
  finish(): Promise<FinishedCommand>;
  /** What was held back so far, while it runs. */
  heldBack(): readonly HeldBack[];
}

/** What is known about a command after it has ended. */
export interface FinishedCommand {
  readonly heldBack: readonly HeldBack[];
  /** Full sentences for the caller. */
  readonly warnings: readonly string[];
  /** Command lines of processes that still ran in the sandbox when it ended. */
  readonly leftovers: readonly string[];
}

/** One fact about the wall, for `tenon doctor`. */
export interface SandboxFact {
  readonly name: string;
  readonly status: "ok" | "warn";
  /** What is so, and the way to get what is missing. */
  readonly message: string;
}

/**
 * The wall around commands.
 *
 * A started command is the grandchild of `file`'s process and in a session of its own: a signal to that
 * process ends everything inside at once by SIGKILL. To ask politely first, signal its descendants.
 * A command that died of signal n ends with exit code 128 + n.
 */
export interface Sandbox {
  /** The person wants no command to run without it: whoever starts commands must refuse where it is not active. */
  readonly required: boolean;
  /** What was found; before the first `ready` it is inactive with the reason that nobody has looked yet. */
  state(): SandboxState;
  /** Look once whether the wall can be built here, by building it. */
  ready(): Promise<SandboxState>;
  /** Put a command inside; throws a ToolExecutionError where the sandbox is not active or the folder cannot be had. */
  wrap(command: SandboxCommand): Promise<WrappedCommand>;
  /**
   * A control group for one command, which the process that becomes it joins; whoever starts commands stays
   * outside, so that no limit keeps it from its work. `undefined` where there is none, and before `ready`.
   */
  openGroup(): CommandGroup | undefined;
  /** The folders whose groups hold the processes of all commands. */
  groupDirs(): readonly string[];
  /** Remove what the commands of a session left in /tmp and in caches. */
  endSession(sessionId: string): Promise<void>;
  /** Folders of its own, for whoever cleans up where this process cannot. */
  leftovers(): readonly string[];
  facts(): Promise<readonly SandboxFact[]>;
  /** What was held back from commands; there also where no sandbox is. */
  readonly quarantine: Quarantine;
  /** A rule or a person let something else than a command change these absolute paths. */
  accept(paths: readonly string[]): void;
  /** Give back what it holds of the system. */
  close(): Promise<void>;
}
