import { runningCheck } from "./stop-tree.js";
import type { CommandEntry } from "./helper-run-types.js";

const probeMs = 100;

/**
 * Wait until a command and the process that waits for it have both ended and nothing was reported, or until `isReported`.
 * As long as the process that waits runs, it does report the end, however late on a busy machine.
 */
export async function areLost(
  { waiter, pid }: Pick<CommandEntry, "waiter" | "pid">,
  isReported: () => boolean,
): Promise<boolean> {
  let runs: (() => boolean)[] | undefined;
  let misses = 0;
  // The report may still have to be read when both are gone.
  while (misses < 2) {
    await new Promise((resolve) => setTimeout(resolve, probeMs).unref());
    if (isReported()) return false;
    runs ??= [waiter, pid].map(runningCheck);
    misses = runs.some((isRunning) => isRunning()) ? 0 : misses + 1;
  }
  return true;
}
