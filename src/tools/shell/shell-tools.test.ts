import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ToolEnvelope } from "../../contract/call.js";
import { createTenon } from "../../runtime/create-tenon.js";
import type { Tenon } from "../../runtime/tenon.js";
import type { ShellResult } from "./shell-result.js";
import { createShellExec } from "./shell-exec.js";
import { underLoad } from "../../../test/setup/under-load.js";

let root: string;
let workspace: string;
let tenon: Tenon;

beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "tenon-shell-")));
  workspace = join(root, "work");
  mkdirSync(join(workspace, "sub"), { recursive: true });
  writeFileSync(join(workspace, "sub", "a.txt"), "alpha\nbeta\n");
  tenon = createTenon({
    workspace,
    config: { stateDir: join(root, "state"), policy: { rules: [{ decision: "allow", tool: "shell_*" }] } },
    env: { PATH: process.env["PATH"], HOME: root, SHELL: "/bin/bash" },
    home: root,
  });
});
afterAll(async () => {
  await tenon.close();
  rmSync(root, { recursive: true, force: true });
});

async function shell(args: Record<string, unknown>): Promise<ToolEnvelope<ShellResult>> {
  return await tenon.call({ name: "shell_exec", arguments: args });
}
const text = (envelope: ToolEnvelope): string =>
  envelope.content.map((part) => (part.type === "text" ? part.text : "")).join("\n");

