import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { ToolEnvelope } from "../../contract/call.js";
import { createTenon } from "../../runtime/create-tenon.js";
import type { Tenon } from "../../runtime/tenon.js";

let root: string;
let tenon: Tenon;

beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "tenon-wait-")));
  tenon = createTenon({
    workspace: root,
    config: { stateDir: join(root, "state"), policy: { rules: [{ decision: "allow", tool: "shell_*" }] } },
    env: { PATH: process.env["PATH"], HOME: root, SHELL: "/bin/bash" },
    home: join(root, "home"),
  });
});
afterAll(async () => {
  await tenon.close();
  rmSync(root, { recursive: true, force: true });
});

async function start(command: string): Promise<string> {
  const { result } = await tenon.call({ name: "shell_exec", arguments: { command, background: true } });
  return (result as { jobId: string }).jobId;
}

function wait(jobId: string, more: Record<string, unknown>): Promise<ToolEnvelope> {
  return tenon.call({ name: "shell_output", arguments: { job_id: jobId, timeout: 120_000, ...more } });
}

it("waits until a job listens, writes a line or ends, and returns all output until then", async () => {
  const script = `console.log("one"); setTimeout(() => { console.log("ready: 42"); require("net").createServer().listen(0, "127.0.0.1"); }, 300)`;
  const server = await start(`node -e '${script}'`);
  const line = await wait(server, { wait_for: "^ready: \\d+$" });
  expect(line).toMatchObject({ result: { met: true, stdout: "one\nready: 42\n" } });
  expect(await wait(server, { wait_for: "listening" })).toMatchObject({ result: { met: true } });
  const short = await start("sleep 0.4; echo out; echo err >&2; exit 3");
  expect(await wait(short, { wait_for: "exit" })).toMatchObject({
    result: { met: true, exitCode: 3, stdout: "out\n", stderr: "err\n" },
  });
});

it("gives up when the time is over or the job has ended, and says so", async () => {
  const job = await start("echo hi; sleep 60");
  const late = await wait(job, { wait_for: "never", timeout: 300 });
  expect(late).toMatchObject({ result: { met: false, stdout: "hi\n" } });
  expect(JSON.stringify(late.content)).toContain("never did not happen in time");
  const ended = await wait(await start("sleep 0.3"), { wait_for: "listening" });
  expect(ended).toMatchObject({ result: { met: false, exitCode: 0 } });
});

it("refuses a pattern that is not one, and is not held up by a costly one", async () => {
  const job = await start(`printf '%05000d' 0; sleep 60`);
  expect(await wait(job, { wait_for: "(" })).toFailWith("VALUE_INVALID");
  const started = performance.now();
  await wait(job, { wait_for: "^(0+)+$x", timeout: 500 });
  expect(performance.now() - started).toBeLessThan(60_000);
});
