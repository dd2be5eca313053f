// What a host gets from `tenon mcp`, against the servers and the SDK that it could use instead.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openPipe } from "../mcp-pipe.mjs";
import { printGoal, printTable, quantile } from "../measure.mjs";

const here = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const tenon = [...process.execArgv, here("bin/tenon.cjs"), "mcp"]; // profiled with the suite, if it is
const filesystem = here("test/peers/node_modules/@modelcontextprotocol/server-filesystem/dist/index.js");

/** Checked before the suite runs. */
export const needs = [{ peer: "@modelcontextprotocol/server-filesystem" }];

export async function run() {
  const dir = mkdtempSync(join(tmpdir(), "tenon-bench-mcp-"));
  // The certificates alone would add 60 ms to each start.
  const { NODE_EXTRA_CA_CERTS: _, ...inherited } = process.env;
  const options = { cwd: dir, env: { ...inherited, HOME: dir, TENON_STATE_DIR: join(dir, ".state") } };
  writeFileSync(join(dir, "file.txt"), `${"x".repeat(63)}\n`.repeat(64));
  try {
    await calls(options, dir);
    await starts(options, dir);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

async function calls(options, dir) {
  const [own, files, bare] = await Promise.all([
    openPipe(process.execPath, tenon, options),
    openPipe(process.execPath, [filesystem, dir], options),
    openPipe(process.execPath, [here("bench/mcp-echo.mjs")], options),
  ]);
  const call = (pipe, name, args) => async () => {
    const { isError, content } = await pipe.request("tools/call", { name, arguments: args });
    if (isError) throw new Error(content[0].text);
  };
  try {
    const reading = {
      "tenon read_file": call(own, "read_file", { path: "file.txt" }),
      "server-filesystem read_text_file": call(files, "read_text_file", { path: join(dir, "file.txt") }),
    };
    const echoing = {
      "tenon base64_encode": call(own, "base64_encode", { text: "hello" }),
      "SDK v2 echo": call(bare, "echo", { text: "hello" }),
    };
    for (const inFlight of [1, 32]) {
      const reads = await rounds(reading, inFlight);
      printTable(`Read 4 kB over stdio, ${inFlight} in flight`, reads, "server-filesystem read_text_file");
      const echoes = await rounds(echoing, inFlight);
      printTable(`Echo over stdio, ${inFlight} in flight`, echoes, "SDK v2 echo");
      console.log();
      printGoal(`read_file, ${inFlight} in flight, time against server-filesystem`, ratio(reads), 0.6);
      printGoal(`echo, ${inFlight} in flight, time against the bare SDK`, ratio(echoes), 0.9);
    }
  } finally {
    await Promise.all([own, files, bare].map((pipe) => pipe.close()));
  }
}

/** Time a call in turns of some hundred calls; the first turns warm up. */
async function rounds(contenders, inFlight) {
  const samples = Object.fromEntries(Object.keys(contenders).map((name) => [name, []]));
  for (let round = 0; round < 20; round++) {
    for (const [name, call] of Object.entries(contenders)) {
      const started = performance.now();
      const lane = async () => {
        for (let n = 0; n < 320 / inFlight; n++) await call();
      };
      await Promise.all(Array.from({ length: inFlight }, lane));
      if (round >= 4) samples[name].push(((performance.now() - started) * 1000) / 320);
    }
  }
  return summary(samples);
}

async function starts(options, dir) {
  const samples = { "node -e 0": [], "tenon mcp": [], "server-filesystem": [] };
  const toList = async (args) => {
    const started = performance.now();
    const pipe = await openPipe(process.execPath, args, options);
    await pipe.request("tools/list", {});
    const ms = performance.now() - started;
    await pipe.close();
    return ms * 1000;
  };
  for (let round = 0; round < 12; round++) {
    const started = performance.now();
    execFileSync(process.execPath, ["-e", "0"], options);
    samples["node -e 0"].push((performance.now() - started) * 1000);
    samples["tenon mcp"].push(await toList(tenon));
    samples["server-filesystem"].push(await toList([filesystem, dir]));
  }
  const results = summary(samples);
  printTable("Start to the first tools/list", results, "server-filesystem");
  console.log();
  const median = (name) => results.get(name).median;
  printGoal("start against server-filesystem", median("tenon mcp") / median("server-filesystem"), 0.4);
  printGoal("start against node -e 0", median("tenon mcp") / median("node -e 0"), 1.4);
}

function summary(samples) {
  return new Map(
    Object.entries(samples).map(([name, values]) => [
      name,
      { median: quantile(values, 0.5), mean: values.reduce((sum, value) => sum + value, 0) / values.length },
    ]),
  );
}

/** The first contender's time against the second's. */
function ratio(results) {
  const [own, other] = [...results.values()];
  return own.median / other.median;
}
