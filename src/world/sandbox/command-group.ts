import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { errnoOf } from "../../contract/errno.js";
import { messageOf } from "../../contract/message-of.js";

/** The control group (cgroup) of one command: its limits, and a list of its processes that none can leave. */
export interface CommandGroup {
  /** The process that becomes the command joins by writing 0 to these files. */
  readonly joins: readonly string[];
  /** The processes that are in it now. */
  members(): number[];
  /** How many processes were refused because of the limit. */
  refusals(): number;
  /** How many processes were killed since it was opened because of the memory limit, which all commands share. */
  memoryKills(): number;
  /** Which limits the command lacks because its groups could not be made, for a person. */
  readonly missing: readonly string[];
  /** Remove it soon, once it has no members. Nobody waits for that: it takes the kernel half a millisecond. */
  remove(): void;
}

/** A group that lasts as long as Tenon, unless somebody removes it. */
export interface LastingGroup {
  readonly dir: string;
  /** What it limits, in words; "" for nothing. */
  readonly limits: string;
  /** Create it with its limits. */
  readonly make: () => void;
}

export interface CommandGroupOptions {
  /** Groups that all commands join. */
  readonly shared: readonly LastingGroup[];
  /** The group in which each command gets its own; `undefined` if there are only shared ones. */
  readonly parent: LastingGroup | undefined;
  /** Processes and threads of the command; `undefined` for no limit. */
  readonly processes: number | undefined;
  /** The file that counts the processes that were killed because of the memory limit. */
  readonly memoryEvents?: string | undefined;
}

/** Creates the groups of commands, synchronously because it takes microseconds. */
export interface CommandGroups {
  open(): CommandGroup;
  /** Remove all that are empty. */
  close(): void;
}

const removeMs = 50;

/** Prepare groups for commands below an existing one. */
export function createCommandGroups({
  shared,
  parent,
  processes,
  memoryEvents,
}: CommandGroupOptions): CommandGroups {
  const countKills = (): number =>
    memoryEvents === undefined ? 0 : Number(/^oom_kill (\d+)/m.exec(readGroupFile(memoryEvents))?.[1] ?? 0);
  const countKillsFromNow = (): (() => number) => {
    const before = countKills();
    return () => countKills() - before;
  };
  let count = 0;
  /** Groups to remove once they have no members. */
  const toRemove = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  const removeEmpty = (): void => {
    clearTimeout(timer);
    timer = undefined;
    for (const dir of toRemove) if (tryRemove(dir)) toRemove.delete(dir);
  };
  const sharedDirs = shared.map(({ dir }) => dir);
  const openShared = (missing: readonly string[]): CommandGroup => ({
    joins: sharedDirs.map(joinFile),
    members: () => [],
    refusals: () => 0,
    memoryKills: countKillsFromNow(),
    missing,
    remove() {},
  });
  return {
    open() {
      const missing = shared.flatMap(restore);
      if (parent === undefined) return openShared(missing);
      const lost = restore(parent);
      if (lost.length > 0) return openShared([...missing, ...lost]);
      const dir = join(parent.dir, `command-${(count += 1)}`);
      try {
        mkdirSync(dir);
        if (processes !== undefined) writeFileSync(join(dir, "pids.max"), String(processes));
      } catch (error) {
        tryRemove(dir);
        return openShared([...missing, ...(processes === undefined ? [] : [lacking("processes", error)])]);
      }
      return {
        joins: [...sharedDirs, dir].map(joinFile),
        missing,
        members: () => readPids(join(dir, "cgroup.procs")),
        refusals: () => Number(/^max (\d+)/m.exec(readGroupFile(join(dir, "pids.events")))?.[1] ?? 0),
        memoryKills: countKillsFromNow(),
        remove() {
          toRemove.add(dir);
          timer ??= setTimeout(removeEmpty, removeMs).unref();
        },
      };
    },
    close: removeEmpty,
  };
}

/** Make a group again that somebody has removed; the result says which limits are missing where that fails. */
function restore({ dir, limits, make }: LastingGroup): string[] {
  if (existsSync(dir)) return [];
  try {
    make();
    return [];
  } catch (error) {
    tryRemove(dir); // without its limits it must not be taken for the group
    return limits === "" ? [] : [lacking(limits, error)];
  }
}

function lacking(limits: string, cause: unknown): string {
  return `The command ran without its limit on ${limits}: its control group could not be made (${messageOf(cause)}).`;
}

/** The same program, started by a shell that joins the group first. */
export function throughGroup(
  { file, args }: { readonly file: string; readonly args: readonly string[] },
  group: CommandGroup | undefined,
): { readonly file: string; readonly args: readonly string[] } {
  if (group === undefined || group.joins.length === 0) return { file, args };
  // A group that was just removed must not stop the command; the other limits apply.
  const script = 'while [ "$1" != -- ]; do echo 0 2>/dev/null >"$1"; shift; done; shift; exec "$@"';
  return { file: "/bin/sh", args: ["-c", script, "tenon-group", ...group.joins, "--", file, ...args] };
}

function joinFile(dir: string): string {
  return join(dir, "cgroup.procs");
}

/** Whether it no longer exists. */
function tryRemove(dir: string): boolean {
  try {
    rmdirSync(dir);
    return true;
  } catch (error) {
    return errnoOf(error) === "ENOENT";
  }
}

function readPids(file: string): number[] {
  // 0 stands for a process in another namespace.
  return readGroupFile(file)
    .split("\n")
    .map(Number)
    .filter((pid) => pid > 0);
}

function readGroupFile(file: string): string {
  try {
    return readFileSync(file, "latin1");
  } catch {
    return ""; // the group has gone
  }
}
