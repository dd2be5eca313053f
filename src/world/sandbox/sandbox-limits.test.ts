import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { throughGroup } from "./command-group.js";
import { type Fixture, openFixture } from "./sandbox.fixture.js";
import type { WrappedCommand } from "./sandbox-types.js";

const MiB = 1024 * 1024;

describe("limits of the sandbox", () => {
  let fixture: Fixture;
  beforeAll(async () => {
    fixture = await openFixture({
      settings: { limits: { fileSize: 2 * MiB, processes: 60, cpuSeconds: 1 } },
    });
  });
  afterAll(() => fixture.close());

  it("stop a file that grows too large", async () => {
    const { code } = await fixture.sh("exec dd if=/dev/zero of=big bs=1M count=20", {
      env: { PATH: "/usr/bin:/bin" },
    });
    expect(code).not.toBe(0);
    expect(statSync(join(fixture.workspace, "big")).size).toBe(2 * MiB);
  });

  it("stop a process that only burns time", async () => {
    const { code } = await fixture.sh("exec sh -c 'while :; do :; done'");
    expect(code).toBe(128 + 24);
  });

  it("can be set for one command", async () => {
    const { stdout } = await fixture.sh("ulimit -t; ulimit -f; ulimit -c", {
      limits: { cpuSeconds: 7, fileSize: MiB },
    });
    expect(stdout).toBe("7\n2048\n0\n");
  });

  it("cannot be raised from inside", async () => {
    const { stdout } = await fixture.sh(
      "ulimit -f unlimited 2>/dev/null && echo raised; ulimit -f 999999 2>/dev/null && echo raised",
    );
    expect(stdout).toBe("");
  });

  it("bound the number of processes", async () => {
    const { stdout } = await fixture.node(`
      const { spawn } = require("child_process");
      let started = 0, refused = 0, open = 150;
      const end = () => { if (--open === 0) { console.log(started, refused); process.exit(); } };
      for (let i = 0; i < 150; i++) {
        try { const c = spawn("/bin/sleep", ["5"], { stdio: "ignore" }); c.on("error", () => { refused++; end(); }); c.on("spawn", () => { started++; end(); }); }
        catch { refused++; end(); }
      }`);
    const [started = 0, refused = 0] = stdout.trim().split(" ").map(Number);
    expect(started).toBeLessThan(60);
    expect(refused).toBeGreaterThan(80);
  });

  it("survive a fork bomb, which ends with its command", async () => {
    const wrapped = await fixture.wrap({
      argv: ["/bin/bash", "-c", "bomb() { bomb | bomb & }; bomb; sleep 2"],
    });
    const group = fixture.sandbox.openGroup();
    const child = start({ ...wrapped, ...throughGroup(wrapped, group) });
    await delay(700);
    expect(insideOf(fixture.workspace).length).toBeLessThanOrEqual(65);
    child.kill("SIGKILL");
    await untilNone(fixture.workspace);
  });

  it("end what a command left behind, in a session of its own too", async () => {
    const { code } = await fixture.sh(
      "setsid sh -c 'while :; do sleep 0.1; done' >/dev/null 2>&1 & echo started",
    );
    expect(code).toBe(0);
    await untilNone(fixture.workspace);
  });

  it("end everything inside where the process that holds the wall ends", async () => {
    const wrapped = await fixture.wrap({
      argv: ["/bin/sh", "-c", "trap '' TERM INT HUP; setsid sleep 30 & echo up; while :; do sleep 0.1; done"],
    });
    const child = start(wrapped);
    await new Promise((resolve) => child.stdout?.once("data", resolve));
    expect(insideOf(fixture.workspace).length).toBeGreaterThan(1);
    child.kill("SIGTERM");
    await untilNone(fixture.workspace);
  });

  it("bound the memory of all commands together, where there is a control group", async () => {
    const small = await openFixture({ settings: { limits: { memory: 200 * MiB } } });
    try {
      const { stdout } = await small.node(
        `const all = []; for (let i = 0; i < 40; i++) all.push(Buffer.alloc(${10 * MiB}, 1)); console.log("had it all")`,
      );
      const fact = (await small.sandbox.facts()).find(({ name }) => name === "control group");
      // Without a group the facts must say so; silence would be the fault.
      expect(stdout.trim() === "had it all").toBe(fact?.status === "warn");
    } finally {
      await small.close();
    }
  });

  it("give each command a group of its own, which goes with it", async () => {
    const fact = (await fixture.sandbox.facts()).find(({ name }) => name === "control group");
    const [one, other] = [fixture.sandbox.openGroup(), fixture.sandbox.openGroup()];
    expect(one !== undefined && one.joins.length > 0).toBe(fact?.status === "ok");
    if (one === undefined || other === undefined) return;
    expect(one.joins.at(-1)).not.toBe(other.joins.at(-1));
    const child = spawn(...toSpawn(throughGroup({ file: "/bin/sleep", args: ["30"] }, one)));
    try {
      await expect.poll(() => one.members()).toEqual([child.pid]);
      expect(other.members()).toEqual([]);
    } finally {
      child.kill("SIGKILL");
    }
    for (const group of [one, other]) group.remove();
    await expect.poll(() => (one.remove(), existsSync(one.joins.at(-1) ?? ""))).toBe(false);
  });
});

function toSpawn({ file, args }: { file: string; args: readonly string[] }) {
  return [file, [...args], { stdio: "ignore" as const }] as const;
}

function start({ file, args, env, extraFds }: WrappedCommand) {
  const child = spawn(file, args, { env, cwd: "/", stdio: ["ignore", "pipe", "ignore", "pipe", "pipe"] });
  for (const { fd, data } of extraFds) (child.stdio[fd] as NodeJS.WritableStream).end(data);
  return child;
}

/** Processes of the machine that work in the folder. */
function insideOf(folder: string): string[] {
  return readdirSync("/proc").filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/environ`, "latin1").includes(`PWD=${folder}`);
    } catch {
      return false;
    }
  });
}

async function untilNone(folder: string): Promise<void> {
  for (let tries = 0; tries < 200 && insideOf(folder).length > 0; tries += 1) await delay(20);
  expect(insideOf(folder)).toEqual([]);
}
