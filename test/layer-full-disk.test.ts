import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createTenon } from "../src/runtime/create-tenon.js";
import type { Tenon } from "../src/runtime/tenon.js";
import type { ShellResult } from "../src/tools/shell/shell-result.js";
import { snapshot } from "../src/world/journal/testing/snapshot.js";

let root: string;
let disk: string;
let workspace: string;
let tenon: Tenon;
let canMount: boolean;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "tenon-layer-full-")));
  disk = join(root, "disk");
  workspace = join(disk, "work");
  mkdirSync(disk);
  canMount = spawnSync("mount", ["-t", "tmpfs", "-o", "size=12m", "tmpfs", disk]).status === 0;
  mkdirSync(workspace);
  execFileSync("sh", ["-c", "echo old >old; mkdir dir; echo 1 >dir/1"], { cwd: workspace });
  tenon = createTenon({
    workspace,
    config: { stateDir: join(disk, "state"), mode: "auto", sandbox: { enabled: "required" } },
    env: { PATH: process.env["PATH"], HOME: root, SHELL: "/bin/sh" },
    home: root,
  });
});
afterEach(async () => {
  await tenon.close();
  if (canMount) spawnSync("umount", [disk]);
  rmSync(root, { recursive: true, force: true });
});

async function run(command: string): Promise<ShellResult> {
  const { result, error } = await tenon.call({ name: "shell_exec", arguments: { command } });
  expect(error).toBeUndefined();
  return result as ShellResult;
}

describe("a disk that a command on a layer fills", () => {
  it("gets its room back, and the workspace stays as it was", async ({ skip }) => {
    if (!canMount) skip();
    await run("echo first >first");
    const before = snapshot(workspace);
    const result = await run("echo changed >old; rm dir/1; head -c 20M /dev/zero >big; echo $?");
    expect(result).toMatchObject({
      stdout: "1\n",
      committed: "none",
      stderr: expect.stringContaining("No space left") as string,
    });
    expect(result.notes).toEqual([
      "The disk is full, so nothing of what the command changed is in the workspace. It was discarded to make room. Free some space and run the command again.",
    ]);
    expect(snapshot(workspace)).toEqual(before);
    expect(await run("echo small >small")).toMatchObject({ committed: "all", notes: [] });
  });
});

describe("a disk that is full when a command on a layer ends", () => {
  it("leaves all of the workspace as it was", async ({ skip }) => {
    if (!canMount) skip();
    await run("echo first >first");
    const before = snapshot(workspace);
    // It ends once there is no room any more.
    const running = run(
      "echo changed >old; mkdir new; touch new/x ready; while head -c 1000 /dev/zero >>probe; do sleep 0.1; done; true",
    );
    const findReady = (): string => execFileSync("find", [disk, "-name", "ready"], { encoding: "utf8" });
    await expect.poll(findReady, { timeout: 30_000 }).not.toBe("");
    expect(() => writeFileSync(join(disk, "filler"), Buffer.alloc(20_000_000))).toThrow("ENOSPC");
    const { notes, committed } = await running;
    expect(committed).toBe("none");
    expect(notes.join()).toMatch(/^The disk is full, so nothing/);
    expect(snapshot(workspace)).toEqual(before);
    rmSync(join(disk, "filler"));
    expect(await run("echo second >second")).toMatchObject({ committed: "all", notes: [] });
  });
});
