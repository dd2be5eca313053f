import { Worker } from "node:worker_threads";

/**
 * Looks whether the parent is still the one that started it. `SIGKILL`, because a blocked loop hears nothing
 * else; to the whole group, which Tenon starts a plugin as the leader of, because what it started must go, too.
 */
const watch = `
const { workerData: parent } = require("node:worker_threads");
setInterval(() => {
  if (process.ppid === parent) return;
  try { process.kill(-process.pid, "SIGKILL"); } catch {}
  process.kill(process.pid, "SIGKILL");
}, 1000);
`;

/** End with the parent process, watched by a thread: a blocked event loop never sees the end of standard input. */
export function endWithParent(): void {
  new Worker(watch, { eval: true, stdin: false, workerData: process.ppid }).unref();
}

/** End this process, and with it all that it started and that is still in its group. */
export function endWithGroup(): void {
  // Registered last, so that what the plugin wants to do at the end is done.
  process.once("exit", () => {
    try {
      process.kill(-process.pid, "SIGKILL");
    } catch {
      // It leads no group: another MCP client started it, and looks after its own.
    }
  });
  process.exit(0);
}
