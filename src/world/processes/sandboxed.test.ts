import { mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { CommandResult, Processes } from "../../contract/ports/processes.js";
import { testLayerLimits } from "../sandbox/sandbox.fixture.js";
import { profileNames } from "../sandbox/profiles.js";
import { createSandbox } from "../sandbox/sandbox.js";
import { openCommandFixture, type CommandFixture } from "./testing/command-fixture.js";
import { underLoad } from "../../../test/setup/under-load.js";

let fixture: CommandFixture;
let processes: Processes;

beforeAll(() => {
  fixture = openCommandFixture({
    sandbox(workspace, root) {
      const [home, stateDir] = [join(root, "home"), join(root, "state")];
      for (const folder of [home, stateDir]) mkdirSync(folder);
      return createSandbox({
        workspace,
        home,
        stateDir,
        settings: {
          enabled: "auto",
          profiles: profileNames,
          readable: [],
          writable: [],
          hidden: [],
          unixSockets: false,
          limits: {},
          quarantine: { maxItems: 10, maxBytes: 1024 * 1024, maxAgeMs: 3_600_000 },
          caches: { maxBytes: 64 * 2 ** 20 },
          credentials: [],
          layers: testLayerLimits,
        },
        allowedPaths: [],
        forbiddenPaths: [],
        protectedPaths: [],
        unprotectedPaths: [],
        carefulPaths: [],
        quarantineDir: join(stateDir, "quarantine"),
        layersDir: join(stateDir, "layers"),
        cachesDir: join(stateDir, "caches"),
        now: Date.now,
        env: { PATH: process.env["PATH"] },
        tmpdir: tmpdir(),
        monotonic: () => performance.now(),
      });
    },
  });
  processes = fixture.forCall();
});
afterEach(async () => {
  await fixture.world.endSession("s1");
  await expect.poll(() => fixture.survivors()).toEqual([]);
});
afterAll(() => fixture.close());

function run(
  command: string,
  options: Partial<Parameters<Processes["run"]>[0]> = {},
): Promise<CommandResult> {
  return processes.run({ command, readOnly: false, timeoutMs: 20_000, ...options });
}

describe("a command in the sandbox", () => {
  it("is held, and says so", async () => {
    expect(await run("echo out; echo err >&2; touch made; exit 3")).toMatchObject({
      stdout: { text: "out\n" },
      stderr: { text: "err\n" },
      exitCode: 3,
      sandbox: { active: true },
      cwd: fixture.workspace,
    });
    expect((await run("ls", { readOnly: true })).stdout.text).toBe("made\n");
  });

  it("that is said to read only cannot write", async () => {
    const result = await run("touch other && echo wrote", { readOnly: true });
    expect(result.stdout.text).toBe("");
    expect(result.stderr.text).toMatch(/Read-only/);
  });

  it("inherits no descriptor but its three", async () => {
    expect((await run("ls /proc/self/fd")).stdout.text).toBe("0\n1\n2\n3\n");
  });

  it("opens /dev/stdout and /dev/stderr", async () => {
    const result = await run("echo a >/dev/stdout; echo b >/dev/stderr");
    expect([result.stdout.text, result.stderr.text]).toEqual(["a\n", "b\n"]);
  });

  it("runs a line of 200 kB", async () => {
    const text = "äx".repeat(100_000);
    expect((await run(`printf %s '${text}' | wc -c`)).stdout.text).toBe("300000\n");
  });

  it("is asked to end before it is killed, at its time limit", async () => {
    const result = await run("trap 'echo cleaned; exit 0' TERM; while :; do sleep 0.05; done", {
      timeoutMs: 600,
    });
    expect(result).toMatchObject({ timedOut: true, stdout: { text: "cleaned\n" } });
  });

  it("that ignores that is killed, with all that left its group", async () => {
    const result = await run("trap '' TERM; setsid sleep 1000 & echo up; while :; do sleep 0.1; done", {
      timeoutMs: 600,
    });
    expect(result).toMatchObject({ timedOut: true, exitCode: null, stdout: { text: "up\n" } });
    expect(await fixture.survivors()).toEqual([]);
  });

  it("takes all that it left behind with it, whatever it did to hide", async () => {
    const result = await run(
      "env -i setsid sh -c 'env -i sleep 1000 & sleep 1000' >/dev/null 2>&1 & echo done",
    );
    expect(result).toMatchObject({ exitCode: 0, stdout: { text: "done\n" } });
    expect(result.durationMs).toBeLessThan(underLoad(5000));
  });

  it("leaves nothing when it is cancelled", async () => {
    const controller = new AbortController();
    const running = fixture.forCall(controller.signal).run({
      command: "setsid sleep 1000 & echo up; sleep 1000",
      readOnly: false,
      timeoutMs: 20_000,
      onOutput: () => controller.abort(new Error("enough")),
    });
    await expect(running).rejects.toThrow("enough");
    expect(await fixture.survivors()).toEqual([]);
  });

  it("has a terminal where it asked for one", async () => {
    const result = await run("test -t 0 && echo yes", { pty: true });
    expect(result.stdout.text).toBe("yes\n");
  });

  it("that dies of a signal says nothing that it did not write", async () => {
    expect(await run("echo out; kill -KILL $$")).toMatchObject({
      stdout: { text: "out\n" },
      stderr: { text: "" },
      exitCode: 137,
    });
  });

  it("runs many at once", async () => {
    const results = await Promise.all(Array.from({ length: 12 }, (_, at) => run(`echo ${at}`)));
    expect(results.map(({ stdout }) => stdout.text)).toEqual(
      Array.from({ length: 12 }, (_, at) => `${at}\n`),
    );
  });

  it("is a job that is seen to listen, though nobody outside can reach it", async () => {
    const job = await processes.start({
      command: `node -e 'require("net").createServer().listen(4321, "127.0.0.1")'`,
      readOnly: false,
    });
    await expect
      .poll(async () => (await processes.jobs()).find(({ jobId }) => jobId === job.jobId)?.state, {
        timeout: 10_000,
      })
      .toEqual({ kind: "listening", ports: [4321] });
    expect(await processes.kill(job.jobId)).toMatchObject({ state: { kind: "exited" } });
  });

  it("says that its folder is missing", async () => {
    await expect(run("ls", { cwd: "missing" })).rejects.toThrow(/missing/);
  });
});
