import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { readFile, readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { shellQuote } from "../../command/shell-quote.js";
import { HelperRun } from "./helper-run.js";
import { findTagged, openCommandFixture, type CommandFixture } from "./testing/command-fixture.js";

let fixture: CommandFixture;

beforeEach(() => {
  fixture = openCommandFixture();
});
afterEach(() => fixture.close());

/** Children of this process that run the helper's script. */
async function helpers(parent = process.pid): Promise<number[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    pids.map(async (pid) => {
      const [stat, line] = await Promise.all(
        ["stat", "cmdline"].map((name) => readFile(`/proc/${pid}/${name}`, "latin1").catch(() => "")),
      );
      const [state, ppid] = (stat ?? "").slice((stat ?? "").lastIndexOf(")") + 2).split(" ");
      return state !== "Z" && Number(ppid) === parent && line?.includes("TENON_RUN=") ? [Number(pid)] : [];
    }),
  );
  return found.flat();
}

/** It has ended, whether or not somebody has asked how. */
async function isGone(pid: number): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, "latin1").catch(() => undefined);
  return stat === undefined || stat.slice(stat.lastIndexOf(")") + 2).startsWith("Z");
}

/** What was about to end may be gone before the signal is sent. */
function killUnlessGone(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

const run = (command: string, timeoutMs = 20_000) =>
  fixture.forCall().run({ command, readOnly: false, timeoutMs });

describe("the helper", () => {
  it("starts with the first command, serves all, and ends with the world", async () => {
    expect(await helpers()).toEqual([]);
    await Promise.all([run("echo a"), run("echo b")]);
    expect(await helpers()).toHaveLength(1);
    await fixture.world.close();
    expect(await helpers()).toEqual([]);
  });

  it("widens the pipe of a command that writes much, and of no other", async () => {
    const size = "perl -e 'print STDERR fcntl(STDOUT, 1032, 0)'";
    expect((await run(size)).stderr.text).toBe("65536");
    const wide = `for i in {1..400}; do [ "$(${size} 2>&1 >&3)" = 1048576 ] && break; sleep 0.02; done 3>&1; ${size}`;
    const { stdout, stderr } = await run(`head -c 3000000 /dev/zero; ${wide}`);
    expect(stderr.text).toBe("1048576");
    expect(stdout.bytes).toBe(3_000_000);
  });

  it("passes on what comes bit by bit through a pipe that it has widened", async () => {
    const bits = "for n in {100..199}; do echo $n; sleep 0.00$((n % 5)); done";
    const { stdout } = await run(`head -c 9000000 /dev/zero; ${bits}; head -c 3000000 /dev/zero; ${bits}`);
    expect(stdout.bytes).toBe(12_000_000 + 2 * 100 * 4);
    expect(stdout.text.endsWith(Array.from({ length: 100 }, (_, at) => `${100 + at}\n`).join(""))).toBe(true);
  });

  it("that is killed does not take running commands with it, and is started again", async () => {
    await run("true");
    const [helper] = await helpers();
    const long = run("sleep 0.6; echo still here; exit 4");
    await expect.poll(() => fixture.survivors()).toHaveLength(1 + 1); // the shell and its sleep
    process.kill(helper ?? 0, "SIGKILL");
    expect(await run("echo again")).toMatchObject({ exitCode: 0, stdout: { text: "again\n" } });
    expect(await long).toMatchObject({ exitCode: 4, stdout: { text: "still here\n" } });
    expect((await helpers())[0]).not.toBe(helper);
  });

  it("that is killed over and over harms only what it had not started", async () => {
    const outcomes = await Promise.allSettled(
      Array.from({ length: 20 }, async (_, at) => {
        const running = run(`echo ${at}`);
        if (at % 5 === 0) (await helpers()).forEach(killUnlessGone);
        return running;
      }),
    );
    for (const outcome of outcomes) {
      if (outcome.status === "rejected") expect(String(outcome.reason)).toContain("starts commands");
      else expect(outcome.value.exitCode).toBe(0);
    }
    expect(await run("echo well")).toMatchObject({ exitCode: 0 });
  });

  it("collects every process that it started", async () => {
    for (let round = 0; round < 5; round++) await Promise.all(Array.from({ length: 10 }, () => run("true")));
    const [helper] = await helpers();
    const children = async () =>
      (await readFile(`/proc/${helper}/task/${helper}/children`, "utf8")).trim().split(" ").filter(Boolean);
    await expect.poll(async () => (await children()).length).toBeLessThanOrEqual(3); // those that wait
    const states = (await children()).map(async (pid) => readFile(`/proc/${pid}/status`, "utf8"));
    for (const state of await Promise.all(states)) expect(state).toMatch(/State:\tS/);
  });

  it("starts commands without the processes that wait for them, where these were killed", async () => {
    await run("true");
    const [helper] = await helpers();
    for (let round = 0; round < 5; round++) {
      const waiting = await readFile(`/proc/${helper}/task/${helper}/children`, "utf8");
      const pids = waiting.trim().split(" ").filter(Boolean).map(Number);
      pids.forEach(killUnlessGone);
      // A signal is only on its way at first; until it arrives, their pipes are open.
      await expect.poll(async () => (await Promise.all(pids.map(isGone))).every(Boolean)).toBe(true);
      expect(await run(`echo ${round}`)).toMatchObject({ exitCode: 0, stdout: { text: `${round}\n` } });
    }
  });

  it("waits for an exit code that is reported late, as on a busy machine", async () => {
    const folder = mkdtempSync(join(tmpdir(), "tenon-late-"));
    const shell = join(folder, "bash");
    // Longer than a report takes to be missed.
    const late = `wait "$pid"; local code=$?; sleep 0.6; return $code`;
    writeFileSync(
      shell,
      `#!/bin/bash\nargs=("$@")\nfor at in "\${!args[@]}"; do args[at]=\${args[at]/'wait "$pid"'/${shellQuote(late)}}; done\nexec /bin/bash "\${args[@]}"\n`,
      { mode: 0o755 },
    );
    const own = new HelperRun(
      {
        bash: shell,
        tempDir: folder,
        tag: "TENON_RUN=late",
        openGroup: () => undefined,
        groupDirs: () => [],
        leftovers: () => [],
        adoptOrphans: () => false,
        onLate: () => {},
      },
      () => {},
    );
    const codes = [3, 4, 5, 6, 7];
    const launch = { file: "/bin/bash", cwd: folder, env: {} };
    const ends = codes.map(async (code) => {
      const running = await own.launch({ ...launch, args: ["-c", `exit ${code}`] }, () => undefined);
      return (await running.exited).code;
    });
    expect(await Promise.all(ends)).toEqual(codes);
    await own.close();
    rmSync(folder, { recursive: true });
  });

  it("ends a command whose end nobody reports any more", async () => {
    const ending = run("echo $PPID >waiter; until [ -e go ]; do sleep 0.02; done; exit 7");
    const file = join(fixture.workspace, "waiter");
    await expect.poll(() => readFile(file, "utf8").catch(() => "")).toMatch(/\n/);
    const waiter = Number(await readFile(file, "utf8"));
    killUnlessGone(waiter);
    await expect.poll(() => isGone(waiter)).toBe(true);
    writeFileSync(join(fixture.workspace, "go"), "");
    expect(await ending).toMatchObject({ exitCode: null });
  });

  it("ends everything when the host is killed, also what left its group", async () => {
    const host = spawn(
      process.execPath,
      ["--import", "jiti/register", fileURLToPath(new URL("testing/killed-host.ts", import.meta.url))],
      { stdio: ["ignore", "pipe", "inherit"] },
    );
    let said = "";
    host.stdout.setEncoding("utf8").on("data", (text: string) => (said += text));
    await expect.poll(() => said).toMatch(/^marks .*\nroot .*\nready\n/);
    const marks = /^marks (.*)$/m.exec(said)?.[1]?.split(" ") ?? [];
    expect((await findTagged(marks)).length).toBeGreaterThanOrEqual(4);
    host.kill("SIGKILL");
    await once(host, "exit");
    await expect.poll(() => findTagged(marks)).toEqual([]);
    rmSync(/^root (.*)$/m.exec(said)?.[1] ?? "", { recursive: true });
  });
});
