// A fleet on this machine: what its hop costs beside one process, and beside BullMQ with an empty handler.
import { spawn } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { openMember } from "../../scripts/fleet/members.mjs";
import { freePort, startNats, startPostgres, until } from "../../scripts/fleet/servers.mjs";
import { openSpy } from "../../scripts/fleet/spy.mjs";
import { printGoal, quantile } from "../measure.mjs";

export const needs = [{ program: "nats-server" }, { program: "redis-server" }, { peer: "bullmq" }];

const token = "a-token-of-all-fronts-".padEnd(48, "x");
const peers = resolve(import.meta.dirname, "../../test/peers/");
const account = 'accounts { a { jetstream: enabled, users: [{ user: a, password: "s" }] } }';
const seconds = Number(process.env.TENON_BENCH_SECONDS ?? 4);

export async function run() {
  const root = mkdtempSync(join(tmpdir(), "tenon-bench-"));
  chmodSync(root, 0o755);
  const closers = [];
  try {
    const fleet = await openFleet(root, closers);
    const alone = await openAlone(root, fleet.stage, closers);
    const bull = await openBull(root, closers);
    const call = (server, workspace) => callTool(server, workspace);
    const contenders = {
      "one process (tenon serve)": () => call(alone, ""),
      "fleet (front, NATS, worker)": () => call(fleet.fronts[0].facts, "one"),
      "BullMQ on Redis, empty handler": () => bull(),
    };
    const medians = await measureLatency(contenders);
    const rates = await measureRates({
      "one process (tenon serve)": () => call(alone, ""),
      "fleet (2 fronts, 2 workers)": (n) => call(fleet.fronts[n % 2].facts, n % 4 < 2 ? "one" : "two"),
      "BullMQ on Redis, empty handler": () => bull(),
    });
    const [one, hop] = Object.values(medians);
    printGoal("ms that the fleet adds to a call at the median", hop - one, 3);
    printGoal("1,500 small calls a second ÷ those of the fleet", 1500 / rates[1], 1);
    await measureMany(fleet);
    await measureSessions(fleet);
    await measureTakeover(fleet);
  } finally {
    for (const close of closers.toReversed()) await close();
    rmSync(root, { recursive: true, force: true });
  }
}

async function openFleet(root, closers) {
  const nats = await startNats(join(root, "nats"), account);
  closers.push(() => nats.stop());
  const postgres = await startPostgres(join(root, "postgres"));
  closers.push(() => postgres.close());
  const config = join(root, "fleet.yaml");
  writeFileSync(config, JSON.stringify({ mode: "auto", database: "${TENON_DATABASE}" }));
  const stage = { root, nats, postgres, token, config, login: "a:s@", tenant: "a", direct: true };
  for (const name of ["one", "two"]) mkdirSync(join(root, "volume", name), { recursive: true });
  const args = ["worker", "--workspaces", join(root, "volume"), "--label", "volume=v"];
  const open = (name, more) => openMember(stage, { name, ...more });
  const workers = [await open("worker0", { args }), await open("worker1", { args })];
  const serve = ["serve", "--quiet"];
  const fronts = [
    await open("front0", { args: serve, port: await freePort() }),
    await open("front1", { args: serve, port: await freePort() }),
  ];
  for (const member of [...workers, ...fronts]) closers.push(() => member.close());
  // One workspace each.
  for (const [n, name] of ["one", "two"].entries())
    await send(fronts[0].facts, "/api/fleet/move", { workspace: name, worker: workers[n].facts.worker });
  return { stage, workers, fronts };
}

async function openAlone(root, stage, closers) {
  mkdirSync(join(root, "alone"));
  const config = join(root, "alone.yaml");
  writeFileSync(config, JSON.stringify({ mode: "auto" }));
  const program = resolve(import.meta.dirname, "../../bin/tenon.cjs");
  const words = [program, "serve", "--quiet", "--port", "0", "--json", "--config", config];
  const child = spawn(process.execPath, [...words, "--workspace", join(root, "alone")], {
    env: {
      PATH: process.env.PATH,
      HOME: root,
      TENON_STATE_DIR: join(root, "alone-state"),
      TENON_TOKEN: token,
    },
    stdio: ["ignore", "pipe", "ignore"],
  });
  closers.push(() => endOf(child, "SIGKILL"));
  const line = await new Promise((done) => child.stdout.once("data", done));
  return JSON.parse(String(line).split("\n")[0]);
}

async function openBull(root, closers) {
  const port = await freePort();
  const redis = spawn("redis-server", ["--port", String(port), "--dir", root, "--save", ""], {
    stdio: "ignore",
  });
  closers.push(() => endOf(redis, "SIGKILL"));
  const { Queue, QueueEvents, Worker } = createRequire(`${peers}/package.json`)("bullmq");
  const connection = { host: "127.0.0.1", port, maxRetriesPerRequest: null };
  const queue = new Queue("bench", { connection }).setMaxListeners(0);
  const events = new QueueEvents("bench", { connection });
  const worker = new Worker("bench", async () => ({}), { connection, concurrency: 64 });
  closers.push(() => Promise.all([worker.close(true), events.close(), queue.close()]));
  await Promise.all([queue.waitUntilReady(), events.waitUntilReady(), worker.waitUntilReady()]);
  const options = { removeOnComplete: { count: 1000 } };
  return async () => (await queue.add("job", { n: 1 }, options)).waitUntilFinished(events);
}

