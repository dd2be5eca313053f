import { spawn, type ChildProcess } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, afterEach, describe, expect, it } from "vitest";

const bin = resolve(import.meta.dirname, "../bin/tenon.cjs");
const host = join(import.meta.dirname, "fixtures/lifetime-host.mjs");
const dir = mkdtempSync(join(tmpdir(), "tenon-lifetimes-"));
const env = { PATH: process.env["PATH"] ?? "", HOME: dir, TENON_STATE_DIR: join(dir, "state"), TMPDIR: dir };
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
});

let marks = 0;
/** Seconds of a sleep that nobody else on this machine sleeps. */
const newMark = (): string => `7${process.pid}.${(marks += 1)}`;

/** Processes that were started with the mark and have not ended: the host, and what it has just forked, among them. */
function alive(mark: string): string[] {
  return readdirSync("/proc").flatMap((pid) => {
    if (!/^\d+$/.test(pid)) return [];
    try {
      const line = readFileSync(`/proc/${pid}/cmdline`, "latin1").replaceAll("\0", " ");
      const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
      return line.includes(mark) && !/\) [ZX] /.test(stat) ? [line] : [];
    } catch {
      return []; // it ended meanwhile
    }
  });
}

async function until(child: ChildProcess, words: string): Promise<void> {
  let said = "";
  child.stdout?.on("data", (chunk) => (said += String(chunk)));
  await expect.poll(() => said).toContain(words);
}

async function nothingLeft(mark: string): Promise<void> {
  await expect.poll(() => alive(mark)).toEqual([]);
}

async function end(child: ChildProcess, signals: readonly NodeJS.Signals[]): Promise<void> {
  for (const signal of signals) {
    child.kill(signal);
    await delay(20);
  }
}

describe("after the end of its host nothing runs", () => {
  it.each([
    ["SIGTERM without a handler", "held", ["SIGTERM"]],
    ["SIGKILL", "free", ["SIGKILL"]],
    ["SIGKILL while it is stopped", "held", ["SIGSTOP", "SIGKILL"]],
  ] as const)("%s (%s)", async (_name, wall, signals) => {
    const mark = newMark();
    const child = spawn(process.execPath, [host, mark, wall], { env, stdio: ["ignore", "pipe", "inherit"] });
    children.push(child);
    await until(child, "ready");
    await expect.poll(() => alive(mark).length).toBeGreaterThanOrEqual(13);
    await end(child, signals);
    await nothingLeft(mark);
  });

  it.each(["held", "free"])("at a random moment of starts and stops (%s)", async (wall) => {
    const mark = newMark();
    const child = spawn(process.execPath, [host, mark, wall, "busy"], {
      env,
      stdio: ["ignore", "pipe", "inherit"],
    });
    children.push(child);
    await until(child, "ready");
    await delay(200 + Math.random() * 1500);
    child.kill("SIGKILL");
    await nothingLeft(mark);
    await delay(300); // nothing comes late
    expect(alive(mark)).toEqual([]);
  });

  it("SIGKILL of tenon mcp with jobs at their limit of processes", async () => {
    const mark = newMark();
    const child = spawn(process.execPath, [bin, "mcp", "--mode", "auto"], {
      cwd: mkdtempSync(join(dir, "work-")),
      env,
      stdio: ["pipe", "pipe", "inherit"],
    });
    children.push(child);
    const send = (message: object): void =>
      void child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
    const client = {
      protocolVersion: "2025-06-18",
      capabilities: {},
      clientInfo: { name: "t", version: "1" },
    };
    send({ id: 1, method: "initialize", params: client });
    send({ method: "notifications/initialized" });
    for (let id = 2; id < 6; id++) {
      const command = `sleep ${mark} & sleep ${mark} & sleep ${mark}`;
      send({
        id,
        method: "tools/call",
        params: { name: "shell_exec", arguments: { command, background: true } },
      });
    }
    await expect.poll(() => alive(mark).length).toBeGreaterThanOrEqual(12);
    child.kill("SIGKILL");
    await nothingLeft(mark);
  });

  it("SIGKILL of a host of MCP servers that do not leave, and of what they started elsewhere", async () => {
    const mark = newMark();
    const server = join(dir, "stays.mjs");
    writeFileSync(
      server,
      `import { spawn } from "node:child_process";
       spawn("setsid", ["sleep", "${mark}"], { stdio: "ignore" });
       spawn("sh", ["-c", "trap '' TERM HUP; sleep ${mark}"], { stdio: "ignore", detached: true });
       process.on("SIGTERM", () => {});
       setInterval(() => {}, 1000);`,
    );
    const starter = join(dir, "starter.mjs");
    writeFileSync(
      starter,
      `import { createTenon } from ${JSON.stringify(resolve(import.meta.dirname, "../dist/index.js"))};
       const tenon = createTenon({ workspace: ${JSON.stringify(mkdtempSync(join(dir, "work-")))},
         config: { mcpServers: { stays: { command: process.execPath, args: [${JSON.stringify(server)}, "${mark}"] } } } });
       void tenon.ready();
       setInterval(() => {}, 1000);`,
    );
    const child = spawn(process.execPath, [starter], { env, stdio: "inherit" });
    children.push(child);
    await expect.poll(() => alive(mark).length).toBeGreaterThanOrEqual(4);
    child.kill("SIGKILL");
    await nothingLeft(mark);
  });
});
