// `tenon serve` over real sockets: requests a second, and what the live feed costs at 1,000 events a second.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { printGoal, quantile } from "../measure.mjs";

const program = fileURLToPath(new URL("../../bin/tenon.cjs", import.meta.url));

export async function run() {
  const root = mkdtempSync(join(tmpdir(), "tenon-bench-"));
  const env = { ...process.env, TENON_STATE_DIR: `${root}-state` };
  const child = spawn(process.execPath, [program, "serve", "--port", "0", "--json", "--workspace", root], {
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    const server = JSON.parse(await firstLine(child.stdout));
    await measureRequests(server);
    await measureFeed(server);
  } finally {
    child.kill("SIGINT");
    await new Promise((resolve) => child.once("exit", resolve));
    for (const folder of [root, `${root}-state`]) rmSync(folder, { recursive: true, force: true });
  }
}

async function measureRequests(server) {
  console.log("\n## requests a second, one kept connection a client\n");
  console.log("| | 1 client | 16 clients |\n| --- | ---: | ---: |");
  const call = { method: "POST", body: '{"arguments":{}}' };
  /** @type {[string, string, object][]} */
  const kinds = [
    ["GET /health", "/health", {}],
    ["GET /api/calls?limit=50", "/api/calls?limit=50", {}],
    ["GET /api/tools", "/api/tools", {}],
    ["call of current_time", "/api/tools/current_time/call", call],
    ["refused: wrong Host", "/api/calls", { headers: { host: "evil.example" } }],
  ];
  for (const [name, path, sent] of kinds) {
    const rates = [];
    for (const clients of [1, 16]) {
      await rateOf(server, { path, sent, clients, ms: 300 });
      rates.push(await rateOf(server, { path, sent, clients, ms: 1500 }));
    }
    console.log(`| ${name} | ${rates.map((rate) => rate.toFixed(0)).join(" | ")} |`);
  }
}

async function rateOf(server, { path, sent, clients, ms }) {
  const end = performance.now() + ms;
  let count = 0;
  const client = async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    while (performance.now() < end) {
      await send(server, path, { ...sent, agent });
      count++;
    }
    agent.destroy();
  };
  const began = performance.now();
  await Promise.all(Array.from({ length: clients }, client));
  return (count / (performance.now() - began)) * 1000;
}

/** Calls at a steady rate that makes about 1,000 events a second, with and without pages that listen. */
async function measureFeed(server) {
  console.log("\n## the live feed\n");
  console.log(
    "| pages | events a second | server CPU % | delay p50 ms | p99 ms |\n| --- | ---: | ---: | ---: | ---: |",
  );
  const shares = new Map();
  for (const pages of [0, 1, 8]) {
    const delays = [];
    let seen = 0;
    const listeners = await Promise.all(
      Array.from({ length: pages }, () =>
        listen(server, (event) => {
          seen++;
          delays.push(Date.now() - event.time);
        }),
      ),
    );
    const agent = new Agent({ keepAlive: true, maxSockets: 32 });
    const cpuBefore = await cpuOf(server);
    const began = performance.now();
    const seconds = 5;
    const pending = [];
    for (let tick = 0; tick < seconds * 100; tick++) {
      const due = began + tick * 10;
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, due - performance.now())));
      for (let n = 0; n < 2; n++)
        pending.push(
          send(server, "/api/tools/current_time/call", { method: "POST", body: '{"arguments":{}}', agent }),
        );
    }
    await Promise.all(pending);
    const took = performance.now() - began;
    const share = ((await cpuOf(server)) - cpuBefore) / took;
    await new Promise((resolve) => setTimeout(resolve, 100));
    for (const stop of listeners) stop();
    agent.destroy();
    shares.set(pages, share);
    const rate = pages === 0 ? "" : ((seen / pages / took) * 1000).toFixed(0);
    const delay = (q) => (pages === 0 ? "" : quantile(delays, q).toFixed(0));
    console.log(`| ${pages} | ${rate} | ${(share * 100).toFixed(0)} | ${delay(0.5)} | ${delay(0.99)} |`);
  }
  printGoal(
    "one page at 1,000 events a second, share of a core beyond the calls",
    shares.get(1) - shares.get(0),
    0.1,
  );
}

async function cpuOf(server) {
  return JSON.parse(await send(server, "/api/metrics", {})).host.cpuMs;
}

function listen(server, onEvent) {
  return new Promise((resolve) => {
    const headers = { authorization: `Bearer ${server.token}` };
    const outgoing = request({
      host: "127.0.0.1",
      port: server.port,
      path: "/api/feed",
      headers,
      agent: false,
    });
    outgoing.on("error", () => {});
    outgoing.on("response", (response) => {
      let rest = "";
      response.setEncoding("utf8");
      response.on("error", () => {});
      response.on("data", (text) => {
        const blocks = (rest + text).split("\n\n");
        rest = blocks.pop();
        for (const block of blocks) {
          if (!block.startsWith("id: ")) continue;
          onEvent(JSON.parse(block.slice(block.indexOf("data: ") + 6)).event);
        }
      });
      resolve(() => outgoing.destroy());
    });
    outgoing.end();
  });
}

function send(server, path, { method = "GET", body, headers = {}, agent }) {
  return new Promise((resolve, reject) => {
    const outgoing = request(
      {
        host: "127.0.0.1",
        port: server.port,
        path,
        method,
        agent,
        headers: {
          authorization: `Bearer ${server.token}`,
          ...(body !== undefined && { "content-type": "application/json", "content-length": body.length }),
          ...headers,
        },
      },
      (response) => {
        let text = "";
        response.setEncoding("utf8");
        response.on("data", (chunk) => (text += chunk));
        response.on("end", () => resolve(text));
      },
    );
    outgoing.on("error", reject);
    outgoing.end(body);
  });
}

function firstLine(stream) {
  return new Promise((resolve, reject) => {
    const lines = createInterface({ input: stream });
    lines.once("line", resolve);
    lines.once("close", () => reject(new Error("tenon serve ended without a word.")));
  });
}
