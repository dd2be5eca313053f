import type { Role } from "./ports/access.js";
import type { ClientConnection } from "./ports/client.js";
import type { SessionEnv } from "./ports/env.js";
import type { ApprovalChannel, ClientInfo, InteractBackend } from "./ports/interact.js";
import type { LayerView } from "./ports/layers.js";
import type { SeenFiles } from "./ports/seen.js";

/** The iteration that a session works in, once it needed one. */
export interface IterationTracker {
  readonly id: string | undefined;
  /** It works in this one from now on. @param chosen It said so itself. */
  enter(iterationId: string, chosen: boolean): void;
}

/** Where the commands of a session start, unless they name a folder. */
export interface SessionFolder {
  /** Relative to the workspace, or absolute outside of it; `undefined` for the workspace itself. */
  readonly path: string | undefined;
  /** Where commands started before. */
  readonly previous: string | undefined;
  /** The last folder, if it no longer exists: commands start in the workspace then. */
  readonly lost: string | undefined;
  enter(path: string | undefined): void;
}

/** What a call may lean on: one agent at work. */
export interface CallSession {
  readonly id: string;
  readonly agent: string;
  readonly userId?: string;
  /** On whose behalf it works: keys and answers of calls belong to one principal. @default "local" */
  readonly principal?: string;
  /** What its user may do. A viewer may only read. @default "admin" */
  readonly role?: Role;
  /** The MCP endpoint that it came through. */
  readonly endpoint?: string;
  /** The task of calls that name none. */
  readonly taskId?: string;
  readonly iterationId?: string | undefined;
  /** Its place in the pipeline. */
  readonly iterationTracker?: IterationTracker;
  readonly allowedPaths?: readonly string[];
  /** Whether a tool may be found and described. @default every tool of the toolset */
  readonly sees?: ((toolName: string) => boolean) | undefined;
  readonly env: SessionEnv;
  readonly seen: SeenFiles;
  /** Where its commands start. @default the workspace */
  readonly folder?: SessionFolder | undefined;
  /** How its own person is reached. @default the runtime's way */
  readonly interact?: InteractBackend | undefined;
  /** The MCP host that it works for. */
  readonly client?: ClientConnection | undefined;
  /** The program that it works for, in that program's own words. */
  readonly clientInfo?: ClientInfo | undefined;
  /** Channels that may not consent to its calls unless the configuration names them. @default none */
  readonly closedChannels?: readonly ApprovalChannel[] | undefined;
}

/** What a rule says about a path. */
export interface PathRuling {
  readonly decision: "allow" | "ask" | "deny";
  /** Id of the rule. */
  readonly rule: string;
  /** It says the same about everything below. */
  readonly below: boolean;
}

/** Where an absolute path stands to the lists of allowed paths: on them, on the way to a path on them, or elsewhere. */
export type PathWhitelist = (path: string) => "inside" | "above" | "outside";

/** What the policy's rules about paths mean for the commands of a call. */
export interface CommandPaths {
  /** Globs of the rules that deny or ask: they match no other paths. */
  readonly patterns: readonly string[];
  /** What the first matching rule says; paths inside the workspace are relative to it. */
  judge(path: string, access: "read" | "write"): PathRuling | undefined;
  /** Absolute paths that the line names: the person or rule that let the call run has consented to them. */
  readonly named: readonly string[];
  /**
   * The line runs unasked and prints contents of files: what needs consent is left out. `bases` are the
   * absolute folders and files that it reads. `undefined` if it was asked about, or prints no contents.
   */
  readonly unasked?: { readonly bases: readonly string[] } | undefined;
}

/** What a command changed, as a person is asked about it. */
export type ShownChanges = Pick<LayerView, "changes" | "heldBack" | "diff">;

/** The call that a port is handed out for. */
export interface CallScope {
  readonly callId: string;
  /** The call from outside that this one belongs to; its own id if no other call made it. */
  readonly rootCallId?: string | undefined;
  readonly toolName: string;
  readonly taskId: string | undefined;
  readonly session: CallSession;
  readonly signal: AbortSignal;
  /** Whether it is aborted, without making a signal. */
  readonly isAborted?: boolean;
  /** Which paths the policy lets this call read; `undefined` where no rule denies any. */
  readable(): ((path: string) => boolean) | undefined;
  /** Whether the policy lets this call change what one of its paths leads to now. */
  changeable?(path: string): boolean;
  /** What the policy's rules about paths mean for commands of this call. */
  commandPaths?(): CommandPaths | undefined;
  /** Absolute paths that the call's shell line is known to change; the policy has judged each of them. */
  changes?(): readonly string[];
  /**
   * The call runs before a person has consented: nothing of it may take effect, and it may not reach the network, until
   * this resolves. Without changes the person is asked about the call itself. `undefined` if no consent is missing.
   */
  readonly askAfter?: ((changes?: ShownChanges) => Promise<void>) | undefined;
  /** Stop the call's clock while a person is asked; the result starts it again. */
  pauseClock(): () => void;
  /** Count what a process of the call took. */
  used?(use: { readonly cpuMs?: number; readonly memoryBytes?: number; readonly ioBytes?: number }): void;
}
