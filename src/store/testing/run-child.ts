import { spawn, type ChildProcess } from "node:child_process";
import { join } from "node:path";
import type { Fixture } from "./drivers.js";
import { buildProgram } from "../../../test/setup/program-dir.js";

/** Child processes that run `child.ts`. */
export interface Children {
  start(task: string, fixture: Fixture, detail?: string): ChildProcess;
  /** Run to the end and give what it wrote; throws where it failed. */
  run(task: string, fixture: Fixture, detail?: string): Promise<string>;
  /** Where its program lies, to be started in another way. */
  readonly file: string;
}

/** Build the child's program once. */
export async function buildChildren(): Promise<Children> {
  const isExternal = (id: string): boolean => id.startsWith("node:") || id === "diff" || id === "zod";
  const file = await buildProgram(join(import.meta.dirname, "child.ts"), isExternal);
  const start: Children["start"] = (task, fixture, detail = "") =>
    spawn(process.execPath, [file, task, optionsOf(fixture), detail], {
      stdio: ["ignore", "pipe", "inherit"],
    });
  return {
    file,
    start,
    run: (task, fixture, detail) => outputOf(start(task, fixture, detail)),
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
