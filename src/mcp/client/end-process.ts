import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { errnoOf } from "../../contract/errno.js";

/** How long a program may take to leave by itself, and after it was told to. */
export interface EndingTimes {
  /** After its standard input was closed. */
  readonly leaveMs: number;
  /** After SIGTERM. */
  readonly termMs: number;
}

/** End a program and all that it started: close its input, SIGTERM, SIGKILL. Resolves when it is gone. */
export async function endProcess(child: ChildProcess, times: EndingTimes): Promise<void> {
  const { pid } = child;
  if (pid === undefined) return;
  child.stdin?.end();
  if (!(await exitsWithin(child, times.leaveMs))) {
    signalGroup(pid, "SIGTERM");
    if (!(await exitsWithin(child, times.termMs))) {
      signalGroup(pid, "SIGKILL");
      await exitsWithin(child, 5000);
    }
  }
  // What it left behind in its group goes too.
  signalGroup(pid, "SIGKILL");
  child.stdin?.destroy();
  child.stdout?.destroy();
  child.stderr?.destroy();
}

/** Signal a process group; one that no longer exists is not an error. */
export function signalGroup(pid: number, signal: "SIGTERM" | "SIGKILL"): void {
  if (process.platform === "win32") {
    spawn("taskkill", ["/T", "/F", "/PID", String(pid)], { stdio: "ignore" }).on("error", () => {});
    return;
  }
  try {
    process.kill(-pid, signal);
  } catch (error) {
    if (errnoOf(error) !== "ESRCH" && errnoOf(error) !== "EPERM") throw error;
  }
}

function exitsWithin(child: ChildProcess, ms: number): Promise<boolean> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve(true);
  return new Promise((resolve) => {
    const done = (exited: boolean): void => {
      clearTimeout(timer);
      child.off("exit", onExit);
      resolve(exited);
    };
    const onExit = (): void => done(true);
    const timer = setTimeout(() => done(false), ms);
    child.once("exit", onExit);
  });
}

/** Do something once all that a process wrote is read; a grandchild may hold its pipes open, so not much later. */
export function afterOutput(child: ChildProcess, maxMs: number, work: () => void): void {
  const pipes = [child.stdout, child.stderr];
  let isDone = false;
  const finish = (): void => {
    clearTimeout(timer);
    if (!isDone) work();
    isDone = true;
  };
  const check = (): void => {
    if (pipes.every((pipe) => pipe?.readableEnded !== false)) finish();
  };
  const timer = setTimeout(finish, maxMs);
  for (const pipe of pipes) pipe?.once("end", check);
  check();
}