describe("shell_exec", () => {
  it("runs a line in the workspace and takes a failure of the command for a result", async () => {
    const envelope = await shell({ command: "pwd; cat sub/a.txt; echo oops >&2; exit 3" });
    expect(envelope).toSucceed({
      result: {
        command: "pwd; cat sub/a.txt; echo oops >&2; exit 3",
        stdout: `${workspace}\nalpha\nbeta\n`,
        stderr: "oops\n",
        exitCode: 3,
        timedOut: false,
        truncated: false,
        cwd: workspace,
      },
    });
    expect(text(envelope)).toMatch(/alpha\nbeta\n\[stderr\]\noops\n\[exit code 3\]/);
  });

  it("says that what it changed cannot be undone, where it may have changed something", async () => {
    const asked = await shell({ command: "test -t 0 && touch new", pty: true });
    expect(asked.result?.notes.join()).toMatch(
      /ran directly on the workspace \(it runs in a pseudo-terminal\): undo_edit cannot undo its changes/,
    );
    expect((await shell({ command: "touch newer" })).result).toMatchObject({ committed: "all", notes: [] });
    expect((await shell({ command: "ls" })).result?.notes.join()).not.toMatch(
      /undo_edit cannot undo its changes/,
    );
  });

  it("gives only what changed since the same line ran here before, and the whole by its handle", async () => {
    const command = "seq 1 300; cat sub/n; cat sub/n >&2";
    writeFileSync(join(workspace, "sub", "n"), "one\n");
    const first = await shell({ command, since_last: true });
    expect(first.result?.outputDiff).toBeUndefined();
    expect(first.result?.notes.join()).toMatch(/not run in this folder in this session before/);
    const same = await shell({ command, since_last: true });
    expect(same).toSucceed({ result: { outputDiff: "", stdout: "", stderr: "", exitCode: 0 } });
    expect(text(same)).toMatch(/^\(same output as in the last run\)/);
    writeFileSync(join(workspace, "sub", "n"), "two\n");
    const other = await shell({ command, since_last: true });
    expect(text(other)).toMatch(/-one\n\+two/);
    expect(text(other)).not.toContain("\n 200\n");
    const handle = other.result?.outputFile ?? "";
    const whole = await tenon.call({ name: "read_result", arguments: { handle } });
    expect((whole.result as { text: string }).text).toMatch(/^1\n2\n[^]*300\ntwo\n\n\[stderr\]\ntwo$/);
    const elsewhere = { command, cwd: "sub", since_last: true };
    expect((await shell(elsewhere)).result?.outputDiff).toBeUndefined();
    // One that is long is compared by what was kept of it.
    const long = "seq 1 40000; cat sub/n";
    await shell({ command: long });
    writeFileSync(join(workspace, "sub", "n"), "three\n");
    const late = await shell({ command: long, since_last: true });
    expect(text(late)).toMatch(/-two\n\+three/);
    expect(text(late).length).toBeLessThan(2000);
  });

  it.each(["bash", "run_command"])("is called %s too", async (name) => {
    const envelope = await tenon.call({ name, arguments: { command: "echo hi" } });
    expect(envelope).toMatchObject({ toolName: "shell_exec", result: { stdout: "hi\n" } });
  });

  it("starts where it is told, and every command starts again", async () => {
    expect((await shell({ command: "cd sub; pwd" })).result?.stdout).toBe(`${join(workspace, "sub")}\n`);
    expect((await shell({ command: "pwd" })).result?.stdout).toBe(`${workspace}\n`);
    expect((await shell({ command: "pwd", cwd: "sub" })).result?.stdout).toBe(`${join(workspace, "sub")}\n`);
  });

  it.each([["/"], [".."], ["sub/../../.."]])("does not start in %s", async (cwd) => {
    expect(await shell({ command: "pwd", cwd })).toFailWith(/PATH_/);
  });

  it("says that a folder is missing", async () => {
    const { error } = await shell({ command: "pwd", cwd: "nowhere" });
    expect(error?.message).toMatch(/nowhere/);
  });

  it("sees the session's variables and its own, none of the host's", async () => {
    const session = tenon.createSession();
    await session.call({ name: "set_env", arguments: { key: "SHADE", value: "blue green" } });
    const { result } = (await session.call({
      name: "shell_exec",
      arguments: { command: 'echo "$SHADE/$SIZE/$VITEST"', env: { SIZE: "large" } },
    })) as ToolEnvelope<ShellResult>;
    expect(result?.stdout).toBe("blue green/large/\n");
    await session.close();
  });

  it("gives the partial output of what did not end in time", async () => {
    const envelope = await shell({ command: "echo started; sleep 60", timeout: 400 });
    expect(envelope).toSucceed({ result: { timedOut: true, stdout: "started\n", exitCode: null } });
    expect(text(envelope)).toMatch(/stopped at the time limit/);
  });

  it.each([0, -1, 600_001, 1.5])("takes no time limit of %d", async (timeout) => {
    expect(await shell({ command: "true", timeout })).toFailWith("ARGUMENTS_INVALID");
  });

  it("refuses a service in the foreground and says how to start it", async () => {
    const { error } = await shell({ command: "npm run dev" });
    expect(error).toMatchObject({ code: "VALUE_INVALID" });
    expect(error?.hint).toMatch(/background/);
  });

  it("keeps a large output, which read_result pages and searches", async () => {
    const session = tenon.createSession();
    const { result } = (await session.call({
      name: "shell_exec",
      arguments: { command: "seq 1 50000" },
    })) as ToolEnvelope<ShellResult>;
    expect(result).toMatchObject({ truncated: true });
    const handle = result?.outputFile;
    const page = await session.call({
      name: "read_result",
      arguments: { handle, start_line: 40_000, end_line: 40_002 },
    });
    expect(page).toSucceed({ result: { text: "40000\n40001\n40002", totalLines: 50_000 } });
    const found = await session.call({ name: "read_result", arguments: { handle, search: "49999" } });
    expect(found).toMatchObject({ result: { matches: [{ line: 49_999, text: "49999" }] } });
    const other = await tenon.call({ name: "read_result", arguments: { handle } });
    expect(other).toFailWith("RESOURCE_NOT_FOUND");
    await session.close();
  });

  it("streams its output while it runs", async () => {
    const outputs: string[] = [];
    for await (const item of tenon.stream({
      name: "shell_exec",
      arguments: { command: "echo one; sleep 0.3; echo two" },
    })) {
      if (item.type === "TOOL_CALL_PROGRESS")
        outputs.push(String((item.payload as { output?: string }).output));
    }
    expect(outputs).toEqual(["one\n", "two\n"]);
  });

  it("stops when it is cancelled", async () => {
    const controller = new AbortController();
    const started = performance.now();
    setTimeout(() => controller.abort(), 200);
    const envelope = await tenon.call({
      name: "shell_exec",
      arguments: { command: "sleep 30" },
      signal: controller.signal,
    });
    expect(envelope).toFailWith("CANCELLED");
    expect(performance.now() - started).toBeLessThan(underLoad(3000));
  });

  it("claims to read where the line is proved to, and the whole workspace else", () => {
    const claim = (readOnly: boolean, args: object = {}) =>
      createShellExec().resources?.(
        { command: "x", timeout: 1, background: false, network: false, pty: false, ...args },
        { readOnly },
      );
    const whole = [{ tree: ".", scope: "session" }];
    expect(claim(true)).toEqual({ reads: whole });
    expect(claim(false)).toEqual({ reads: [], writes: whole });
    expect(claim(true, { background: true })).toMatchObject({ writes: whole });
    expect(claim(true, { network: true })).toEqual({ reads: [{ host: "*" }], writes: whole });
  });

  it("keeps a session's own order, and holds up no other session", async () => {
    const [one, other] = [tenon.createSession(), tenon.createSession()];
    const run = async (session: typeof one, command: string): Promise<string> => {
      const { result } = await session.call({ name: "shell_exec", arguments: { command, timeout: 50_000 } });
      return (result as { stdout: string }).stdout;
    };
    let ended = "";
    const first = run(one, "sleep 3; ls own 2>&1; touch early").finally(() => (ended += "first "));
    const second = run(one, "ls early; touch own; echo second");
    expect(await run(other, "touch theirs; echo theirs")).toBe("theirs\n");
    expect(ended).toBe("");
    expect(await first).toMatch(/No such file/);
    expect(await second).toBe("early\nsecond\n");
  });

  it("runs lines that only read at the same time, and others one after the other", async () => {
    const many = (command: string) =>
      tenon.callMany(Array.from({ length: 4 }, () => ({ name: "shell_exec", arguments: { command } })));
    await many("echo start >>log; sleep 0.1; echo end >>log");
    expect((await shell({ command: "cat log" })).result?.stdout).toBe("start\nend\n".repeat(4));
    const running = { now: 0, most: 0 };
    const off = [
      tenon.on("TOOL_CALL_STARTED", () => (running.most = Math.max(running.most, (running.now += 1)))),
      tenon.on("TOOL_CALL_COMPLETED", () => (running.now -= 1)),
    ];
    const envelopes = await many("cat log; ls -R");
    for (const stop of off) stop();
    expect(envelopes.every(({ success }) => success)).toBe(true);
    expect(running.most).toBe(4);
  });
});

