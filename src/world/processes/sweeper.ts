import { ownStart, readEnvironment, readProcessTable, readSmall, type ProcessRow } from "./process-table.js";

/** Finds processes that left the group of their command, and ends them. */
export interface Sweeper {
  /** A command is over: whoever still carries its tag is to end. */
  later(tag: string): void;
  /** End everything that this Tenon started. */
  all(): Promise<void>;
  close(): void;
}

export interface SweeperOptions {
  /** `NAME=value` in the environment of all commands of this Tenon. */
  readonly runTag: string;
  /** The process that adopts the orphans of commands, where one does. */
  readonly adopter: () => number | undefined;
  /** The first processes of the commands that run now. */
  readonly running: () => readonly number[];
}

const delayMs = 1000;
const graceMs = 500;

/** A sweeper that looks at the whole process table, but only a while after commands have ended, for all of them at once. */
export function createSweeper(options: SweeperOptions): Sweeper {
  let over = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  const sweep = async (isOver: (variables: readonly string[]) => boolean): Promise<void> => {
    if (process.platform !== "linux") return;
    const find = (): Promise<number[]> => findLeft(options, isOver);
    for (const pid of await find()) signal(pid, "SIGTERM");
    const deadline = performance.now() + graceMs;
    for (let left = await find(); left.length > 0; left = await find()) {
      if (performance.now() > deadline) for (const pid of left) signal(pid, "SIGKILL");
      if (performance.now() > deadline + graceMs) return; // what cannot be killed is not waited for
      await new Promise((resolve) => setTimeout(resolve, 50).unref());
    }
  };
  return {
    later(tag) {
      over.add(tag);
      timer ??= setTimeout(() => {
        timer = undefined;
        const tags = over;
        over = new Set();
        void sweep((variables) => variables.some((variable) => tags.has(variable)));
      }, delayMs).unref();
    },
    all: () => sweep(() => true),
    close: () => clearTimeout(timer),
  };
}

async function findLeft(
  { runTag, adopter, running }: SweeperOptions,
  isOver: (variables: readonly string[]) => boolean,
): Promise<number[]> {
  const since = ownStart();
  const young = (await readProcessTable()).filter(({ started }) => started >= since);
  const marked = await Promise.all(
    young.map(async ({ pid }) => {
      const variables = (await readEnvironment(pid)).split("\0");
      return variables.includes(runTag) && isOver(variables) ? [pid] : [];
    }),
  );
  const orphans = orphansOf(adopter(), running(), young);
  return [...new Set([...marked.flat(), ...orphans])].filter((pid) => pid !== process.pid);
}

/**
 * Orphans without the marks of their command (`env -i setsid …`). Whose they are is not known, but it must be
 * a command that ran when they were started: where none of those runs any more, they are left behind.
 */
function orphansOf(
  adopter: number | undefined,
  running: readonly number[],
  table: readonly ProcessRow[],
): number[] {
  if (adopter === undefined) return [];
  const starts = table.filter(({ pid }) => running.includes(pid)).map(({ started }) => started);
  const own = readSmall(`/proc/${adopter}/cmdline`);
  return table
    .filter(({ parent, started }) => parent === adopter && starts.every((start) => start > started))
    .filter(({ pid }) => readSmall(`/proc/${pid}/cmdline`) !== own)
    .map(({ pid }) => pid);
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It is gone already.
  }
}
