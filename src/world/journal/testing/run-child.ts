import { spawn, type ChildProcess } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { rolldown } from "rolldown";
import { makeProgramDir } from "../../../../test/setup/program-dir.js";

/** Child processes that run `child.ts`. */
export interface Children {
  start(task: string, base: string, detail?: string): ChildProcess;
  /** Run to the end; the signal that killed it, or its exit code. */
  run(task: string, base: string, detail?: string): Promise<NodeJS.Signals | number | null>;
  dispose(): void;
}

/** Build the child's program once. */
export async function buildChildren(): Promise<Children> {
  const dir = makeProgramDir("child");
  const file = join(dir, "child.mjs");
  const bundle = await rolldown({
    input: join(import.meta.dirname, "child.ts"),
    platform: "node",
    logLevel: "silent",
    external: [/^node:/, "diff"],
  });
  await bundle.write({ file, format: "esm", codeSplitting: false });
  await bundle.close();
  const start: Children["start"] = (task, base, detail = "") =>
    spawn(process.execPath, [file, task, base, detail], { stdio: ["ignore", "pipe", "inherit"] });
  return {
    start,
    run: (task, base, detail) =>
      new Promise((done, fail) => {
        const child = start(task, base, detail);
        child.on("error", fail).on("exit", (code, signal) => done(signal ?? code));
      }),
    dispose: () => rmSync(dir, { recursive: true, force: true }),
  };
}
