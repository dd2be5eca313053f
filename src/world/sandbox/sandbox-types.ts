import type { BlockedPath, NetworkUse, SandboxState } from "../../contract/ports/processes.js";
import type { CommandPaths } from "../../contract/session.js";
import type { ConnectionRow } from "../forwarder/network-activity.js";
import type { NetworkRunOptions } from "../forwarder/network-run.js";
import type { ProcessTree } from "../processes/process-table.js";
import type { TreeLimits } from "../processes/watch-tree.js";
import type { CommandLayer, LayerOrigin, LayerStore } from "./layer/layer-types.js";
import type { CommandGroup } from "./command-group.js";
import type { HeldBack, Quarantine } from "../../contract/ports/quarantine.js";
import type { RunOrigin } from "./quarantine/judge-runs.js";

/** Limits of one command; omitted limits do not apply. */
export interface SandboxLimits {
  /** CPU time of one process in seconds. */
  readonly cpuSeconds?: number | undefined;
  /** Maximum size of a written file in bytes. */
  readonly fileSize?: number | undefined;
  /** Processes and threads at the same time. */
  readonly processes?: number | undefined;
  /** Open files of one process. */
  readonly openFiles?: number | undefined;
  /** Memory in bytes of all commands together; needs a control group. */
  readonly memory?: number | undefined;
  /** Disk space for one command in bytes, including the /tmp and caches of its session. */
  readonly disk?: number | undefined;
}

/** A command to run inside the sandbox. */
export interface SandboxCommand {
  /** The program and its arguments; the program is searched inside, by the PATH of `env`. */
  readonly argv: readonly string[];
  /** An absolute path inside the workspace or another visible folder. */
  readonly cwd: string;
  /** The whole environment of the command. */
  readonly env: Readonly<Record<string, string>>;
  /** Whether the workspace is read-only, too. */
  readonly readOnly: boolean;
  /** What it may reach. @default nothing but the loopback of its session */
  readonly network?: NetworkRunOptions | undefined;
  /** Whether it gets a pseudo-terminal, whose session it must be able to lead. */
  readonly pty?: boolean | undefined;
  /** The session whose /tmp and caches it sees. @default a shared one */
  readonly sessionId?: string | undefined;
  /** Whether it outlives its call: existing files that other programs obey are read-only for it. */
  readonly background?: boolean | undefined;
  /** The call that held back changes are attributed to. */
  readonly origin?: RunOrigin | undefined;
  /** Nothing may leave the layer: it reaches no network, not even that of its session, and writes no other folder. */
  readonly contained?: boolean | undefined;
  /** Collect its changes in a layer instead of the workspace, if possible, for this call. */
  readonly layer?: LayerOrigin | undefined;
  /** Absolute paths of folders that it renames. */
  readonly renames?: readonly string[] | undefined;
  /** Override the limits of the sandbox, one by one. */
  readonly limits?: SandboxLimits | undefined;
  /** The policy's rules about paths; without them, only the rules of the sandbox apply. */
  readonly paths?: CommandPaths | undefined;
  /** A folder outside that it sees as `programHome`, and may write. */
  readonly home?: string | undefined;
}

/** Where a program of the configuration finds its own folder inside the sandbox; no other mount is below it. */
export const programHome = "/run/tenon-home";

/** What a program of the configuration sees in place of the workspace; the paths are absolute. */
export interface ProgramFolders {
  /** Its own code: read-only, and not searched for paths that rules hide. */
  readonly programs: readonly string[];
  readonly readable: readonly string[];
  readonly writable: readonly string[];
}

