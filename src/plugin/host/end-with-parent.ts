import { Worker } from "node:worker_threads";

/** Looks whether the parent is still the one that started it; `SIGKILL`, because a blocked loop hears nothing else. */
const watch = `
const parent = process.ppid;
setInterval(() => { if (process.ppid !== parent) process.kill(process.pid, "SIGKILL"); }, 1000);
`;

/**
 * End this process when the one that started it is gone. The end of standard input says so, too, but a
 * plugin that blocks its event loop never reads it; a thread of its own does not depend on that.
 */
export function endWithParent(): void {
  new Worker(watch, { eval: true, stdin: false }).unref();
}
