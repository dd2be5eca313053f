import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ToolEnvelope } from "../../contract/call.js";
import type { ApprovalRequest } from "../../contract/ports/interact.js";
import { createTenon } from "../../runtime/create-tenon.js";
import type { Tenon } from "../../runtime/tenon.js";
import type { ShellResult } from "./shell-result.js";

describe.each([true, false])("a session's shell (on layers: %s)", (enabled) => {
  let root: string;
  let workspace: string;
  let tenon: Tenon;
  const asked: ApprovalRequest[] = [];

  beforeAll(() => {
    root = realpathSync(mkdtempSync(join(tmpdir(), "tenon-lasting-")));
    workspace = join(root, "work");
    mkdirSync(join(workspace, "sub/deep"), { recursive: true });
    mkdirSync(join(workspace, "a b"));
    mkdirSync(join(root, "outside"));
    symlinkSync("sub/deep", join(workspace, "link"));
    symlinkSync(join(root, "outside"), join(workspace, "out"));
    writeFileSync(join(workspace, "sub/a.txt"), "alpha\n");
    tenon = createTenon({
      workspace,
      config: { stateDir: join(root, "state"), sandbox: { layers: { enabled } } },
      env: { PATH: process.env["PATH"], HOME: root, SHELL: "/bin/bash" },
      home: root,
      interact: { approve: (request) => (asked.push(request), true) },
    });
  });
  afterAll(async () => {
    await tenon.close();
    rmSync(root, { recursive: true, force: true });
  });

  type Run = (command: string, more?: Record<string, unknown>) => Promise<ShellResult>;

  /** Run commands in a session of their own. */
  const newSession = (): Run => {
    const session = tenon.createSession();
    return async (command, more = {}) => {
      const envelope: ToolEnvelope<ShellResult> = await session.call({
        name: "shell_exec",
        arguments: { command, timeout: 100_000, ...more },
      });
      if (envelope.result === undefined) throw new Error(envelope.error?.message);
      return envelope.result;
    };
  };

  it("stays where a line that is only cd has led to", async () => {
    const run = newSession();
    const moved = await run("cd sub");
    expect(moved).toMatchObject({ exitCode: 0, stdout: "", cwd: join(workspace, "sub") });
    expect(moved.notes).toContain("Later commands of this session start in sub.");
    const there = await run("pwd; cat a.txt");
    expect(there).toMatchObject({ stdout: `${workspace}/sub\nalpha\n`, cwd: join(workspace, "sub") });
    expect(there.notes).toContain("It ran in sub.");
    expect(await run("pwd", { cwd: "." })).toMatchObject({ stdout: `${workspace}\n` });
    expect(await run("cd deep && pwd")).toMatchObject({ stdout: `${workspace}/sub/deep\n` });
    expect(await run("pwd")).toMatchObject({ stdout: `${workspace}/sub\n` });
    expect(await run("cd -")).toMatchObject({ stdout: `${workspace}\n`, cwd: workspace });
    expect(await run("cd 'a b' # a comment")).toMatchObject({ cwd: join(workspace, "a b") });
    expect(await run(`cd "${workspace}/sub"; cd deep`)).toMatchObject({ cwd: join(workspace, "sub/deep") });
    expect(await newSession()("pwd")).toMatchObject({ stdout: `${workspace}\n` });
  });

  it("stays where it was after a cd that fails, leaves the workspace, or is undone with its subshell", async () => {
    const run = newSession();
    await run("cd sub");
    const missing = await run("cd nowhere");
    expect(missing.exitCode).toBe(1);
    expect(missing.stderr).toContain("nowhere");
    for (const line of ["cd /etc", "cd"])
      expect((await run(line)).notes.join(), line).toContain("Later commands do not start in");
    for (const line of ["cd ../../outside", "cd ../out"]) await run(line);
    await run("(cd deep)");
    await run("cd deep & wait");
    expect(await run("pwd")).toMatchObject({ stdout: `${workspace}/sub\n` });
    await run("cd ../link");
    expect(await run("pwd")).toMatchObject({ stdout: `${workspace}/sub/deep\n` });
  });

  it("judges lines where they run, and shows the folder to the person who is asked", async () => {
    const run = newSession();
    await run("cd sub");
    asked.length = 0;
    expect(await run("cat ../sub/a.txt")).toMatchObject({ stdout: "alpha\n" });
    expect(asked).toEqual([]);
    await run("touch made");
    expect(asked[0]?.preview?.details).toMatchObject({ cwd: "sub" });
    await run("cat ../../outside/x");
    expect(asked).toHaveLength(2);
  });

  it("goes back to the workspace if its folder is gone", async () => {
    const run = newSession();
    mkdirSync(join(workspace, "brief"));
    await run("cd brief");
    rmSync(join(workspace, "brief"), { recursive: true });
    const { stdout, notes } = await run("pwd");
    expect(stdout).toBe(`${workspace}\n`);
    expect(notes.join()).toContain("The folder brief no longer exists");
  });

  it("starts jobs and applies patches there, but file tools stay in the workspace", async () => {
    const session = tenon.createSession();
    const call = (name: string, args: Record<string, unknown>): Promise<ToolEnvelope> =>
      session.call({ name, arguments: args });
    await call("shell_exec", { command: "cd sub" });
    const job = (await call("shell_exec", { command: "pwd", background: true })).result as ShellResult;
    const output = await call("shell_output", { job_id: job.jobId, wait_for: "exit", timeout: 100_000 });
    expect(output.result).toMatchObject({ stdout: `${workspace}/sub\n` });
    const patch = "*** Begin Patch\n*** Add File: patched.txt\n+new\n*** End Patch";
    expect(await call("shell_exec", { command: `apply_patch <<'EOF'\n${patch}\nEOF` })).toSucceed();
    expect(await call("read_file", { path: "sub/patched.txt" })).toSucceed();
    expect(await call("read_file", { path: "a.txt" })).toFailWith(/NOT_FOUND/);
  });

  it("names a server that was stopped at the end of its line, and tells at once what needs a person", async () => {
    const run = newSession();
    const { stdout, exitCode, notes } = await run("node -e 'setInterval(() => {}, 1000)' & echo started");
    expect([stdout, exitCode]).toEqual(["started\n", 0]);
    expect(notes.join()).toMatch(/stopped: .*setInterval.* background: true/);
    await expect(run("vim x")).rejects.toThrow('"vim" waits for a person');
    await expect(run("npm init")).rejects.toThrow("waits for a person");
    await expect(run("python3", { background: true })).rejects.toThrow("waits for a person");
    await expect(run("top", { pty: true })).rejects.toThrow("in the foreground");
    expect(await run("seq 3 | less")).toMatchObject({ stdout: "1\n2\n3\n" });
  });

  it("feeds a command with stdin, and judges a script that is fed to a shell", async () => {
    const run = newSession();
    const text = "zwölf\n🙂\n".repeat(20_000);
    expect(await run("wc -c", { stdin: text })).toMatchObject({ stdout: `${Buffer.byteLength(text)}\n` });
    expect(await run("head -c 2", { stdin: text })).toMatchObject({ stdout: "zw" });
    expect(await run("sort | tr -d '\\n'", { stdin: "b\na\n" })).toMatchObject({ stdout: "ab" });
    expect(await run("true", { stdin: text })).toMatchObject({ exitCode: 0, timedOut: false });
    expect(await run("cat")).toMatchObject({ stdout: "", exitCode: 0 });
    await expect(run("bash", { stdin: "sudo reboot\n" })).rejects.toThrow("rights of another user");
    await expect(run("cat", { stdin: "x", pty: true })).rejects.toThrow("pseudo-terminal");
    const tooLong = run("cat", { stdin: "x".repeat(11_000_000) });
    await expect(tooLong).rejects.toThrow(/stdin|characters/);
  });
});