/** One after another, in turns. */
async function measureLatency(contenders) {
  console.log("\n## a small call, one after another\n\n| | median ms | p99 ms |\n| --- | ---: | ---: |");
  const samples = Object.fromEntries(Object.keys(contenders).map((name) => [name, []]));
  for (let round = 0; round < 30; round += 1)
    for (const [name, once] of Object.entries(contenders))
      for (let n = 0; n < 10; n += 1) {
        const began = performance.now();
        await once();
        if (round > 4) samples[name].push(performance.now() - began);
      }
  const medians = {};
  for (const [name, all] of Object.entries(samples)) {
    medians[name] = quantile(all, 0.5);
    console.log(`| ${name} | ${medians[name].toFixed(2)} | ${quantile(all, 0.99).toFixed(2)} |`);
  }
  return medians;
}

/** 64 in flight. */
async function measureRates(contenders) {
  console.log("\n## small calls a second, 64 in flight\n\n| | calls a second |\n| --- | ---: |");
  const rates = [];
  for (const [name, once] of Object.entries(contenders)) {
    await rateOf(once, 1);
    const rate = await rateOf(once, seconds);
    rates.push(rate);
    console.log(`| ${name} | ${rate.toFixed(0)} |`);
  }
  return rates;
}

async function rateOf(once, forSeconds) {
  const began = performance.now();
  const end = began + forSeconds * 1000;
  let count = 0;
  const loop = async (n) => {
    while (performance.now() < end) {
      await once(n);
      count += 1;
    }
  };
  await Promise.all(Array.from({ length: 64 }, (_, n) => loop(n)));
  return (count / (performance.now() - began)) * 1000;
}

/** The leases of 48 more workers, renewed each second as theirs are. */
async function measureMany({ stage, fronts }) {
  const spy = await openSpy(stage);
  const medianOf = async () => {
    const times = [];
    for (let n = 0; n < 200; n += 1) {
      const began = performance.now();
      await callTool(fronts[0].facts, "one");
      times.push(performance.now() - began);
    }
    return quantile(times, 0.5);
  };
  const few = await medianOf();
  const member = (id) => ({
    kind: "worker",
    id,
    incarnation: "1",
    protocol: 3,
    version: "0",
    host: "x",
    slots: 1,
  });
  const names = Array.from({ length: 48 }, (_, n) => `simulated${n}`);
  const renew = () => Promise.all(names.map((id) => spy.members.put(id, JSON.stringify(member(id)))));
  await renew();
  const timer = setInterval(() => void renew().catch(() => {}), 1000);
  const many = await medianOf();
  clearInterval(timer);
  for (const id of names) await spy.members.delete(id);
  await spy.close();
  console.log(
    `\n2 workers ${few.toFixed(2)} ms a call, 50 workers (48 of them only leases) ${many.toFixed(2)} ms`,
  );
  printGoal("cost of a call with 50 workers ÷ with 2", many / few, 1.2);
}

/** MCP sessions that do nothing: what they add to the memory of fronts and workers. */
async function measureSessions({ fronts, workers }) {
  const processes = [...fronts, ...workers];
  const memory = () => processes.reduce((sum, { pid }) => sum + residentMb(pid), 0);
  const before = memory();
  const count = 1000;
  let opened = 0;
  for (let n = 0; n < count; n += 20)
    await Promise.all(
      Array.from({ length: 20 }, async (_, at) => {
        const hello = {
          protocolVersion: "2025-11-25",
          capabilities: {},
          clientInfo: { name: `c${n + at}`, version: "1" },
        };
        const body = { jsonrpc: "2.0", id: 1, method: "initialize", params: hello };
        const { status } = await send(fronts[at % 2].facts, "/mcp", body);
        if (status === 200) opened += 1;
      }),
    );
  const grown = memory() - before;
  const all = before + (grown / Math.max(1, opened)) * 10_000;
  console.log(`\n${opened} idle MCP sessions: ${before.toFixed(0)} MB before, ${grown.toFixed(0)} MB more`);
  printGoal("MB of all fronts and workers with 10,000 idle sessions, from these", all, 1024);
}

/** From SIGKILL of the owner until a call in its workspace is answered. */
async function measureTakeover({ workers, fronts }) {
  const began = performance.now();
  await workers[0].end("SIGKILL");
  await until(async () => (await callTool(fronts[0].facts, "one", false)).success === true, "the takeover");
  const took = (performance.now() - began) / 1000;
  console.log("");
  printGoal("seconds from SIGKILL of a worker to the next answer", took, 7);
}

function residentMb(pid) {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024;
}

async function callTool(server, workspace, isSure = true) {
  const query = workspace === "" ? "" : `?workspace=${workspace}`;
  const { status, text } = await send(server, `/api/tools/current_time/call${query}`, { arguments: {} });
  const answer = JSON.parse(text);
  if (isSure && answer.success !== true) throw new Error(`${status} ${text.slice(0, 300)}`);
  return answer;
}

const agent = new Agent({ keepAlive: true, maxSockets: 128 });

function send({ port }, path, body) {
  return new Promise((done, fail) => {
    const headers = {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
    };
    const outgoing = request(
      { host: "127.0.0.1", port, path, method: "POST", headers, agent },
      (response) => {
        let text = "";
        response.setEncoding("utf8");
        response.on("data", (chunk) => (text += chunk));
        response.on("end", () => done({ status: response.statusCode, text }));
      },
    );
    outgoing.on("error", fail);
    outgoing.end(JSON.stringify(body));
  });
}

function endOf(child, word) {
  if (child.exitCode !== null || child.signalCode !== null) return undefined;
  const ended = new Promise((done) => child.once("exit", done));
  child.kill(word);
  return ended;
}
