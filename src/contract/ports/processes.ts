import type { CommitReport, WaitingLayers } from "./layers.js";
import type { HeldBack, Quarantine } from "./quarantine.js";
import type { SessionFolder } from "../session.js";

/** A shell line that is to run. */
export interface CommandRequest {
  readonly command: string;
  /** Relative to the workspace, or absolute inside the allowed paths. @default the workspace */
  readonly cwd?: string | undefined;
  /** On top of the session's environment. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** The analysis proved that it only reads: the sandbox makes the workspace read-only. */
  readonly readOnly: boolean;
  /** The hosts that it may reach, as patterns with an optional port; the policy has allowed them. @default none */
  readonly network?: readonly string[] | undefined;
  /** Told each new host that it reaches or is refused. */
  readonly onNetwork?: ((use: NetworkUse) => void) | undefined;
  /** Absolute paths of folders that it renames; a layer can only rename copies of them. */
  readonly renames?: readonly string[] | undefined;
  /** What it reads from its standard input, to the end. @default nothing; a job can be typed into */
  readonly stdin?: string | undefined;
  /** Run it in a pseudo-terminal. */
  readonly pty?: boolean | undefined;
  /** Keep its changes apart from the workspace; refused where that is not possible. */
  readonly dryRun?: boolean | undefined;
}

/** The shell that runs commands. */
export interface ShellInfo {
  /** `bash`, `sh`, `zsh`, `pwsh`, `cmd`, … */
  readonly name: string;
  readonly path: string;
  /** The grammar can judge its lines; for any other shell every line asks. */
  readonly judged: boolean;
}

/** What held a command. */
export interface SandboxState {
  readonly active: boolean;
  /** Which wall, or why there is none and how to get it. */
  readonly reason: string;
}

/** What a stream of a command brought: all of it where it is small, else head and tail. */
export interface CommandOutput {
  readonly text: string;
  readonly bytes: number;
  readonly truncated: boolean;
}

/** Connections of a command to one host, with the same outcome. */
export interface NetworkUse {
  readonly host: string;
  /** `undefined` where only the name was looked up. */
  readonly port?: number | undefined;
  /** The address that it was connected to. */
  readonly address?: string | undefined;
  /** `failed`: it was allowed, but the connection could not be made. */
  readonly verdict: "allowed" | "refused" | "failed";
  /** Why it was refused or failed, in words. */
  readonly reason?: string | undefined;
  readonly bytesSent: number;
  readonly bytesReceived: number;
  readonly connections: number;
}

/** A path that the sandbox kept from a command that failed. */
export interface BlockedPath {
  /** Absolute. */
  readonly path: string;
  /**
   * `hidden`: by a rule. `read-only`: protected. `pinned`: cannot be moved, because of a rule about a path in it.
   * `outside`: read-only, because it is outside of the workspace. `not visible`: outside of what commands see.
   */
  readonly how: "hidden" | "read-only" | "pinned" | "outside" | "not visible";
  /** The policy's rule that hides it or makes it read-only: settings of the sandbox do not open it. */
  readonly rule?: { readonly id: string; readonly asks: boolean } | undefined;
}

/** How a command ended. */
export interface CommandResult {
  readonly stdout: CommandOutput;
  readonly stderr: CommandOutput;
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly timedOut: boolean;
  /** Where the whole output is kept, where the answer does not hold it. */
  readonly handle?: string | undefined;
  readonly sandbox: SandboxState;
  /** Name of the shell that ran it. */
  readonly shell: string;
  /** Where it ran, as an absolute path. */
  readonly cwd: string;
  /** Processes that it left behind in the background were stopped. */
  readonly leftBehind: boolean;
  /** Their command lines, as far as they are known. */
  readonly stoppedProcesses?: readonly string[] | undefined;
  /** The limit that it was stopped at, in words. */
  readonly stoppedBy?: string | undefined;
  /** It was stopped because it wrote without end. */
  readonly flooded: boolean;
  /** Changes that were held back, because other programs would later run them or load them as configuration. */
  readonly heldBack: readonly HeldBack[];
  /** Why it changed the workspace directly, so that its changes cannot be undone, although layers are in use. */
  readonly direct?: string | undefined;
  /** What it reached over the network, and what it was refused. */
  readonly network: readonly NetworkUse[];
  /** Paths in its messages that the sandbox kept from it. */
  readonly blocked?: readonly BlockedPath[] | undefined;
  /** What became of its changes, if they could be collected before any of them reached the workspace. */
  readonly commit?: CommitReport | undefined;
  /** What else must be said, such as an output that could not be kept. */
  readonly warnings: readonly string[];
  readonly durationMs: number;
  /** CPU in ms, bytes read and written, and peak memory of the process tree, where the system tells. */
  readonly usage?:
    | { readonly cpuMs: number; readonly ioBytes?: number; readonly peakBytes?: number }
    | undefined;
}

