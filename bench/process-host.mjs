// A process of a given size that runs commands in several ways and prints what it measured as JSON.
// node bench/process-host.mjs '{"ballastMb":0,"what":"spawn","rounds":40}'
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { pathToFileURL } from "node:url";
import { quantile } from "./measure.mjs";

const { ballastMb, what, rounds } = JSON.parse(process.argv[2] ?? "{}");
const dist = process.env["TENON_DIST"] ?? new URL("../dist/index.js", import.meta.url).pathname;
const { createTenon } = await import(pathToFileURL(dist).href);

/** Runs of one contender before the next one has its turn. */
const perTurn = 5;

const root = mkdtempSync(join(tmpdir(), "tenon-bench-"));
const open = (sandbox) =>
  createTenon({
    workspace: root,
    config: {
      stateDir: `${root}-state`,
      sandbox: { enabled: sandbox },
      policy: { rules: [{ decision: "allow", tool: "shell_*" }] },
    },
  });

const ballast = fill(ballastMb ?? 0);
const measured = what === "output" ? await measureOutput() : await measureSpawn();
console.log(JSON.stringify({ ...measured, ballast: ballast.length }));
rmSync(root, { recursive: true, force: true });
rmSync(`${root}-state`, { recursive: true, force: true });

/** Memory that is really there: pages that were never written are not copied by a fork. */
function fill(megabytes) {
  return Array.from({ length: megabytes }, () => Buffer.alloc(1024 * 1024, 1));
}

async function measureSpawn() {
  const plain = open("off");
  const held = open("auto");
  const call = async (tenon) => {
    const { success, error } = await tenon.call({ name: "shell_exec", arguments: { command: "echo hi >x" } });
    if (!success) throw new Error(error.message);
  };
  const contenders = {
    bare: () => bareSpawn("echo hi >x"),
    shell_exec: () => call(plain),
    sandboxed: () => call(held),
  };
  for (const run of Object.values(contenders)) await run(); // helpers start, the sandbox is tried out
  const times = Object.fromEntries(Object.keys(contenders).map((name) => [name, { ms: [], block: [] }]));
  for (let round = 0; round < rounds; round += perTurn) {
    for (const [name, run] of Object.entries(contenders)) {
      await run(); // a fork makes every page of the process slow to write once: its own contender pays for that
      for (let at = 0; at < perTurn; at++) {
        const started = performance.now();
        await run();
        times[name].ms.push(performance.now() - started);
        times[name].block.push(await longestBlock(run));
      }
    }
  }
  await plain.close();
  await held.close();
  return Object.fromEntries(
    Object.entries(times).map(([name, { ms, block }]) => [
      name,
      { ms: quantile(ms, 0.5), block: quantile(block, 0.5), worstBlock: Math.max(...block) },
    ]),
  );
}

function bareSpawn(command) {
  return new Promise((resolve) => {
    const child = spawn("/bin/bash", ["-c", command], {
      cwd: root,
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    });
    child.stdout.resume();
    child.stderr.resume();
    child.on("close", resolve);
  });
}

/** The longest time during a run in which the loop did not turn. It turns all the time here, so the run itself is slower. */
async function longestBlock(run) {
  let block = 0;
  let last = performance.now();
  let running = true;
  const turn = () => {
    const now = performance.now();
    block = Math.max(block, now - last);
    last = now;
    if (running) setImmediate(turn);
  };
  setImmediate(turn);
  await run();
  running = false;
  return block;
}

/** 1 GB of text, once into cat and once into head, tail and a kept file. */
async function measureOutput() {
  const gigabyte =
    "yes 'a line of output, as long as such lines usually are, more or less' | head -c 1073741824";
  const tenon = open("off");
  await tenon.call({ name: "shell_exec", arguments: { command: "seq 1 100000" } });
  const results = { cat: [], kept: [], addedMb: [] };
  for (let round = 0; round < rounds; round++) {
    const bare = performance.now();
    await bareSpawn(`${gigabyte} | cat >/dev/null`);
    results.cat.push(performance.now() - bare);
    globalThis.gc?.();
    const before = process.memoryUsage.rss();
    let most = before;
    const watch = setInterval(() => (most = Math.max(most, process.memoryUsage.rss())), 20);
    const started = performance.now();
    const { result } = await tenon.call({
      name: "shell_exec",
      arguments: { command: gigabyte, timeout: 120_000 },
    });
    results.kept.push(performance.now() - started);
    clearInterval(watch);
    if (result.exitCode !== 0 || !result.truncated) throw new Error(JSON.stringify(result).slice(0, 500));
    results.addedMb.push((most - before) / 1e6);
  }
  await tenon.close();
  return {
    cat: quantile(results.cat, 0.5),
    kept: quantile(results.kept, 0.5),
    addedMb: Math.max(...results.addedMb),
  };
}
