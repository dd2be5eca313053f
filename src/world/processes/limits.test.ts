import { spawnSync } from "node:child_process";
import { mkdirSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { CommandResult, Processes } from "../../contract/ports/processes.js";
import { testLayerLimits } from "../sandbox/sandbox.fixture.js";
import { profileNames } from "../sandbox/profiles.js";
import type { SandboxLimits } from "../sandbox/sandbox-types.js";
import { createSandbox } from "../sandbox/sandbox.js";
import { openCommandFixture, type CommandFixture } from "./testing/command-fixture.js";
import { underLoad } from "../../../test/setup/under-load.js";

const MiB = 1024 * 1024;
let fixture: CommandFixture | undefined;

afterEach(async () => {
  const closing = fixture;
  await closing?.close();
  expect(await closing?.survivors()).toEqual([]);
});

/** Commands in a real sandbox with these limits. */
function open(limits: SandboxLimits): Processes {
  fixture = openCommandFixture({
    sandbox(workspace, root) {
      const [home, stateDir] = [join(root, "home"), join(root, "state")];
      for (const folder of [home, stateDir]) mkdirSync(folder);
      return createSandbox({
        workspace,
        home,
        stateDir,
        settings: {
          enabled: "required",
          profiles: profileNames,
          readable: [],
          writable: [],
          hidden: [],
          unixSockets: false,
          limits,
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
  return fixture.forCall();
}

const run = (processes: Processes, command: string, timeoutMs = 20_000): Promise<CommandResult> =>
  processes.run({ command, readOnly: false, timeoutMs });

describe("commands at the limit of processes", () => {
  it("start, answer and stop as long as there are jobs to be had", async () => {
    const processes = open({ processes: 8 });
    const fill = "for n in $(seq 20); do sleep 1000 & done; wait";
    const began = performance.now();
    await Promise.all(Array.from({ length: 16 }, () => processes.start({ command: fill, readOnly: false })));
    expect(performance.now() - began).toBeLessThan(underLoad(20_000));
    await expect(processes.start({ command: "true", readOnly: false })).rejects.toThrow(
      /16 running background jobs/,
    );
    const asked = performance.now();
    expect(await run(processes, "sleep 30", 1000)).toMatchObject({ timedOut: true });
    expect(performance.now() - asked).toBeLessThan(underLoad(8000));
    expect(await run(processes, "echo well")).toMatchObject({ exitCode: 0, stdout: { text: "well\n" } });
    expect(await processes.kill("job_1")).toMatchObject({ state: { kind: "exited" } });
    expect((await processes.jobs()).filter(({ state }) => state.kind === "exited")).toHaveLength(1);
  });

  it.each([1, 2])("run one program with a limit of %i", async (limit) => {
    const processes = open({ processes: limit });
    expect(await run(processes, "echo one")).toMatchObject({ exitCode: 0, stdout: { text: "one\n" } });
  });

  it("hold a fork bomb, answer in time, and say so", async () => {
    const processes = open({ processes: 30 });
    const began = performance.now();
    const result = await run(processes, "bomb() { bomb | bomb & }; bomb; sleep 60", 1500);
    expect(performance.now() - began).toBeLessThan(underLoad(8000));
    expect(result.timedOut).toBe(true);
    // Root is held by a control group, which counts; others by a limit of the kernel that tells nobody but them.
    const told = [...result.warnings, result.stderr.text].join("\n");
    expect(told).toMatch(/limit of 30 processes|Resource temporarily unavailable/);
    expect(await run(processes, "echo well")).toMatchObject({ exitCode: 0 });
  });
});

describe("what a command leaves running", () => {
  it("is stopped at its end and told by name", async () => {
    const processes = open({});
    const result = await run(processes, "sleep 4321 >/dev/null 2>&1 & sleep 0.3; echo started; exit 3");
    expect(result).toMatchObject({ exitCode: 3, stdout: { text: "started\n" }, leftBehind: true });
    expect(result.stoppedProcesses).toEqual(["sleep 4321"]);
    expect(await run(processes, "sleep 0.05 & wait")).toMatchObject({ leftBehind: false });
  });
});

describe("without a sandbox and without control groups", () => {
  it("a process that left its session and its environment ends after its command", async () => {
    fixture = openCommandFixture();
    const seconds = `8${process.pid}.5`;
    const isAlive = (): boolean => {
      const found = spawnSync("pgrep", ["-xf", `sleep ${seconds}`], { encoding: "utf8" });
      return found.stdout.trim() !== "";
    };
    const command = `env -i setsid sleep ${seconds} >/dev/null 2>&1 & sleep 0.2; echo ok`;
    expect(await run(fixture.forCall(), command)).toMatchObject({ stdout: { text: "ok\n" } });
    await expect.poll(isAlive).toBe(false);
  });
});

describe("/tmp and caches of commands", () => {
  it("are a session's own and go with it", async () => {
    const one = open({});
    const other = fixture?.forCall(undefined, "s2") ?? one;
    const cache = join(dirname(fixture?.workspace ?? ""), "home/.cache/note");
    const write = `echo secret > /tmp/note && echo secret > '${cache}' && echo ok`;
    const read = `cat /tmp/note '${cache}' 2>/dev/null`;
    expect(await run(one, write)).toMatchObject({ stdout: { text: "ok\n" } });
    expect((await run(one, read)).stdout.text).toBe("secret\nsecret\n");
    expect((await run(other, `${read}; ls -A /tmp`)).stdout.text).not.toMatch(/secret|note/);
    await fixture?.world.endSession("s1");
    expect((await run(fixture?.forCall() ?? one, read)).stdout.text).toBe("");
  });
});

describe("the disk", () => {
  it.each([
    ["many files in the workspace", "for n in $(seq 200); do head -c 4M /dev/zero > part$n; done"],
    ["one file in /tmp", "head -c 4G /dev/zero > /tmp/big"],
    [
      "space that is only reserved",
      "for n in $(seq 60); do fallocate -l 20M hole$n; sleep 0.05; done; sleep 60",
    ],
    [
      "a file that was deleted while it is written",
      "exec 3>gone; rm gone; head -c 4G /dev/zero >&3; sleep 60",
    ],
  ])("is bounded: %s", async (_name, command) => {
    const processes = open({ disk: 40 * MiB });
    const result = await run(processes, command);
    expect(result.stoppedBy).toMatch(/40 MiB of the disk \(sandbox\.limits\.disk\)/);
    expect(result.timedOut).toBe(false);
  });

  it("is counted by what is there, not by what was written and deleted again", async () => {
    const processes = open({ disk: 40 * MiB });
    const result = await run(
      processes,
      "for n in $(seq 12); do head -c 10M /dev/zero > part; sync part; rm part; sleep 0.1; done; echo done",
    );
    expect(result).toMatchObject({ exitCode: 0, stdout: { text: "done\n" } });
  });

  it("is bounded for a job, which says why it ended", async () => {
    const processes = open({ disk: 40 * MiB });
    const { jobId } = await processes.start({ command: "cat /dev/zero > endless", readOnly: false });
    await expect
      .poll(async () => (await processes.output(jobId)).state.kind, { timeout: 20_000 })
      .toBe("exited");
    expect((await processes.output(jobId)).notes).toEqual([expect.stringContaining("sandbox.limits.disk")]);
    expect(statSync(join(fixture?.workspace ?? "", "endless")).size).toBeLessThan(4096 * MiB);
  });
});
