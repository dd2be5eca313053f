import { spawn } from "node:child_process";
import { errnoOf } from "../contract/errno.js";
import { InterruptedError, type Terminal } from "./command-line.js";
import { createSpinner, whileWorking } from "./spinner.js";

/** Run npm; a failure becomes an error with its output. */
export function runNpm(args: readonly string[], terminal: Terminal): Promise<void> {
  return whileWorking(
    createSpinner(terminal, {}),
    `npm ${args[0] ?? ""} is running,`,
    startNpm(args, terminal),
  );
}

function startNpm(args: readonly string[], terminal: Terminal): Promise<void> {
  const command = process.platform === "win32" ? "npm.cmd" : "npm";
  return new Promise((resolve, reject) => {
    const child = spawn(command, [...args], {
      env: terminal.env,
      stdio: ["ignore", "pipe", "pipe"],
      signal: terminal.interrupted,
    });
    let output = "";
    child.stdout.resume();
    child.stderr.setEncoding("utf8").on("data", (text: string) => (output = `${output}${text}`.slice(-4000)));
    child.once("error", (error) => {
      if (terminal.interrupted.aborted) reject(new InterruptedError());
      else reject(new Error(`Cannot run npm: ${whyNot(error)}`, { cause: error }));
    });
    child.once("exit", (code) => {
      if (code === 0) resolve();
      else reject(new Error(`npm ${args[0] ?? ""} failed with exit code ${code}:\n${output.trim()}`));
    });
  });
}

function whyNot(error: Error): string {
  return errnoOf(error) === "ENOENT" ? "it was not found on the PATH." : error.message;
}