describe("a background job", () => {
  let root: string;
  let tenon: Tenon;

  beforeAll(() => {
    root = realpathSync(mkdtempSync(join(tmpdir(), "tenon-typing-")));
    tenon = createTenon({
      workspace: root,
      config: { stateDir: join(root, "state") },
      env: { PATH: process.env["PATH"], HOME: root, SHELL: "/bin/bash" },
      home: join(root, "home"),
      interact: { approve: () => true },
    });
  });
  afterAll(async () => {
    await tenon.close();
    rmSync(root, { recursive: true, force: true });
  });

  const call = (name: string, args: Record<string, unknown>): Promise<ToolEnvelope> =>
    tenon.call({ name, arguments: args });
  const start = async (command: string, more: Record<string, unknown> = {}): Promise<string> => {
    const { result, error } = await call("shell_exec", { command, background: true, ...more });
    if (error !== undefined) throw new Error(error.message);
    return (result as ShellResult).jobId ?? "";
  };
  const wait = async (jobId: string, waitFor: string): Promise<unknown> =>
    (await call("shell_output", { job_id: jobId, wait_for: waitFor, timeout: 100_000 })).result;

  it("waits for input, and gets what is typed", async () => {
    const job = await start(`printf 'Proceed? '; read -r answer; echo "got $answer"; cat`);
    await expect
      .poll(async () => (await call("shell_jobs", {})).result)
      .toMatchObject({
        jobs: [{ jobId: job, state: "waiting for input" }],
      });
    expect(await call("shell_input", { job_id: job, text: "yes", keys: ["enter"] })).toSucceed();
    expect(await call("shell_input", { job_id: job, text: "more\n" })).toSucceed();
    const { error } = await call("shell_input", { job_id: job, keys: ["ctrl-c"] });
    expect(error?.message).toContain("has no terminal");
    expect(await call("shell_input", { job_id: job, keys: ["ctrl-d"] })).toSucceed();
    expect(await wait(job, "exit")).toMatchObject({ met: true, exitCode: 0 });
  });

  it("in a terminal takes keys, and can be operated like vim", async () => {
    const job = await start("vim -u NONE typed.txt", { pty: true });
    await wait(job, "typed.txt");
    const typed = { job_id: job, text: "ihello" };
    expect(await call("shell_input", { ...typed, keys: ["enter", "escape"] })).toSucceed();
    expect(await call("shell_input", { job_id: job, text: ":wq\n" })).toSucceed();
    expect(await wait(job, "exit")).toMatchObject({ met: true, exitCode: 0 });
    expect(await call("shell_exec", { command: "cat typed.txt" })).toMatchObject({
      result: { stdout: "hello\n\n" },
    });
    const shell = await start("sleep 1000", { pty: true });
    expect(await call("shell_input", { job_id: shell, keys: ["ctrl-c"] })).toSucceed();
    expect(await wait(shell, "exit")).toMatchObject({ met: true, exitCode: 130 });
  });

  it("reads the stdin that it was started with to its end", async () => {
    const job = await start("cat; echo end", { stdin: "first\n" });
    expect(await wait(job, "exit")).toMatchObject({ met: true, stdout: "first\nend\n" });
  });

  it.each([
    [{ text: "x" }, /it has ended/],
    [{ keys: ["enter"] }, /it has ended/],
    [{ keys: ["ctrl-alt-delete"] }, /"ctrl-alt-delete" is not a key/],
    [{ keys: ["a"] }, /is not a key/],
    [{}, /pass text or keys/],
    [{ text: "x".repeat(5000) }, /4000 characters/],
    [{ text: "sudo reboot\n" }, /rights of another user/],
  ])("that has ended refuses %j", async (typed, message) => {
    const job = await start("true");
    await wait(job, "exit");
    const { error } = await call("shell_input", { job_id: job, ...typed });
    expect(error?.message).toMatch(message);
  });

  it("leaves no pipe open when it has ended", async () => {
    const open = (): number => readdirSync("/proc/self/fd").length;
    const before = open();
    for (let count = 0; count < 8; count++) await wait(await start("true"), "exit");
    await expect.poll(open).toBeLessThan(before + 6);
  });

  it("that does not exist is named", async () => {
    const { error } = await call("shell_input", { job_id: "job_99", text: "x" });
    expect(error?.message).toContain('"job_99" not found');
  });
});

