import { execFile } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";
import { errnoOf } from "../../contract/errno.js";
import { isRunning, readTree, startTicksOf, type ProcessRow, type ProcessTree } from "./process-table.js";

export const graceMs = 2000;
const pollMs = 20;
const killRounds = 50;

/** Send SIGTERM to every process of a tree, then SIGKILL after the grace period; resolves when none is left. */
export async function stopTree(given: ProcessTree, grace = graceMs): Promise<void> {
  if (process.platform === "win32") return stopOnWindows(given.pid);
  let left = await readTree(given);
  if (isGone(given, left)) return;
  const [first] = left;
  const rootTicks = given.rootTicks ?? (first?.pid === given.pid ? first.startTicks : 0);
  const tree = { ...given, rootTicks };
  if (grace > 0) {
    sendTerminate(tree, left);
    left = await waitUntilGone(tree, performance.now() + grace);
  }
  for (let round = 0; round < killRounds; round++) {
    if (hasGroup(tree, left)) sendSignal(-tree.pid, "SIGKILL");
    for (const { pid } of left) sendSignal(pid, "SIGKILL");
    await delay(round === 0 ? 2 : pollMs);
    left = await readTree(tree);
    if (isGone(tree, left)) return;
  }
}

/** Without /proc only the process group can be checked; it includes zombies. */
function isGone(tree: ProcessTree, left: readonly ProcessRow[]): boolean {
  return left.length === 0 && (process.platform === "linux" || !groupExists(tree.pid));
}

/** Whether the group of the root is still its own, as far as can be seen. */
function hasGroup({ pid }: ProcessTree, members: readonly ProcessRow[]): boolean {
  return process.platform !== "linux" || members.some(({ group }) => group === pid);
}

/** Whether a process group still has members, zombies included. */
export function groupExists(pid: number): boolean {
  return sendSignal(-pid, 0);
}

function sendTerminate(tree: ProcessTree, members: readonly ProcessRow[]): void {
  if (!tree.sandboxed && hasGroup(tree, members)) sendSignal(-tree.pid, "SIGTERM");
  const sandboxPids = new Set(tree.sandboxed ? [tree.pid, ...childrenOf(tree.pid, members)] : []);
  for (const { pid, group } of members) {
    const inGroup = !tree.sandboxed && group === tree.pid;
    if (!sandboxPids.has(pid) && !inGroup) sendSignal(pid, "SIGTERM");
  }
}

function childrenOf(parent: number, members: readonly ProcessRow[]): number[] {
  return members.filter((row) => row.parent === parent).map((row) => row.pid);
}

async function waitUntilGone(tree: ProcessTree, deadline: number): Promise<readonly ProcessRow[]> {
  for (;;) {
    await delay(pollMs);
    // Checking the group is cheap; the whole process table is read only once the group is gone.
    if (groupExists(tree.pid) && performance.now() < deadline) continue;
    const left = await readTree(tree);
    if (left.length === 0 || performance.now() >= deadline) return left;
  }
}

/** Tells whether the process that has this number now still runs; another one that gets the number later does not count. */
export function runningCheck(pid: number): () => boolean {
  const startedAt = startTicksOf(pid);
  return () => isRunning(pid) && sendSignal(pid, 0) && startTicksOf(pid) === startedAt;
}

/** Whether the process or group exists; signal 0 only checks that. */
export function sendSignal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name);
  } catch (error) {
    return errnoOf(error) === "EPERM";
  }
}

function stopOnWindows(pid: number): Promise<void> {
  return new Promise((resolve) => {
    execFile("taskkill", ["/T", "/F", "/PID", String(pid)], { windowsHide: true }, () => resolve());
  });
}
