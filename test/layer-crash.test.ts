import { spawn, execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { snapshot } from "../src/world/journal/testing/snapshot.js";
import { isLongRun } from "./setup/random-cases.js";

const library = fileURLToPath(new URL("../dist/index.js", import.meta.url));
const child = fileURLToPath(new URL("fixtures/layer-crash-child.mjs", import.meta.url));

/** Every kind of change but a folder that hides another one, and one that is held back: begun while the sandbox ends. */
const early =
  "echo more >>a; rm b; rm -r gone; mkdir -p new/deep; echo n >new/deep/n; ln new/deep/n new/m; echo o >dir/deep/c; ln -sfn dir link; mkdir -p x/.vscode; echo {} >x/.vscode/s; echo ok >x/ok; chmod 700 dir";

/** Every kind of change, and one that is held back. */
const all =
  "echo more >>a; rm b; rm -r gone; mkdir -p new/deep; echo n >new/deep/n; ln new/deep/n new/m; rm -r dir; mkdir dir; echo o >dir/o; ln -sfn dir link; mkdir -p x/.vscode; echo {} >x/.vscode/s; echo ok >x/ok; chmod 700 new";

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "tenon-layer-crash-")));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function plant(command: string): string {
  execFileSync("rm", ["-rf", root]);
  const workspace = join(root, "workspace");
  mkdirSync(workspace, { recursive: true });
  const script =
    "echo 1 >a; echo 2 >b; mkdir -p dir/deep gone/in; echo 3 >dir/deep/c; echo 4 >gone/in/d; ln -s a link; chmod 750 dir";
  execFileSync("sh", ["-c", script], { cwd: workspace });
  writeFileSync(join(workspace, "script.sh"), command);
  return workspace;
}

/** Run the program, which is killed at the given step; returns what it printed, and whether it came to its end. */
function run(task: string, point: number): Promise<{ readonly text: string; readonly killed: boolean }> {
  const started = spawn(process.execPath, [child, library, root, task, String(point)], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { PATH: process.env["PATH"], HOME: root },
  });
  let text = "";
  started.stdout.on("data", (chunk: Buffer) => (text += chunk.toString()));
  return new Promise((done, fail) => {
    started.on("error", fail).on("close", (code, signal) => {
      if (signal === "SIGKILL" || code === 0) done({ text, killed: signal === "SIGKILL" });
      else fail(new Error(`The program ended with ${code ?? signal}.`));
    });
  });
}

describe("Tenon, killed at any step of committing a command", () => {
  it.each([
    ["begun early", early],
    ["begun when the sandbox has ended", all],
  ])("has committed all of it or nothing, %s", { timeout: 3_600_000 }, async (_, command) => {
    const workspace = plant(command);
    const before = snapshot(workspace);
    const { text } = await run("command", 0);
    const steps = Number(/steps (\d+)/.exec(text)?.[1]);
    expect(steps).toBeGreaterThan(30);
    const after = snapshot(workspace);
    expect(after).not.toEqual(before);
    const outcomes = new Set<string>();
    let kills = 0;
    const tries = isLongRun ? steps : 3;
    for (let nth = 1; nth <= tries; nth += 1) {
      const point = isLongRun ? nth : 1 + Math.floor(((nth - Math.random()) / tries) * steps);
      plant(command);
      const { killed } = await run("command", point);
      if (killed) kills += 1;
      await run("recover", 0);
      const now = snapshot(workspace);
      // The number of steps varies a little: a run that came to its end first has committed all.
      const allowed = killed ? [before, after] : [after];
      expect(allowed, `killed at step ${point} of ${steps}`).toContainEqual(now);
      outcomes.add(isDeepStrictEqual(now, after) ? "all" : "none");
    }
    expect(kills).toBeGreaterThan(tries / 2);
    if (isLongRun) expect(outcomes).toEqual(new Set(["all", "none"]));
  });
});
