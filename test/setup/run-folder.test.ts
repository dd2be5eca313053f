import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

const project = resolve(import.meta.dirname, "../..");
let root: string;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "tenon-run-folder-")));
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

describe("the folder of a run", () => {
  it("holds what tests put into the folder for temporary files", () => {
    expect(process.env["TMPDIR"]).toMatch(/tenon-tests-\d+$/);
    expect(root.startsWith(realpathSync(process.env["TMPDIR"] ?? ""))).toBe(true);
  });

  it.each(["SIGINT", "SIGTERM", "SIGKILL"] as const)("goes when the run is ended by %s", async (signal) => {
    const { child, ended } = await startRun();
    child.kill(signal);
    await ended;
    await expect.poll(() => readdirSync(join(root, "tmp"))).toEqual([]);
  });

  it("goes with the next run where nobody removed it", async () => {
    const left = join(root, "tmp/tenon-tests-4194304"); // above any process id
    mkdirSync(join(left, "disk"), { recursive: true });
    execFileSync("mount", ["-t", "tmpfs", "none", join(left, "disk")]);
    const { child, ended } = await startRun();
    expect(existsSync(left)).toBe(false);
    child.kill("SIGKILL");
    await ended;
  });
});

/** Run a test that leaves a folder and does not end; resolves when it is there. */
async function startRun() {
  mkdirSync(join(root, "tmp"), { recursive: true });
  writeFileSync(
    join(root, "hang.test.ts"),
    `import { mkdtempSync, writeFileSync } from "node:fs";
     import { tmpdir } from "node:os";
     import { join } from "node:path";
     import { it } from "vitest";
     it("hangs", async () => {
       const folder = mkdtempSync(join(tmpdir(), "left-"));
       writeFileSync(join(folder, "x"), "");
       writeFileSync(${JSON.stringify(join(root, "ready"))}, folder);
       await new Promise((resolve) => setTimeout(resolve, 50_000));
     });`,
  );
  const runFolder = JSON.stringify(join(project, "test/setup/run-folder.ts"));
  writeFileSync(
    join(root, "vitest.config.ts"),
    `import { openRunFolder } from ${runFolder};
     openRunFolder();
     export default { test: { include: ["hang.test.ts"], globalSetup: [${runFolder}] } };`,
  );
  const program = join(project, "node_modules/vitest/vitest.mjs");
  const child = spawn(process.execPath, [program, "run", "--root", root], {
    env: { ...process.env, TMPDIR: join(root, "tmp") },
    stdio: "ignore",
  });
  const ended = once(child, "exit");
  await expect.poll(() => existsSync(join(root, "ready"))).toBe(true);
  return { child, ended };
}
