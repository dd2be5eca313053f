import type { EndedUsage } from "./children-usage.js";
import type { CommandGroup } from "../sandbox/command-group.js";
import type { ProcessInput } from "./process-input.js";

/** A program to start. */
export interface Launch {
  /** Absolute path. */
  readonly file: string;
  readonly args: readonly string[];
  /** Absolute path of a folder. */
  readonly cwd: string;
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>;
  /** File descriptors, from 3 on, from which the program reads these bytes. */
  readonly fds?: readonly { readonly fd: number; readonly data: Uint8Array }[] | undefined;
  /** Whether it gets a pipe as its standard input; a terminal always takes input. @default it reads nothing */
  readonly hasInput?: boolean | undefined;
}

export type OutputStream = "stdout" | "stderr";

/** Receives what a program writes. Copy the bytes to keep them. Reading pauses until a returned promise settles. */
export type OutputSink = (stream: OutputStream, bytes: Uint8Array) => Promise<void> | undefined;

/** How a program ended; `signal` is set only if the system reported it separately from the exit code. */
export interface Exit {
  readonly code: number | null;
  readonly signal: string | null;
}

/** A program that runs, as the leader of a process group of its own. */
export interface Running {
  readonly pid: number;
  readonly exited: Promise<Exit>;
  /** What is typed into it; `undefined` if it reads nothing. */
  readonly input?: ProcessInput | undefined;
  /** Its own control group, if it has one. */
  readonly group?: CommandGroup | undefined;
  /** Resolves when both streams have ended and nothing can write to them any more. */
  readonly drained: Promise<void>;
  /** What has ended since the last look used, where the process that waits for commands can tell. */
  takeUsage?(): EndedUsage | undefined;
  /** Stop listening to its output. */
  release(): void;
  /** Do not keep the host process alive for it. */
  unref(): void;
}

/** Starts programs. */
export interface Launcher {
  launch(launch: Launch, sink: OutputSink): Promise<Running>;
  close(): Promise<void>;
}