it("feeds 100 MB to a command without copying them, where the limit for arguments is raised", async () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "tenon-stdin-")));
  const tenon = createTenon({
    workspace: root,
    config: { stateDir: join(root, "state") },
    env: { PATH: process.env["PATH"], HOME: root, SHELL: "/bin/bash" },
    argumentLimits: { chars: 200_000_000 },
    interact: { approve: () => true },
  });
  const stdin = "0123456789abcde\n".repeat(6_250_000);
  const call = (command: string): Promise<ToolEnvelope> =>
    tenon.call({ name: "shell_exec", arguments: { command, stdin, timeout: 100_000 } });
  const before = process.memoryUsage().arrayBuffers;
  let most = 0;
  const watch = setInterval(() => (most = Math.max(most, process.memoryUsage().arrayBuffers)), 5);
  try {
    expect(await call("wc -lc")).toMatchObject({
      result: { stdout: expect.stringMatching(/6250000 +100000000/) as string },
    });
    // A program that stops reading ends the write, and nobody waits for the rest.
    expect(await call("head -n 1; exec 0<&-; echo read")).toMatchObject({
      result: { stdout: "0123456789abcde\nread\n", exitCode: 0, timedOut: false },
    });
  } finally {
    clearInterval(watch);
    await tenon.close();
    rmSync(root, { recursive: true, force: true });
  }
  expect(most - before).toBeLessThan(60_000_000);
});
