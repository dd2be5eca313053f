import { writeFileSync } from "node:fs";
import { createConnection } from "node:net";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { Processes } from "../../contract/ports/processes.js";
import { openCommandFixture, type CommandFixture } from "./testing/command-fixture.js";

let fixture: CommandFixture;
let processes: Processes;

beforeAll(() => {
  fixture = openCommandFixture();
});
afterEach(async () => {
  await fixture.world.endSession("s1");
  await expect.poll(() => fixture.survivors()).toEqual([]);
});
afterAll(() => fixture.close());

const start = (command: string, options: { pty?: boolean } = {}) => {
  processes = fixture.forCall();
  return processes.start({ command, readOnly: false, ...options });
};
const stateOf = async (jobId: string) => (await processes.jobs()).find((job) => job.jobId === jobId)?.state;

const server = `node -e 'require("net").createServer().listen(0, "127.0.0.1", function () { console.log(this.address().port) })'`;

describe("a background job", () => {
  it("goes on after its call, and gives its output since it was last asked for", async () => {
    const job = await start("echo one; sleep 0.4; echo two; echo err >&2; exec sleep 1000");
    expect(job.state).toEqual({ kind: "running" });
    expect(await processes.output(job.jobId)).toMatchObject({ stdout: "one\n", stderr: "" });
    await expect.poll(async () => (await processes.output(job.jobId)).stdout).toBe("two\n");
    expect(await processes.output(job.jobId)).toMatchObject({ stdout: "", truncated: false });
  });

  it("says how it ended, and what it wrote last", async () => {
    const job = await start("sleep 0.3; echo bye; exit 5");
    await expect.poll(() => stateOf(job.jobId)).toEqual({ kind: "exited", exitCode: 5, signal: null });
    expect(await processes.output(job.jobId)).toMatchObject({ stdout: "bye\n" });
  });

  it("that fails at once is seen to have failed", async () => {
    expect(await start("no-such-program")).toMatchObject({ state: { kind: "exited", exitCode: 127 } });
  });

  it("that serves is listening on its port", async () => {
    const job = await start(server);
    await expect.poll(() => stateOf(job.jobId)).toMatchObject({ kind: "listening" });
    const port = Number((await processes.output(job.jobId)).stdout);
    expect(await stateOf(job.jobId)).toEqual({ kind: "listening", ports: [port] });
    await new Promise<void>((resolve, reject) => {
      const socket = createConnection(port, "127.0.0.1", () => resolve(socket.destroy() && undefined));
      socket.on("error", reject);
    });
  });

  it("that reads its terminal is waiting for input", async () => {
    const job = await start("echo ready; read -r answer; echo $answer", { pty: true });
    await expect.poll(() => stateOf(job.jobId)).toEqual({ kind: "waiting for input" });
    expect((await processes.output(job.jobId)).stdout).toContain("ready");
  });

  it("is stopped whole, however much it resists", async () => {
    const job = await start("trap '' TERM; setsid sleep 1000 & echo up; while :; do sleep 0.1; done");
    expect(await processes.kill(job.jobId)).toMatchObject({ state: { kind: "exited" } });
    expect(await fixture.survivors()).toEqual([]);
    expect(await processes.kill(job.jobId)).toMatchObject({ state: { kind: "exited" } });
  });

  it("that floods is held in little memory, and its whole output can be read while it runs", async () => {
    const job = await start("seq 1 100000; exec sleep 1000");
    await expect
      .poll(async () => (await processes.output(job.jobId)).handle, { timeout: 5000 })
      .toMatch(/^out_/);
    const { handle } = await processes.output(job.jobId);
    const outputs = fixture.store.forSession("s1");
    await expect
      .poll(() => outputs.page(handle ?? "", { startLine: 99_999 }), { timeout: 5000 })
      .toMatchObject({ text: "99999\n100000", totalLines: 100_000 });
  });

  it("never cuts a character in two between two looks", async () => {
    const job = await start(
      String.raw`printf 'a\xe2\x82'; until [ -e go ]; do sleep 0.02; done; printf '\xac'; exec sleep 1000`,
    );
    expect((await processes.output(job.jobId)).stdout).toBe("a");
    writeFileSync(join(fixture.workspace, "go"), "");
    await expect.poll(async () => (await processes.output(job.jobId)).stdout).toBe("€");
  });

  it("belongs to its session alone, and ends with it", async () => {
    const job = await start("exec sleep 1000");
    await expect(fixture.forCall(undefined, "other").output(job.jobId)).rejects.toThrow(/not found/);
    expect(await fixture.forCall(undefined, "other").jobs()).toEqual([]);
    await fixture.world.endSession("s1");
    expect(await fixture.survivors()).toEqual([]);
  });

  it("is refused where there are too many", async () => {
    processes = fixture.forCall();
    const starting = Array.from({ length: 20 }, () => start("exec sleep 1000"));
    const outcomes = await Promise.allSettled(starting);
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(16);
    expect(outcomes.find((outcome) => outcome.status === "rejected")).toMatchObject({
      reason: { code: "QUEUE_FULL" },
    });
  });

  it("is refused where the process ends with its call", async () => {
    const closed = openCommandFixture({ jobsUnavailable: "the process ends with its call" });
    await expect(closed.forCall().start({ command: "sleep 1000", readOnly: false })).rejects.toThrow(
      /cannot be started: the process ends/,
    );
    await closed.close();
  });
});

describe("a terminal", () => {
  it("is what a command sees that asked for one", async () => {
    processes = fixture.forCall();
    const command = "test -t 0 && test -t 1 && echo yes; exit 3";
    const result = await processes.run({ command, readOnly: false, timeoutMs: 10_000, pty: true });
    expect(result).toMatchObject({ stdout: { text: "yes\n" }, exitCode: 3 });
    const plain = await processes.run({ command, readOnly: false, timeoutMs: 10_000 });
    expect(plain.stdout.text).toBe("");
  });

  it("does not keep a command that waits for input beyond its time limit", async () => {
    const result = await fixture
      .forCall()
      .run({ command: "cat", readOnly: false, timeoutMs: 400, pty: true });
    expect(result.timedOut).toBe(true);
  });
});
