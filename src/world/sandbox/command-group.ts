import { mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** The kernel's group of one command: a limit of its own, and a list of its processes that none can leave. */
export interface CommandGroup {
  /** The files that the process that becomes the command writes 0 to. */
  readonly joins: readonly string[];
  /** The processes that are in it now. */
  members(): number[];
  /** How many processes were refused because of the limit. */
  refusals(): number;
  /** Give it back; where it still has members, later. */
  remove(): void;
}

export interface CommandGroupOptions {
  /** Groups that all commands join as they are. */
  readonly shared: readonly string[];
  /** The group in which each command gets its own; `undefined` where there are only shared ones. */
  readonly parent: string | undefined;
  /** Processes and threads of the command; `undefined` for no limit. */
  readonly processes: number | undefined;
}

/** Makes the groups of commands; the work of microseconds, so it is done at once. */
export interface CommandGroups {
  open(): CommandGroup;
  /** Remove all that are empty. */
  close(): void;
}

/** Prepare groups for commands below one that is there already. */
export function createCommandGroups({ shared, parent, processes }: CommandGroupOptions): CommandGroups {
  let count = 0;
  /** Without members, or soon so. */
  const over = new Set<string>();
  const sweep = (): void => {
    for (const dir of over) if (tryRemove(dir)) over.delete(dir);
  };
  const sharedOnly: CommandGroup = {
    joins: shared.map(toJoin),
    members: () => [],
    refusals: () => 0,
    remove() {},
  };
  return {
    open() {
      if (parent === undefined) return sharedOnly;
      sweep();
      const dir = join(parent, `command-${(count += 1)}`);
      try {
        mkdirSync(dir);
        if (processes !== undefined) writeFileSync(join(dir, "pids.max"), String(processes));
      } catch {
        tryRemove(dir);
        return sharedOnly; // the group above is gone or may hold no more
      }
      return {
        joins: [...shared, dir].map(toJoin),
        members: () => readPids(join(dir, "cgroup.procs")),
        refusals: () => Number(/^max (\d+)/m.exec(read(join(dir, "pids.events")))?.[1] ?? 0),
        remove() {
          if (!tryRemove(dir)) over.add(dir);
        },
      };
    },
    close: sweep,
  };
}

/** The same program, joining the group first: for programs that nobody starts in it. */
export function throughGroup(
  { file, args }: { readonly file: string; readonly args: readonly string[] },
  group: CommandGroup | undefined,
): { readonly file: string; readonly args: readonly string[] } {
  if (group === undefined || group.joins.length === 0) return { file, args };
  // A group that has just gone must not stop the command; the other limits hold.
  const script = 'while [ "$1" != -- ]; do echo 0 2>/dev/null >"$1"; shift; done; shift; exec "$@"';
  return { file: "/bin/sh", args: ["-c", script, "tenon-group", ...group.joins, "--", file, ...args] };
}

function toJoin(dir: string): string {
  return join(dir, "cgroup.procs");
}

/** Whether it is gone. */
function tryRemove(dir: string): boolean {
  try {
    rmdirSync(dir);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT";
  }
}

function readPids(file: string): number[] {
  // 0 is a process that cannot be seen from here.
  return read(file)
    .split("\n")
    .map(Number)
    .filter((pid) => pid > 0);
}

function read(file: string): string {
  try {
    return readFileSync(file, "latin1");
  } catch {
    return ""; // the group has gone
  }
}
