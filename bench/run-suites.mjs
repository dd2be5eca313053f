// Each suite runs in a process group of its own: one that hangs or crashes ends alone, with all that it started.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const program = fileURLToPath(new URL("run-suite.mjs", import.meta.url));

/** @param {string} folder */
export function listSuites(folder) {
  return readdirSync(folder)
    .filter((file) => file.endsWith(".mjs"))
    .map((file) => file.replace(/\.mjs$/, ""));
}

/**
 * Run suites one after the other. Resolves to the names of those that did not come to their end.
 * @param {{ folder: string, root: string, names: readonly string[], options?: readonly string[], timeLimitMs: number, execArgv?: readonly string[], log: (line: string) => void, stdout?: "inherit" | "ignore" }} settings
 */
export async function runSuites({
  folder,
  root,
  names,
  options = [],
  timeLimitMs,
  log,
  execArgv = [],
  stdout = "inherit",
}) {
  const failed = [];
  for (const name of names) {
    const args = [...process.execArgv, ...execArgv, program, join(folder, `${name}.mjs`), root, ...options];
    const started = performance.now();
    const child = spawn(process.execPath, args, { stdio: ["ignore", stdout, "inherit"], detached: true });
    const outcome = await outcomeOf(child, timeLimitMs);
    log(`bench: ${name} took ${((performance.now() - started) / 1000).toFixed(0)} s`);
    if (outcome === undefined) continue;
    failed.push(name);
    log(`bench: ${name} ${outcome}`);
  }
  if (failed.length > 0) log(`bench: not complete: ${failed.join(", ")}`);
  return failed;
}

/** Why a suite did not come to its end; nothing where it did. */
async function outcomeOf(child, timeLimitMs) {
  let late = false;
  const stop = () => killGroup(child.pid);
  const leave = () => {
    stop();
    process.exit(130);
  };
  const timer = setTimeout(() => {
    late = true;
    stop();
  }, timeLimitMs);
  process.once("SIGINT", leave).once("SIGTERM", leave);
  const [code, signal] = await once(child, "exit");
  clearTimeout(timer);
  process.off("SIGINT", leave).off("SIGTERM", leave);
  stop(); // what it left running
  if (late) return `was stopped after ${timeLimitMs / 1000} s (--time-limit SECONDS allows more)`;
  if (code === 0) return undefined;
  return code === null ? `was ended by ${signal}` : `failed (exit code ${code})`;
}

function killGroup(pid) {
  try {
    process.kill(-pid, "SIGKILL");
  } catch (error) {
    if (error.code !== "ESRCH") throw error; // nothing of it runs any more
  }
}
