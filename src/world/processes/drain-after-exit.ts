import { settlesWithin } from "../../contract/system-clock.js";
import type { Running } from "./launch.js";
import { commandLineOf, readTree, type ProcessTree } from "./process-table.js";
import { groupExists } from "./stop-tree.js";

/** What happens to processes that a command leaves behind. */
export interface LeftoverDeps {
  /** Stop them in the background. */
  readonly stopLeftovers: (tree: ProcessTree, done: () => void) => void;
  /** Later, stop processes that left the process group of the command with this tag. */
  readonly sweepLater: (tag: string) => void;
}

/** How long output is still read after the exit if another process holds the pipe. */
export const drainMs = 250;

/**
 * Whether the output of a program ends soon. The wait has parts, because a process that stood still comes back to its
 * timers before it reads: that takes one part, and the output is read in the next.
 */
export async function drainsSoon({ drained }: Pick<Running, "drained">): Promise<boolean> {
  const parts = 5;
  for (let part = 0; part < parts; part++) if (await settlesWithin(drained, drainMs / parts)) return true;
  return false;
}

/** Read what is still in the pipes, then stop the processes that hold them open, and report those. */
export async function drainAfterExit(
  running: Running,
  tree: ProcessTree,
  parts: LeftoverDeps,
): Promise<{ readonly leftBehind: boolean; readonly leftovers: readonly string[] }> {
  const drained = await drainsSoon(running);
  running.release();
  if (tree.sandboxed) {
    running.group?.remove();
    return { leftBehind: !drained, leftovers: [] }; // the sandbox ended with it, and everything inside
  }
  const members = (running.group?.members().length ?? 0) > 0;
  if (drained && !members && !groupExists(tree.pid)) {
    running.group?.remove();
    parts.sweepLater(tree.tag);
    return { leftBehind: false, leftovers: [] };
  }
  const remaining = await readTree(tree);
  parts.stopLeftovers(tree, () => running.group?.remove());
  // Groups also have processes that have ended and were not waited for; where there is /proc, those are told apart.
  const onlyEnded = drained && remaining.length === 0 && process.platform === "linux";
  return {
    leftBehind: !onlyEnded,
    leftovers: remaining.map(({ pid }) => commandLineOf(pid)).filter((line) => line !== ""),
  };
}
