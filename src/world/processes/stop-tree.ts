import { execFile } from "node:child_process";
import { readTree, type ProcessRow, type TreeRoot } from "./process-table.js";

/** A tree of processes that is to end. */
export interface DoomedTree extends TreeRoot {
  /** The root builds a sandbox: its end is the end of all inside, so that it is not asked to end first. */
  readonly sandboxed: boolean;
}

export const graceMs = 2000;
const pollMs = 20;
const killRounds = 50;

/** Ask every process of a tree to end, and end by force what has not within the grace; resolves when nothing is left. */
export async function stopTree(tree: DoomedTree, grace = graceMs): Promise<void> {
  if (process.platform === "win32") return stopOnWindows(tree.pid);
  let left = await readTree(tree);
  if (isGone(tree, left)) return;
  if (grace > 0) {
    askToEnd(tree, left);
    left = await untilGone(tree, performance.now() + grace);
  }
  for (let round = 0; round < killRounds; round++) {
    signal(-tree.pid, "SIGKILL");
    for (const { pid } of left) signal(pid, "SIGKILL");
    await pause(round === 0 ? 2 : pollMs);
    left = await readTree(tree);
    if (isGone(tree, left)) return;
  }
}

/** Where there is no /proc the group alone tells; it counts dead members that nobody has collected yet. */
function isGone(tree: DoomedTree, left: readonly ProcessRow[]): boolean {
  return left.length === 0 && (process.platform === "linux" || !groupExists(tree.pid));
}

/** Whether a process group still has members; dead ones that nobody has collected count. */
export function groupExists(pid: number): boolean {
  return signal(-pid, 0);
}

function askToEnd(tree: DoomedTree, members: readonly ProcessRow[]): void {
  if (!tree.sandboxed) signal(-tree.pid, "SIGTERM");
  const wall = new Set(tree.sandboxed ? [tree.pid, ...childrenOf(tree.pid, members)] : []);
  for (const { pid, group } of members) {
    const asked = !tree.sandboxed && group === tree.pid;
    if (!wall.has(pid) && !asked) signal(pid, "SIGTERM");
  }
}

function childrenOf(parent: number, members: readonly ProcessRow[]): number[] {
  return members.filter((row) => row.parent === parent).map((row) => row.pid);
}

async function untilGone(tree: DoomedTree, deadline: number): Promise<readonly ProcessRow[]> {
  for (;;) {
    await pause(pollMs);
    // The group is a cheap look; only when it is gone the whole table is worth one.
    if (groupExists(tree.pid) && performance.now() < deadline) continue;
    const left = await readTree(tree);
    if (left.length === 0 || performance.now() >= deadline) return left;
  }
}

function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function stopOnWindows(pid: number): Promise<void> {
  return new Promise((resolve) => {
    execFile("taskkill", ["/T", "/F", "/PID", String(pid)], { windowsHide: true }, () => resolve());
  });
}
