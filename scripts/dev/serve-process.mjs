import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

/** How long a server that was asked to stop may take before it is killed. */
const graceMs = 3000;

/**
 * One `tenon serve` after the other, on the same port.
 * @param {{ root: string, options: readonly string[] }} settings
 */
export function createServeProcess({ root, options }) {
  let child;
  let port;

  async function stop() {
    const leaving = child;
    child = undefined;
    if (leaving === undefined || leaving.exitCode !== null || leaving.signalCode !== null) return;
    const ended = once(leaving, "exit");
    leaving.kill("SIGINT");
    const timer = setTimeout(() => leaving.kill("SIGKILL"), graceMs);
    await ended;
    clearTimeout(timer);
  }

  /** Resolves to what the server says of itself, or to nothing where it ended instead. */
  async function restart() {
    await stop();
    const samePort = port === undefined ? [] : ["--port", String(port)];
    const args = [`${root}/bin/tenon.cjs`, "serve", ...options, ...samePort, "--json", "--no-open"];
    child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
    const started = child;
    const lines = createInterface({ input: started.stdout });
    const line = await Promise.race([
      once(lines, "line").then(([text]) => text),
      once(started, "exit").then(() => undefined),
    ]);
    if (line === undefined) return undefined;
    const info = JSON.parse(line);
    port = info.port;
    return { ...info, pid: started.pid };
  }

  return { restart, stop };
}
