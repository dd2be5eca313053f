import { spawn, type ChildProcess } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { rolldown } from "rolldown";
import type { Fixture } from "./drivers.js";
import { makeProgramDir } from "../../../test/setup/program-dir.js";

/** Child processes that run `child.ts`. */
export interface Children {
  start(task: string, fixture: Fixture, detail?: string): ChildProcess;
  /** Run to the end and give what it wrote; throws where it failed. */
  run(task: string, fixture: Fixture, detail?: string): Promise<string>;
  /** Where its program lies, to be started in another way. */
  readonly file: string;
  dispose(): void;
}

/** Build the child's program once. */
export async function buildChildren(): Promise<Children> {
  const dir = makeProgramDir("state-child");
  const file = join(dir, "child.mjs");
  const bundle = await rolldown({
    input: join(import.meta.dirname, "child.ts"),
    platform: "node",
    logLevel: "silent",
    external: [/^node:/, "diff", "zod"],
  });
  await bundle.write({ file, format: "esm", codeSplitting: false });
  await bundle.close();
  const start: Children["start"] = (task, fixture, detail = "") =>
    spawn(process.execPath, [file, task, optionsOf(fixture), detail], {
      stdio: ["ignore", "pipe", "inherit"],
    });
  return {
    file,
    start,
    run: (task, fixture, detail) => outputOf(start(task, fixture, detail)),
    dispose: () => rmSync(dir, { recursive: true, force: true }),
  };
}

/** The options of `openState`, for a child's command line. */
export function optionsOf({ stateDir, workspace, database }: Fixture): string {
  return JSON.stringify({ stateDir, workspace, database });
}

/** All that a child writes; rejects where it does not end well. */
export function outputOf(child: ChildProcess): Promise<string> {
  let text = "";
  child.stdout?.on("data", (chunk: Buffer) => (text += chunk.toString()));
  return new Promise((done, fail) => {
    child.on("error", fail).on("close", (code, signal) => {
      if (code === 0) done(text);
      else fail(new Error(`The child ended with ${signal ?? code}: ${text}`));
    });
  });
}