describe("background jobs", () => {
  it("are started, listed, read and stopped", async () => {
    const session = tenon.createSession();
    const call = (name: string, args: object = {}) => session.call({ name, arguments: args });
    const started = await call("shell_exec", {
      command: "echo up; trap 'echo down; exit 0' TERM; while :; do sleep 0.05; done",
      background: true,
    });
    expect(started).toSucceed({ result: { jobId: "job_1", state: "running", exitCode: null } });
    expect(text(started)).toMatch(/Background job job_1 is running/);
    expect(await call("shell_jobs")).toMatchObject({
      result: { count: 1, jobs: [{ jobId: "job_1", state: "running" }] },
    });
    expect(await call("shell_output", { job_id: "job_1" })).toMatchObject({ result: { stdout: "up\n" } });
    expect(text(await call("shell_output", { job_id: "job_1" }))).toMatch(/no new output/);
    expect(await call("shell_kill", { job_id: "job_1" })).toMatchObject({
      result: { state: /^exited|^ended/ },
    });
    expect(await call("shell_output", { job_id: "job_1" })).toMatchObject({ result: { stdout: "down\n" } });
    expect(await call("shell_kill", { job_id: "job_9" })).toFailWith("RESOURCE_NOT_FOUND");
    await session.close();
  });

  it("are refused where the process ends with its call", async () => {
    const short = createTenon({
      workspace,
      jobs: false,
      config: { stateDir: join(root, "state"), policy: { rules: [{ decision: "allow", tool: "shell_*" }] } },
    });
    const envelope = await short.call({ name: "bash", arguments: { command: "sleep 5", background: true } });
    expect(envelope).toFailWith("SERVICE_UNAVAILABLE");
    expect(envelope.error?.message).toMatch(/ends with its call/);
    await short.close();
  });
});

describe("by default", () => {
  it("a line that only reads runs unasked, and any other asks", async () => {
    const careful = createTenon({ workspace, config: { stateDir: join(root, "state") }, home: root });
    const run = (command: string) => careful.call({ name: "shell_exec", arguments: { command } });
    expect(await run("cat sub/a.txt | grep alpha")).toMatchObject({
      result: { stdout: "alpha\n", sandboxed: true },
    });
    expect(await run("touch y")).toFailWith("APPROVAL_UNAVAILABLE");
    expect(await run("rm -rf /")).toFailWith("ACCESS_DENIED");
    await careful.close();
  });

  it("the person is shown every command, and nobody is asked about a service in the foreground", async () => {
    const asked: unknown[] = [];
    const careful = createTenon({
      workspace,
      config: { stateDir: join(root, "state") },
      home: root,
      interact: { approve: (request) => (asked.push(request), { verdict: "no" as const }) },
    });
    await careful.call({ name: "shell_exec", arguments: { command: "touch y && git commit -m 'a b'" } });
    await careful.call({ name: "shell_exec", arguments: { command: "npm run dev" } });
    expect(asked).toHaveLength(1);
    expect(JSON.stringify(asked)).toMatch(/touch y.*git commit -m/);
    await careful.close();
  });
});
