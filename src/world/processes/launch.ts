import type { CommandGroup } from "../sandbox/command-group.js";

/** A program that is to be started, with everything spelt out. */
export interface Launch {
  /** Absolute path. */
  readonly file: string;
  readonly args: readonly string[];
  /** Absolute path of a folder. */
  readonly cwd: string;
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Descriptors from 3 on that give these bytes and then end. */
  readonly fds?: readonly { readonly fd: number; readonly data: Uint8Array }[] | undefined;
}

export type OutputStream = "stdout" | "stderr";

/** Takes what a program writes. The bytes are lent: copy what must stay. A promise asks for a pause until it settles. */
export type OutputSink = (stream: OutputStream, bytes: Uint8Array) => Promise<void> | undefined;

/** How a program ended; a signal is known only where the system told it apart from an exit code. */
export interface Exit {
  readonly code: number | null;
  readonly signal: string | null;
}

/** A program that runs, as the leader of a process group of its own. */
export interface Running {
  readonly pid: number;
  readonly exited: Promise<Exit>;
  /** The control group that it is in, where it has one of its own. */
  readonly group?: CommandGroup | undefined;
  /** Both streams have ended: nobody can write to them any more. */
  readonly drained: Promise<void>;
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
