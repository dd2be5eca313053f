import type { CommandGroup } from "../sandbox/command-group.js";
import type { Exit, Running } from "./launch.js";

/** What a helper is started with. */
export interface HelperRunOptions {
  readonly bash: string;
  /** Where the private folder with the pipes is made. */
  readonly tempDir: string;
  /** In the environment of everything that is started; the helper ends what carries it when the host is gone. */
  readonly tag: string;
  /** A control group for a command; the helper itself stays outside. */
  readonly openGroup: () => CommandGroup | undefined;
  /** Folders whose groups hold all processes of commands. */
  readonly groupDirs: () => readonly string[];
  /** Folders that are removed where the host cannot do it any more. */
  readonly leftovers: () => readonly string[];
  /** Whether orphans of commands become children of the helper, where that can be had. */
  readonly adoptOrphans: () => boolean;
  /** Told of what was started although nobody waited for it any more: it must end. */
  readonly onLate: (running: Running) => void;
}

/** A command on its way or running. */
export interface Entry {
  readonly cwd: string;
  started: (pid: number) => void;
  failed: (error: Error) => void;
  ended: (exit: Exit) => void;
  /** 0 until it has started. */
  pid: number;
}

/** What a command was started by. */
export interface Started {
  readonly pid: number;
  readonly exited: Promise<Exit>;
  readonly group: CommandGroup | undefined;
}
