// MCP over HTTP with a raw client: a small call of `tenon serve` against the SDK's own server, in both eras.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { printGoal, printTable, quantile } from "../measure.mjs";
import { greet, openRawHttp } from "../raw-http.mjs";

const here = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const clientInfo = { name: "bench", version: "1" };
const rounds = 16;
const callsPerRound = 480;
const sessions = 20_000;
/** What no Tenon on node:http can be faster than. */
const least = "node:http with token, headers and record";
/** Calls a second with so many in flight. */
const goals = { 1: 1500, 16: 2500 };

export async function run() {
  const folder = mkdtempSync(join(tmpdir(), "tenon-bench-http-"));
  const servers = [];
  try {
    const args = ["serve", "--port", "0", "--json", "--workspace", folder];
    const env = { PATH: process.env.PATH ?? "", HOME: folder, TENON_STATE_DIR: join(folder, ".state") };
    const own = await start([here("bin/tenon.cjs"), ...args], { servers, env });
    const sdk = await start([here("bench/mcp-http-echo.mjs")], { servers });
    const bare = await start([here("bench/bare-http.mjs")], { servers });
    const recorded = await start([here("bench/bare-http.mjs"), "--recorded"], { servers });
    const call = { name: "base64_encode", arguments: { text: "hello" } };
    const echo = { name: "echo", arguments: { text: "hello" } };
    for (const inFlight of [1, 16]) {
      const contenders = {
        "tenon serve, 2025-11-25": await legacyClients(own, call, inFlight),
        "SDK, 2025-11-25": await legacyClients(sdk, echo, inFlight),
        "tenon serve, 2026-07-28": await modernClients(own, call, inFlight),
        "SDK, 2026-07-28": await modernClients(sdk, echo, inFlight),
        "node:http alone": await modernClients(bare, echo, inFlight),
        [least]: await modernClients(recorded, echo, inFlight),
      };
      report(await measure(contenders), inFlight);
    }
    await manySessions(own);
  } finally {
    for (const child of servers) {
      child.kill("SIGINT");
      if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
    }
    rmSync(folder, { recursive: true, force: true });
  }
}

function report(results, inFlight) {
  const load = loadavg()[0].toFixed(1);
  printTable(`A small call over HTTP, ${inFlight} in flight (load ${load})`, results, "SDK, 2025-11-25");
  for (const era of ["2025-11-25", "2026-07-28"]) {
    const { median } = results.get(`tenon serve, ${era}`);
    const sdk = results.get(`SDK, ${era}`).median;
    const rate = (1e6 / median).toFixed(0);
    console.log(
      `${era}: ${rate} calls a second (goal ${goals[inFlight]}), ${(sdk / median).toFixed(1)} × the SDK`,
    );
    console.log(
      `with token, headers and record alone: ${(sdk / results.get(least).median).toFixed(1)} × the SDK`,
    );
    printGoal(`time of a call in ${era} against the SDK's server`, median / sdk, 1 / 3);
  }
}

async function start(args, { servers, env = process.env }) {
  const child = spawn(process.execPath, args, { env, stdio: ["ignore", "pipe", "inherit"] });
  servers.push(child);
  const [line] = await once(createInterface({ input: child.stdout }), "line");
  const { url, token } = JSON.parse(line);
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  return { url: `${url}/mcp`, headers, pid: child.pid };
}

/** One session and so many connections, each of which makes one call after another. */
async function legacyClients(server, params, inFlight) {
  const lanes = openLanes(server, inFlight);
  const headers = await greet(lanes[0], server.headers);
  return {
    lanes,
    send: (lane, id) => lane.post({ jsonrpc: "2.0", id, method: "tools/call", params }, headers),
  };
}

async function modernClients(server, params, inFlight) {
  const lanes = openLanes(server, inFlight);
  const headers = {
    ...server.headers,
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": "tools/call",
    "mcp-name": params.name,
  };
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": clientInfo,
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const asked = { ...params, _meta };
  return {
    lanes,
    send: (lane, id) => lane.post({ jsonrpc: "2.0", id, method: "tools/call", params: asked }, headers),
  };
}

function openLanes({ url }, inFlight) {
  return Array.from({ length: inFlight }, () => openRawHttp(url));
}

/** Contenders take turns in short rounds. */
async function measure(contenders) {
  const samples = new Map(Object.keys(contenders).map((name) => [name, []]));
  let id = 0;
  for (let round = 0; round < rounds; round++) {
    for (const [name, { lanes, send }] of Object.entries(contenders)) {
      const started = performance.now();
      const work = async (lane) => {
        for (let at = 0; at < callsPerRound / lanes.length; at++) {
          const { status, body } = await send(lane, ++id);
          if (status !== 200 || !body.includes('"content"')) throw new Error(`${name}: ${status} ${body}`);
        }
      };
      await Promise.all(lanes.map(work));
      const perCall = ((performance.now() - started) * 1000) / callsPerRound;
      if (round >= rounds / 4) samples.get(name).push(perCall);
    }
  }
  for (const { lanes } of Object.values(contenders)) for (const lane of lanes) lane.close();
  return new Map(
    [...samples].map(([name, values]) => {
      const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
      return [name, { median: quantile(values, 0.5), mean }];
    }),
  );
}

/** Hosts that come, make a call and end their session. */
async function manySessions(server) {
  const lane = openRawHttp(server.url);
  const params = { name: "current_time", arguments: {} };
  console.log("\n## Sessions one after another\n\n| sessions | resident MB |\n| ---: | ---: |");
  for (let count = 1; count <= sessions; count++) {
    const headers = await greet(lane, server.headers);
    await lane.post({ jsonrpc: "2.0", id: 1, method: "tools/call", params }, headers);
    await lane.end(headers);
    if (count % 4000 === 0 || count === 100)
      console.log(`| ${count} | ${residentOf(server.pid).toFixed(0)} |`);
  }
  lane.close();
  printGoal(`resident MB after ${sessions} sessions`, residentOf(server.pid), 200);
}

function residentOf(pid) {
  const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kilobytes) / 1024;
}
