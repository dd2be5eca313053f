import { spawn, type ChildProcess } from "node:child_process";
import { join } from "node:path";
import { buildProgram } from "../../../../test/setup/program-dir.js";

/** Child processes that run `child.ts`. */
export interface Children {
  start(task: string, base: string, detail?: string): ChildProcess;
  /** Run to the end; the signal that killed it, or its exit code. */
  run(task: string, base: string, detail?: string): Promise<NodeJS.Signals | number | null>;
}

/** Build the child's program once. */
export async function buildChildren(): Promise<Children> {
  const isExternal = (id: string): boolean => id.startsWith("node:") || id === "diff";
  const file = await buildProgram(join(import.meta.dirname, "child.ts"), isExternal);
  const start: Children["start"] = (task, base, detail = "") =>
    spawn(process.execPath, [file, task, base, detail], { stdio: ["ignore", "pipe", "inherit"] });
  return {
    start,
    run: (task, base, detail) =>
      new Promise((done, fail) => {
        const child = start(task, base, detail);
        child.on("error", fail).on("exit", (code, signal) => done(signal ?? code));
      }),
  };
}
