import {
  ownStartTicks,
  readEnvironment,
  readProcessTable,
  readProcFile,
  type ProcessRow,
} from "./process-table.js";
import { sendSignal } from "./stop-tree.js";

/** Finds and stops processes that left the process group of their command. */
export interface Sweeper {
  /** A command has ended: stop the processes that still have its tag. */
  sweepLater(tag: string): void;
  /** Stop everything that this Tenon started. */
  sweepAll(): Promise<void>;
  close(): void;
}

export interface SweeperOptions {
  /** `NAME=value` in the environment of all commands of this Tenon. */
  readonly runTag: string;
  /** The process that adopts the orphans of commands, if there is one. */
  readonly orphanAdopter: () => number | undefined;
  /** The first processes of the commands that run now. */
  readonly runningPids: () => readonly number[];
}

const delayMs = 1000;
const graceMs = 500;

/** A sweeper that reads the whole process table, but only a while after commands have ended, once for all of them. */
export function createSweeper(options: SweeperOptions): Sweeper {
  let endedTags = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  const sweep = async (isOver: (variables: readonly string[]) => boolean): Promise<void> => {
    if (process.platform !== "linux") return;
    const find = (): Promise<number[]> => findLeftovers(options, isOver);
    for (const pid of await find()) sendSignal(pid, "SIGTERM");
    const deadline = performance.now() + graceMs;
    for (let left = await find(); left.length > 0; left = await find()) {
      if (performance.now() > deadline) for (const pid of left) sendSignal(pid, "SIGKILL");
      if (performance.now() > deadline + graceMs) return; // do not wait for processes that cannot be killed
      await new Promise((resolve) => setTimeout(resolve, 50).unref());
    }
  };
  return {
    sweepLater(tag) {
      endedTags.add(tag);
      timer ??= setTimeout(() => {
        timer = undefined;
        const tags = endedTags;
        endedTags = new Set();
        void sweep((variables) => variables.some((variable) => tags.has(variable)));
      }, delayMs).unref();
    },
    sweepAll: () => sweep(() => true),
    close: () => clearTimeout(timer),
  };
}

async function findLeftovers(
  { runTag, orphanAdopter: adopter, runningPids: running }: SweeperOptions,
  isOver: (variables: readonly string[]) => boolean,
): Promise<number[]> {
  const since = ownStartTicks();
  const ownTable = (await readProcessTable()).filter(({ startTicks: started }) => started >= since);
  const tagged = await Promise.all(
    ownTable.map(async ({ pid }) => {
      const variables = (await readEnvironment(pid)).split("\0");
      return variables.includes(runTag) && isOver(variables) ? [pid] : [];
    }),
  );
  const orphans = orphansOf(adopter(), running(), ownTable);
  return [...new Set([...tagged.flat(), ...orphans])].filter((pid) => pid !== process.pid);
}

/**
 * Orphans without the tag of their command (`env -i setsid …`). It is not known which command they belong to, but it
 * was one that ran when they were started: if none of those is still running, the orphans were left behind.
 */
function orphansOf(
  adopter: number | undefined,
  running: readonly number[],
  table: readonly ProcessRow[],
): number[] {
  if (adopter === undefined) return [];
  const starts = table.filter(({ pid }) => running.includes(pid)).map(({ startTicks: started }) => started);
  const own = readProcFile(`/proc/${adopter}/cmdline`);
  return table
    .filter(
      ({ parent, startTicks: started }) => parent === adopter && starts.every((start) => start > started),
    )
    .filter(({ pid }) => readProcFile(`/proc/${pid}/cmdline`) !== own)
    .map(({ pid }) => pid);
}