/** What to start to run a command inside the sandbox. */
export interface WrappedCommand {
  readonly file: string;
  readonly args: readonly string[];
  /**
   * The whole environment of the started process, which is not that of the command: a variable such as LD_PRELOAD
   * must not affect the program that builds the sandbox.
   */
  readonly env: Readonly<Record<string, string>>;
  /** File descriptors from which the process reads these bytes. */
  readonly extraFds: readonly { readonly fd: number; readonly data: Uint8Array }[];
  /** Messages about what the command cannot see or write. */
  readonly notes: readonly string[];
  /** Absolute paths that it sees, apart from what rules hide in them. */
  readonly visible: readonly string[];
  /** Absolute paths that stay hidden even in folders that it sees. */
  readonly secrets: readonly string[];
  /** Limits that the caller must enforce. */
  readonly treeLimits: TreeLimits;
  /** How many processes it may have. */
  readonly processLimit: number | undefined;
  /** The layer with its changes, if it runs on one. */
  readonly layer?: CommandLayer | undefined;
  /** Whether the layer could be mounted; otherwise nothing was run. */
  readonly wasMounted?: (() => boolean) | undefined;
  /** If what a command printed says that it met a limit of layers, a full sentence about it. */
  readonly explain?: ((output: string, succeeded: boolean) => string | undefined) | undefined;
  /** Why it runs directly on the workspace although a layer was wanted. */
  readonly direct?: string | undefined;
  /** Must be called if it ended by itself, without an error. */
  readonly succeeded?: (() => void) | undefined;
  /**
   * Must always be called when the command has ended: until then, paths that it could replace are not mounted for other
   * commands. It judges what the command changed.
   */
  finish(): Promise<FinishedCommand>;
  /** The changes that were held back so far. */
  heldBack(): readonly HeldBack[];
  /** Must be called with its processes when it was started. */
  started(tree: ProcessTree): void;
  /** The paths in its messages that the sandbox kept from it. */
  blockedPaths(output: string): readonly BlockedPath[];
  /** What it reached over the network so far. */
  networkUse(): readonly NetworkUse[];
}

/** What is known about a command after it has ended. */
export interface FinishedCommand {
  readonly heldBack: readonly HeldBack[];
  /** Full sentences for the caller. */
  readonly warnings: readonly string[];
  /** Command lines of processes that still ran in the sandbox when it ended. */
  readonly leftovers: readonly string[];
  /** What it and its children used, where the sandbox can tell. */
  readonly used?: { readonly ioBytes: number; readonly cpuMs: number };
}

/** One fact about the sandbox, for `tenon doctor`. */
export interface SandboxFact {
  readonly name: string;
  readonly status: "ok" | "warn";
  /** The state, and how to get what is missing. */
  readonly message: string;
}

/**
 * The sandbox for commands.
 *
 * A started command is the grandchild of the process of `file`, in its own session: a signal to that process kills
 * everything inside with SIGKILL. To terminate gracefully, signal its descendants first. A command that was ended by
 * signal n exits with code 128 + n.
 */
export interface Sandbox {
  /** Whether commands must not run without it: the caller must refuse them if it is not active. */
  readonly required: boolean;
  /** The result of the check; inactive before the first `ready`. */
  state(): SandboxState;
  /** Names of hosts whose credentials a command sees if it is granted them by name. */
  readonly credentialHosts: readonly string[];
  /** Check once whether the sandbox works here, by running a command in it. */
  ready(): Promise<SandboxState>;
  /** Wrap a command; throws a ToolExecutionError if the sandbox is not active or the folder is not visible. */
  wrap(command: SandboxCommand): Promise<WrappedCommand>;
  /** Wrap a program that sees only these folders; the workspace is hidden unless it is in them. */
  wrapProgram(command: SandboxCommand, folders: ProgramFolders): Promise<WrappedCommand>;
  /**
   * Open a control group for one command, which the process that becomes the command joins; the process that starts
   * commands stays outside of its limits. `undefined` if control groups are not available, and before `ready`.
   */
  openGroup(): CommandGroup | undefined;
  /** The folders of the control groups that contain the processes of all commands. */
  groupDirs(): readonly string[];
  /** Remove the /tmp and caches of a session. */
  endSession(sessionId: string): Promise<void>;
  /** Its own folders, to be removed by another process if this one is killed. */
  leftovers(): readonly string[];
  facts(): Promise<readonly SandboxFact[]>;
  /** What commands and programs reach over the network, and reached lately. */
  connections(): readonly ConnectionRow[];
  /** The changes of commands that were held back; available without a sandbox, too. */
  readonly quarantine: Quarantine;
  /** The changes of commands that were kept; available without a sandbox, too. */
  readonly layers: LayerStore;
  /** These absolute paths were changed with permission, by something else than a command; asked for where one may run. */
  accept(paths: () => readonly string[]): void;
  /** Release its resources. */
  close(): Promise<void>;
}
