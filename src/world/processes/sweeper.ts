import { ownStart, readEnvironment, readProcessTable } from "./process-table.js";

/** Finds processes that left the group of their command, by the marks in their environment, and ends them. */
export interface Sweeper {
  /** A command is over: whoever still carries its tag is to end. */
  later(tag: string): void;
  /** End everything that carries the tag of this Tenon. */
  all(): Promise<void>;
  close(): void;
}

const delayMs = 1000;
const graceMs = 500;

/** A sweeper that looks at the whole process table, but only a while after commands have ended, for all of them at once. */
export function createSweeper(runTag: string): Sweeper {
  let over = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  const sweep = async (isOver: (variables: readonly string[]) => boolean): Promise<void> => {
    if (process.platform !== "linux") return;
    const find = (): Promise<number[]> => findMarked(runTag, isOver);
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

async function findMarked(
  runTag: string,
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
  return marked.flat().filter((pid) => pid !== process.pid);
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It is gone already.
  }
}
