import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createTenon, type ApprovalRequest, type Tenon, type ToolEnvelope } from "../src/index.js";

// What docs/guide/without-sandbox.md says. How the sandbox is missed is tested beside it, in sandbox-absent.test.ts.
let root: string;
let tenon: Tenon | undefined;
const asked: ApprovalRequest[] = [];

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "tenon-bare-")));
  mkdirSync(join(root, "work/sub"), { recursive: true });
  writeFileSync(join(root, "work/a.txt"), "alpha\n");
  asked.length = 0;
});
afterEach(async () => {
  await tenon?.close();
  rmSync(root, { recursive: true, force: true });
});

function open(config: Record<string, unknown>): (args: Record<string, unknown>) => Promise<ToolEnvelope> {
  const opened = createTenon({
    workspace: join(root, "work"),
    home: root,
    config: { stateDir: join(root, "state"), sandbox: { enabled: "off" }, ...config },
    env: { PATH: "/usr/bin:/bin", HOME: root, SHELL: "/bin/bash" },
    interact: { approve: (request) => (asked.push(request), true) },
  });
  tenon = opened;
  return (args) => opened.call({ name: "shell_exec", arguments: args });
}

describe("without a sandbox", () => {
  it.each(["ask", "auto"])("every command asks in mode %s, and everybody is told", async (mode) => {
    const run = open({ mode });
    const answer = await run({ command: "cat a.txt" });
    expect(answer.result).toMatchObject({ stdout: "alpha\n", sandboxed: false });
    expect((answer.result as { notes: string[] }).notes.join()).toContain(
      "The command ran without a sandbox: turned off",
    );
    expect(asked[0]?.preview?.details).toMatchObject({
      sandbox: expect.stringMatching(/^none: turned off/) as string,
    });
    await run({ command: "touch new", network: ["packages.example.org"] });
    expect(asked[1]?.preview?.details).toMatchObject({ network: ["packages.example.org (new)"] });
  });

  it("no command runs in mode unattended, where nobody can be asked", async () => {
    expect(await open({ mode: "unattended" })({ command: "ls" })).toFailWith("APPROVAL_UNAVAILABLE");
    expect(asked).toEqual([]);
  });

  it("denied commands stay denied, and nothing is undone or tried", async () => {
    const run = open({});
    expect(await run({ command: "sudo ls" })).toFailWith("ACCESS_DENIED");
    expect((await run({ command: "touch new", dry_run: true })).error?.message).toMatch(/sandbox/);
  });

  it("the folder, the input and jobs work", async () => {
    const run = open({});
    await run({ command: "cd sub" });
    expect((await run({ command: "pwd" })).result).toMatchObject({ stdout: `${root}/work/sub\n` });
    expect((await run({ command: "cat", stdin: "fed" })).result).toMatchObject({ stdout: "fed" });
    const { jobId } = (await run({ command: "cat", background: true })).result as { jobId: string };
    await tenon?.call({
      name: "shell_input",
      arguments: { job_id: jobId, text: "typed\n", keys: ["ctrl-d"] },
    });
    const output = await tenon?.call({
      name: "shell_output",
      arguments: { job_id: jobId, wait_for: "exit", timeout: 100_000 },
    });
    expect(output?.result).toMatchObject({ met: true, exitCode: 0 });
  });
});
