import type { CommandGroup } from "../sandbox/command-group.js";
import type { Exit, Running } from "./launch.js";

/** The options that a helper is started with. */
export interface HelperRunOptions {
  readonly bash: string;
  /** Where the private folder with the pipes is created. */
  readonly tempDir: string;
  /** In the environment of everything that is started; if the host dies, the helper stops all processes that have it. */
  readonly tag: string;
  /** Open a control group for a command; the helper itself stays outside. */
  readonly openGroup: () => CommandGroup | undefined;
  /** Folders whose groups hold all processes of commands. */
  readonly groupDirs: () => readonly string[];
  /** Folders that the helper removes if the host died. */
  readonly leftovers: () => readonly string[];
  /** Whether orphans of commands become children of the helper, where the system supports it. */
  readonly adoptOrphans: () => boolean;
  /** Called with a command that started after its start was given up: it must be stopped. */
  readonly onLate: (running: Running) => void;
}

/** A command that is starting or running. */
export interface CommandEntry {
  readonly cwd: string;
  started: (pid: number) => void;
  failed: (error: Error) => void;
  ended: (exit: Exit) => void;
  /** 0 until it has started. */
  pid: number;
  /** The process that waits for it and reports its end; 0 until that is known. */
  waiter: number;
}

/** What is known about a command once it has started. */
export interface StartedCommand {
  readonly pid: number;
  readonly exited: Promise<Exit>;
  readonly group: CommandGroup | undefined;
}
