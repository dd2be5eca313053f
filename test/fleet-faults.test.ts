import { spawn } from "node:child_process";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { answerOf } from "../scripts/fleet/clients.mjs";
import { underLoad } from "./setup/under-load.js";

const script = resolve(import.meta.dirname, "../scripts/fleet-faults.mjs");

/** Run the driver; what it printed, and how it ended. */
function run(...args: readonly string[]): Promise<{ readonly code: number | null; readonly text: string }> {
  return new Promise((done) => {
    const child = spawn(process.execPath, [script, ...args], { stdio: ["ignore", "pipe", "pipe"] });
    let text = "";
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (chunk: Buffer) => (text += chunk.toString()));
    child.once("exit", (code) => done({ code, text }));
  });
}

describe("a fleet of two fronts and three workers, two of them with a wrong clock", () => {
  it(
    "loses nothing, does nothing twice and answers in time, whatever fails",
    async () => {
      // Each kind of fault that ends within seconds; the long ones are for a run by hand.
      const faults = [
        "killWorker",
        "forgetNats",
        "sendNonsense",
        "stopPostgres",
        "moveWorkspaces",
        "fillStream",
      ];
      const rest = ["killFront", "fillDisk", "stopWorkerBriefly", "cutWorker"];
      const only = [...faults, ...rest].join(",");
      // The driver adds to it what the load of its own minute asks for, which nobody knows before.
      const { code, text } = await run("--once", "--only", only, "--clients", "5", "--slack", "3000");
      expect(text).toMatch(/, 0 violations\./);
      expect(code).toBe(0);
    },
    underLoad(240_000),
  );
});

describe("the driver", () => {
  // A full disk: the shell made the file, found no room for the line, and the disk had room again at the commit.
  it("takes a command that failed for failed, though the empty file that it made was committed", () => {
    const result = { exitCode: 1, stderr: "echo: write error: No space left on device", committed: "all" };
    const task = { kind: "append" };
    const failed = answerOf(task, { success: true, callId: "call_1", result }, undefined);
    expect(failed?.code).toBe("COMMAND_FAILED");
    const codeOf = (of: object): string | undefined =>
      answerOf(task, { success: true, callId: "call_1", result: of }, undefined)?.code;
    expect(codeOf({ exitCode: 0, committed: "none" })).toBe("COMMAND_FAILED");
    expect(codeOf({ exitCode: 0, committed: "all" })).toBeUndefined();
    // There was no room for a layer either, so the command ran directly on the workspace.
    expect(codeOf({ exitCode: 0, notes: ["The command ran directly on the workspace."] })).toBeUndefined();
  });
});
