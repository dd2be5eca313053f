// The state: opening one that exists, as the first thing of a process and as a later one; what agents keep in it.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createTenon } from "../../dist/index.js";
import { printGoal, printTable, quantile } from "../measure.mjs";
import { benchWork } from "../work.mjs";

export async function run() {
  const root = mkdtempSync(join(tmpdir(), "tenon-bench-state-"));
  mkdirSync(join(root, "workspace"));
  try {
    await benchOpening(root);
    await benchWork(root);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/** The session of an earlier process is what opens the state. */
async function benchOpening(root) {
  const options = { workspace: join(root, "workspace"), config: { stateDir: join(root, "state") } };
  const making = createTenon(options);
  await making.checkState();
  await making.close();
  const times = { "load SQLite alone": [], "open, first in a process": [], "open, later": [] };
  for (let round = 0; round < 15; round++) {
    times["load SQLite alone"].push(node(loading));
    times["open, first in a process"].push(node(openingOf(options)));
    times["open, later"].push(await open(options));
  }
  const rows = Object.entries(times).map(([name, ms]) => [
    name,
    { median: quantile(ms, 0.5) * 1000, mean: (ms.reduce((sum, each) => sum + each, 0) / ms.length) * 1000 },
  ]);
  printTable("Opening an existing state", new Map(rows), "load SQLite alone");
  console.log();
  printGoal("open an existing state, in ms", quantile(times["open, later"], 0.5), 20);
  printGoal(
    "the same as the first thing of a process, loading and starting included",
    quantile(times["open, first in a process"], 0.5),
    20,
  );
}

async function open(options) {
  const tenon = createTenon(options);
  const started = performance.now();
  await tenon.openNamedSession("bench");
  const took = performance.now() - started;
  await tenon.close();
  return took;
}

const openingOf = (options) => `
  import { createTenon } from ${JSON.stringify(new URL("../../dist/index.js", import.meta.url).href)};
  const tenon = createTenon(${JSON.stringify(options)});
  const started = performance.now();
  await tenon.openNamedSession("bench");
  console.log(performance.now() - started);
  await tenon.close();`;

const loading = `
  import { createRequire } from "node:module";
  const require = createRequire(import.meta.url);
  const [major, minor] = process.versions.node.split(".").map(Number);
  const isBuiltIn = major > 23 || (major === 22 && minor >= 13) || (major === 23 && minor >= 4);
  const started = performance.now();
  require(isBuiltIn ? "node:sqlite" : "@photostructure/sqlite");
  console.log(performance.now() - started);`;

/** Run a program in a process of its own; it prints one number. */
function node(program) {
  const cwd = fileURLToPath(new URL("../..", import.meta.url));
  const args = ["--no-warnings", "--input-type=module", "-e", program];
  return Number(execFileSync(process.execPath, args, { cwd, encoding: "utf8" }));
}