/** What a background job does now. */
export type JobState =
  | { readonly kind: "running" }
  | { readonly kind: "waiting for input" }
  | { readonly kind: "listening"; readonly ports: readonly number[] }
  | { readonly kind: "exited"; readonly exitCode: number | null; readonly signal: string | null };

/** A background job. */
export interface JobInfo {
  readonly jobId: string;
  readonly command: string;
  readonly pid: number;
  readonly startedAt: number;
  readonly state: JobState;
  readonly sandbox: SandboxState;
  /** Whether it runs in a pseudo-terminal. */
  readonly pty: boolean;
  /** Where it was started, as an absolute path. */
  readonly cwd: string;
  /** What else is to be known: a limit that it reached. */
  readonly notes?: readonly string[] | undefined;
  /** Of the call that started it. */
  readonly callId: string;
  /** Changes that were held back so far. */
  readonly heldBack: readonly HeldBack[];
  /** What it reached over the network so far, and what it was refused. */
  readonly network: readonly NetworkUse[];
}

/** What a background job printed, and its state. */
export interface JobOutput extends JobInfo {
  /** What came since it was last asked for. */
  readonly stdout: string;
  readonly stderr: string;
  readonly truncated: boolean;
  readonly handle?: string | undefined;
}

/** What is typed into a job. */
export interface JobInput {
  readonly text: string;
  /** Close its input afterwards. @default false */
  readonly end?: boolean | undefined;
}

/** The hosts that tools need by their own configuration. */
export interface PresetHosts {
  /** As entries of the `network` argument. */
  readonly hosts: readonly string[];
  /** Variables that tell the tools about settings that they cannot see in the sandbox, without credentials. */
  readonly variables: Readonly<Record<string, string>>;
  /** The tools of which no host was found. */
  readonly unknown: readonly string[];
}

/** Shell commands of one session. Every process group dies with its call, or with the session for jobs. */
export interface Processes {
  readonly sandbox: SandboxState;
  /** What was held back from the changes of commands. */
  readonly quarantine: Quarantine;
  /** Changes of commands that wait for a decision. */
  readonly layers: WaitingLayers;
  /** Where commands of the session start, unless they name a folder. */
  readonly folder: SessionFolder;
  /** Names of hosts whose credentials a command sees if it is granted them by name. */
  readonly credentialHosts: readonly string[];
  /** Find the hosts of tools, such as `npm`, for a command in this folder. */
  presetHosts(
    names: readonly string[],
    cwd: string | undefined,
    entered?: readonly string[],
  ): Promise<PresetHosts>;
  /** The shell that lines are run by. */
  shell(): Promise<ShellInfo>;
  /** Run to the end; `onOutput` is told what comes as it comes. */
  run(
    request: CommandRequest & {
      readonly timeoutMs: number;
      readonly onOutput?: ((stream: "stdout" | "stderr", text: string) => void) | undefined;
    },
  ): Promise<CommandResult>;
  /** Start a job that outlives the call, but not the session. */
  start(request: CommandRequest): Promise<JobInfo>;
  jobs(): Promise<readonly JobInfo[]>;
  output(jobId: string): Promise<JobOutput>;
  /** Type into a job; fails if it has ended or reads no more. */
  type(jobId: string, input: JobInput): Promise<JobInfo>;
  /** Stop the whole process group; resolves when nothing of it is left. */
  kill(jobId: string): Promise<JobInfo>;
}
