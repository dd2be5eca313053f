// 50 MCP sessions over HTTP that read, search, edit and run commands at the same time: how long reads take, and the server's memory.
// TENON_BENCH_MINUTES says how long, one minute unless told.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { printGoal, quantile } from "../measure.mjs";
import { greet, openRawHttp } from "../raw-http.mjs";

const program = fileURLToPath(new URL("../../bin/tenon.cjs", import.meta.url));
const sessions = 50;
/** What a model takes between two calls. */
const thinkMs = 1000;

export async function run() {
  const minutes = Number(process.env.TENON_BENCH_MINUTES ?? 1);
  const root = mkdtempSync(join(tmpdir(), "tenon-bench-sessions-"));
  const workspace = makeWorkspace(join(root, "workspace"));
  const env = { PATH: process.env.PATH ?? "", HOME: root, TENON_STATE_DIR: join(root, "state") };
  const args = [program, "serve", "--port", "0", "--json", "--mode", "auto", "--workspace", workspace];
  const child = spawn(process.execPath, args, { env, stdio: ["ignore", "pipe", "inherit"] });
  try {
    const [line] = await once(createInterface({ input: child.stdout }), "line");
    const times = { read_file: [], grep: [], edit_file: [], shell_exec: [] };
    const work = { server: JSON.parse(line), until: Date.now() + minutes * 60_000, times };
    const memory = watchMemory(child.pid);
    await Promise.all(Array.from({ length: sessions }, (_, at) => workIn(at, work)));
    report(minutes, times, memory.stop());
  } finally {
    child.kill("SIGINT");
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
    rmSync(root, { recursive: true, force: true });
  }
}

function makeWorkspace(folder) {
  mkdirSync(folder, { recursive: true });
  for (let at = 0; at < sessions; at++) {
    const lines = Array.from({ length: 200 }, (_, line) => `line ${line} of file ${at}, turn 0`);
    writeFileSync(join(folder, `file-${at}.txt`), `${lines.join("\n")}\n`);
  }
  return folder;
}

/** Six reads, two searches, an edit and a command, again and again. */
async function workIn(at, { server, until, times }) {
  const lane = openRawHttp(`${server.url}/mcp`);
  const headers = await greet(
    lane,
    server.token === undefined ? {} : { authorization: `Bearer ${server.token}` },
  );
  const path = `file-${at}.txt`;
  let turn = 0;
  const calls = [
    ...Array.from({ length: 6 }, () => () => ({ name: "read_file", args: { path } })),
    ...Array.from({ length: 2 }, () => () => ({
      name: "grep",
      args: { pattern: `file ${at}, turn ${turn}$`, path },
    })),
    () => ({
      name: "edit_file",
      args: {
        path,
        old_str: `file ${at}, turn ${turn}`,
        new_str: `file ${at}, turn ${++turn}`,
        replace_all: true,
      },
    }),
    () => ({ name: "shell_exec", args: { command: `wc -l ${path}` } }),
  ];
  let id = 0;
  const call = async ({ name, args }) => {
    const started = performance.now();
    const { status, body } = await lane.post(
      { jsonrpc: "2.0", id: ++id, method: "tools/call", params: { name, arguments: args } },
      headers,
    );
    if (status !== 200 || body.includes('"isError":true'))
      throw new Error(`${name}: ${status} ${body.slice(0, 500)}`);
    times[name].push(performance.now() - started);
  };
  await pause((thinkMs * at) / sessions);
  // A file is read before it is edited, wherever in the round a session begins.
  await call({ name: "read_file", args: { path } });
  for (let next = at; Date.now() < until; next++) {
    await pause(thinkMs);
    await call(calls[next % calls.length]());
  }
  lane.close();
}

function watchMemory(pid) {
  const samples = [];
  const take = () => samples.push(residentOf(pid));
  const timer = setInterval(take, 1000);
  return {
    stop() {
      clearInterval(timer);
      take();
      return samples;
    },
  };
}

function report(minutes, times, memory) {
  const count = Object.values(times).reduce((sum, { length }) => sum + length, 0);
  console.log(`\n## ${sessions} sessions for ${minutes} minutes, ${count} calls\n`);
  console.log("| | calls | median ms | p95 ms |\n| --- | ---: | ---: | ---: |");
  for (const [name, values] of Object.entries(times))
    console.log(
      `| ${name} | ${values.length} | ${[0.5, 0.95].map((q) => quantile(values, q).toFixed(1)).join(" | ")} |`,
    );
  console.log();
  printGoal("ms of a read at p95", quantile(times.read_file, 0.95), 20);
  printGoal("MB of the server at its peak", Math.max(...memory), 300);
  console.log(
    `MB of the server after half of the time ${memory[memory.length >> 1].toFixed(0)}, at the end ${memory.at(-1).toFixed(0)}`,
  );
}

function residentOf(pid) {
  const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kilobytes) / 1024;
}
