// Commands: the start in a small and in a large process, the longest block of the loop, the sandbox, much output.
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { printGoal, printTable } from "../measure.mjs";

const host = fileURLToPath(new URL("../process-host.mjs", import.meta.url));

/** Checked before the suite runs. */
export const needs = [{ program: "bwrap" }];

export async function run() {
  const small = measure({ what: "spawn", ballastMb: 0, rounds: 60 });
  const large = measure({ what: "spawn", ballastMb: 2048, rounds: 15 });
  printSpawn("A command from a small process", small);
  printGoal("shell_exec against a bare spawn", small.shell_exec.ms / small.bare.ms, 1.3);
  printGoal("ms that the loop is blocked", small.shell_exec.block, 1);
  printGoal("ms that the sandbox adds", small.sandboxed.ms - small.shell_exec.ms, 20);
  printSpawn("A command from a process of 2 GB", large);
  printGoal("shell_exec against a bare spawn, 2 GB", large.shell_exec.ms / large.bare.ms, 1 / 20);
  printGoal("ms that the loop is blocked", large.shell_exec.block, 1);
  const output = measure({ what: "output", ballastMb: 0, rounds: 5 });
  console.log(`\n## 1 GB of output\n`);
  console.log(`cat ${output.cat.toFixed(0)} ms, head and tail and a kept file ${output.kept.toFixed(0)} ms`);
  printGoal("1 GB into head and tail against cat", output.kept / output.cat, 1.2);
  printGoal("MB of memory added", output.addedMb, 60);
}

function measure(options) {
  const text = execFileSync(process.execPath, ["--expose-gc", host, JSON.stringify(options)], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
    maxBuffer: 1024 * 1024,
  });
  return JSON.parse(text);
}

function printSpawn(title, results) {
  const rows = ["bare", "shell_exec", "sandboxed"].map((name) => {
    const { ms } = results[name];
    return [name, { median: ms * 1000, mean: ms * 1000 }];
  });
  printTable(title, new Map(rows), "bare");
  const blocks = Object.entries(results).filter(([, result]) => result.block !== undefined);
  console.log(
    `\nloop blocked, ms: ${blocks.map(([name, { block, worstBlock }]) => `${name} ${block.toFixed(2)} (worst ${worstBlock.toFixed(2)})`).join(", ")}\n`,
  );
}
