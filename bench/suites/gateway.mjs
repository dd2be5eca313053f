// The gateway: a hop through Tenon, with 20 servers and 500 tools behind it, against mcp-proxy with one; and its memory.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { openUpstream } from "../../dist/index.js";
import { printGoal, printTable, quantile } from "../measure.mjs";
import { greet, openRawHttp } from "../raw-http.mjs";

const here = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const cli = here("bin/tenon.cjs");
const proxy = here("test/peers/node_modules/mcp-proxy/dist/bin/mcp-proxy.mjs");
const upstream = { command: process.execPath, args: [here("bench/mcp-upstream.mjs"), "25"] };
/** Checked before the suite runs. */
export const needs = [{ peer: "mcp-proxy" }];
const servers = 20;
const rounds = 16;
const callsPerRound = 128;
/**
 * Time of a call against that of another contender. Over HTTP the SDK's client takes about as much time as a server, so that
 * servers are compared with a raw one; a host on stdio is compared with one that uses the SDK over HTTP.
 */
const goals = [
  { name: "tenon mcp", against: "mcp-proxy", most: 1 / 4 },
  { name: "tenon serve", against: "mcp-proxy", most: 1 / 2 },
  { name: "tenon serve, raw client", against: "mcp-proxy, raw client", most: 1 / 2 },
];

