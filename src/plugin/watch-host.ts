import { readdirSync, readFileSync } from "node:fs";
import { attempt } from "../contract/errno.js";
import type { PluginLimits } from "../contract/plugin.js";

/** What the process of a plugin and all that it started may use, where nobody says otherwise. */
export const defaultPluginLimits = {
  memory: 1024 ** 3,
  processes: 64,
} as const satisfies Required<PluginLimits>;

const everyMs = 500;
const pageBytes = 4096;
const MiB = 1024 * 1024;

/** Look at the tree of a plugin's process now and then; `onExceeded` is told once what it used too much of. */
export function watchHost(
  pid: number | undefined,
  limits: PluginLimits | undefined,
  onExceeded: (reason: string) => void,
): () => void {
  if (process.platform !== "linux" || pid === undefined) return () => {};
  const { memory = defaultPluginLimits.memory, processes = defaultPluginLimits.processes } = limits ?? {};
  const timer = setInterval(() => {
    const tree = treeOf(pid);
    const bytes = tree.reduce((sum, each) => sum + residentBytes(each), 0);
    if (bytes > memory) stop(`it used more than ${Math.round(memory / MiB)} MiB of memory (limits.memory)`);
    else if (tree.length > processes) stop(`it had more than ${processes} processes (limits.processes)`);
  }, everyMs).unref();
  const stop = (reason: string): void => {
    clearInterval(timer);
    onExceeded(reason);
  };
  return () => clearInterval(timer);
}

/** End the process of a plugin and all that it started, at once. */
export function killHost(pid: number | undefined): void {
  if (pid === undefined || process.platform === "win32") return;
  for (const each of [...treeOf(pid).toReversed(), -pid]) {
    try {
      process.kill(each, "SIGKILL");
    } catch {
      // It is gone already.
    }
  }
}

/** The process first; each thread has children of its own. */
function treeOf(root: number): number[] {
  const found = [root];
  for (let at = 0; at < found.length; at++) {
    const dir = `/proc/${found[at]}/task`;
    for (const thread of attempt(() => readdirSync(dir)) ?? []) {
      const children = read(`${dir}/${thread}/children`).split(" ");
      found.push(...children.filter((name) => name !== "").map(Number));
    }
  }
  return found;
}

/** Pages that it shares with others count for each of them, so that this is more rather than less. */
function residentBytes(pid: number): number {
  return Number(read(`/proc/${pid}/statm`).split(" ")[1] ?? 0) * pageBytes;
}

/** Empty if the process has ended. */
function read(file: string): string {
  return attempt(() => readFileSync(file, "latin1")) ?? "";
}