export async function run() {
  const folder = mkdtempSync(join(tmpdir(), "tenon-bench-gateway-"));
  const closing = [];
  try {
    const serve = await startServe(folder, closing);
    const peer = await startProxy(closing);
    const contenders = {
      "direct, stdio": await direct(closing),
      "tenon mcp": await throughStdio(folder, closing),
      "tenon serve": await callerOf(serve, "s0__echo", closing),
      "mcp-proxy": await callerOf(peer, "echo", closing),
      "tenon serve, raw client": await rawCallerOf(serve, "s0__echo", closing),
      "mcp-proxy, raw client": await rawCallerOf(peer, "echo", closing),
    };
    for (const inFlight of [1, 16]) {
      const results = await measure(contenders, inFlight);
      const load = loadavg()[0].toFixed(1);
      printTable(`A hop to a server on stdio, ${inFlight} in flight (load ${load})`, results, "mcp-proxy");
      for (const { name, against, most } of goals) {
        const { median } = results.get(name);
        const ratio = median / results.get(against).median;
        const rate = (1e6 / median).toFixed(0);
        console.log(`${name}: ${rate} calls a second, ${(1 / ratio).toFixed(1)} × ${against}`);
        printGoal(`time of a call through ${name} against ${against}`, ratio, most);
      }
    }
  } finally {
    for (const close of closing.toReversed()) await close();
  }
  try {
    await measureMemory(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Contenders take turns in short rounds. */
async function measure(contenders, inFlight) {
  const samples = new Map(Object.keys(contenders).map((name) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (const [name, call] of Object.entries(contenders)) {
      const started = performance.now();
      const worker = async () => {
        for (let at = 0; at < callsPerRound / inFlight; at++) await call();
      };
      await Promise.all(Array.from({ length: inFlight }, worker));
      const perCall = ((performance.now() - started) * 1000) / callsPerRound;
      if (round >= rounds / 4) samples.get(name).push(perCall);
    }
  }
  return new Map(
    [...samples].map(([name, values]) => {
      const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
      return [name, { median: quantile(values, 0.5), mean }];
    }),
  );
}

/** A call of a tool, by the same client for everyone. */
async function callerOf(spec, name, closing) {
  const connection = await openUpstream(spec, { timeoutMs: 30_000 });
  closing.push(() => connection.close());
  return async () => {
    const { signal } = new AbortController();
    const { isError, content } = await connection.callTool(name, { text: "x" }, { signal });
    if (isError) throw new Error(JSON.stringify(content));
  };
}

function direct(closing) {
  return callerOf({ kind: "program", ...upstream, env: plainEnv() }, "echo", closing);
}

function throughStdio(folder, closing) {
  const args = [cli, "mcp", "--workspace", folder, "--config", configFile(folder, servers)];
  const env = stateEnv(folder, "stdio");
  return callerOf({ kind: "program", command: process.execPath, args, env }, "s0__echo", closing);
}

async function startServe(folder, closing) {
  const args = [cli, "serve", "--port", "0", "--json", "--workspace", folder];
  const child = spawn(process.execPath, [...args, "--config", configFile(folder, servers)], {
    env: stateEnv(folder, "serve"),
    stdio: ["ignore", "pipe", "inherit"],
  });
  closing.push(async () => {
    child.kill("SIGINT");
    await once(child, "exit");
  });
  const [line] = await once(createInterface({ input: child.stdout }), "line");
  const { url, token } = JSON.parse(line);
  return {
    kind: "address",
    url: new URL("/mcp", url).href,
    headers: { authorization: `Bearer ${token}` },
  };
}

async function startProxy(closing) {
  const port = await freePort();
  const args = [proxy, "--port", String(port), "--", upstream.command, ...upstream.args];
  const child = spawn(process.execPath, args, { stdio: "ignore" });
  closing.push(async () => {
    child.kill();
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  });
  const spec = { kind: "address", url: `http://127.0.0.1:${port}/mcp` };
  for (let tries = 0; ; tries++) {
    try {
      const connection = await openUpstream(spec, { timeoutMs: 30_000 });
      await connection.close();
      return spec;
    } catch (error) {
      if (tries > 40) throw error;
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
  }
}

/** The same call by a client that only moves bytes, in one session over as many connections as are needed. */
async function rawCallerOf({ url, headers }, name, closing) {
  const free = [openRawHttp(url)];
  const own = await greet(free[0], headers);
  closing.push(() => free.forEach((lane) => lane.close()));
  const params = { name, arguments: { text: "x" } };
  let id = 0;
  return async () => {
    const lane = free.pop() ?? openRawHttp(url);
    const { body } = await lane.post({ jsonrpc: "2.0", id: ++id, method: "tools/call", params }, own);
    free.push(lane);
    if (!body.includes('"content"')) throw new Error(body);
  };
}

async function measureMemory(folder) {
  const sizes = [];
  for (const count of [0, servers]) {
    const args = [cli, "mcp", "--workspace", folder, "--config", configFile(folder, count)];
    const env = stateEnv(folder, `memory-${count}`);
    const host = await openUpstream(
      { kind: "program", command: process.execPath, args, env },
      { timeoutMs: 30_000 },
    );
    try {
      const own = (await host.listTools()).length;
      for (let at = 0; at < count; at++) {
        const { isError } = await host.callTool(
          `s${at}__echo`,
          { text: "x" },
          { signal: AbortSignal.timeout(30_000) },
        );
        if (isError) throw new Error(`server s${at} does not answer`);
      }
      const listed = (await host.listTools()).length;
      sizes.push({ listed: count === 0 ? own : listed, mb: residentOf(host.pid) });
    } finally {
      await host.close();
    }
  }
  const [none, many] = sizes;
  console.log(
    `\ntenon mcp with ${servers} servers connected, ${many.listed - none.listed} tools more listed: ${many.mb.toFixed(0)} MB resident; ${none.mb.toFixed(0)} MB without any`,
  );
  printGoal(`MB of memory that ${servers} connected servers add`, many.mb - none.mb, 30);
}

function residentOf(pid) {
  const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kilobytes) / 1024;
}

function configFile(folder, count) {
  const file = join(folder, `config-${count}.json`);
  const mcpServers = Object.fromEntries(Array.from({ length: count }, (_, at) => [`s${at}`, upstream]));
  const rules = [{ tool: "s*:*", decision: "allow" }];
  writeFileSync(file, JSON.stringify({ policy: { rules }, mcpServers }));
  return file;
}

function plainEnv() {
  return { PATH: process.env.PATH ?? "" };
}

function stateEnv(folder, name) {
  return { ...plainEnv(), TENON_STATE_DIR: join(folder, name), HOME: folder };
}

async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  return port;
}
