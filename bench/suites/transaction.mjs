// Commands as transactions: what the layer and its commit add to a command that changes the workspace directly.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createTenon } from "../../dist/index.js";
import { compare, printGoal, printTable, quantile } from "../measure.mjs";

/** Each in a script of its own, so that no command is known to be harmless. */
const scripts = {
  nothing: ["true", 1.5, 40],
  "100 changed files": ["for i in $(seq 100); do echo $RANDOM $i >f$i; done", 1.3, 30],
  "10,000 reads": ["for n in $(seq 50); do cat f* >/dev/null; done", 1.1, 15],
};
const manyFiles = 50_000;
const findRounds = 5;

export async function run() {
  const root = mkdtempSync(join(tmpdir(), "tenon-bench-"));
  const open = (name, enabled) => {
    const workspace = join(root, name);
    mkdirSync(workspace);
    for (let index = 1; index <= 200; index++) writeFileSync(join(workspace, `f${index}`), "x".repeat(1000));
    const config = { mode: "auto", stateDir: join(root, `${name}-state`), sandbox: { layers: { enabled } } };
    return { workspace, tenon: createTenon({ workspace, config }) };
  };
  const [direct, layered] = [open("direct", false), open("layered", true)];
  try {
    for (const [name, [script, goal, rounds]] of Object.entries(scripts)) {
      const contenders = { direct: runs(direct, script), "on a layer": runs(layered, script) };
      const results = await compare(contenders, { rounds, callsPerRound: 1 });
      printTable(`A command with ${name}`, results, "direct");
      const [one, other] = [...results.values()].map(({ median }) => median);
      printGoal(`${name}, on a layer against directly`, other / one, goal);
    }
    await newFolders(layered);
    await newFiles(layered);
  } finally {
    await Promise.all([direct.tenon.close(), layered.tenon.close()]);
    rmSync(root, { recursive: true, force: true });
  }
}

async function call({ tenon }, input) {
  const { success, result, error, callId } = await tenon.call({ name: "shell_exec", arguments: input });
  if (!success) throw new Error(error.message);
  if (result.exitCode !== 0) throw new Error(result.stderr);
  return callId;
}

function runs(side, script) {
  const file = `${script.length}.sh`;
  writeFileSync(join(side.workspace, file), script);
  return () => call(side, { command: `bash ${file}` });
}

/** A dry run leaves the changes in their layer, so that the commit can be measured alone. */
async function commitTime({ tenon, ...side }, command) {
  const callId = await call({ tenon, ...side }, { command, dry_run: true, timeout: 600_000 });
  const [{ id }] = await tenon.layers.list({ callId });
  const started = performance.now();
  const { committed } = await tenon.layers.commit(id);
  if (committed !== "all") throw new Error(`Committed: ${committed}`);
  return performance.now() - started;
}

async function newFolders(side) {
  const make = (folder, files) =>
    `mkdir ${folder} && cd ${folder} && for d in $(seq 100); do mkdir $d && seq -f "$d/%g" ${files / 100}; done | xargs touch`;
  const times = { commit: [], find: [] };
  await commitTime(side, make("few", 5000));
  const before = process.resourceUsage().maxRSS;
  for (let round = 0; round < findRounds; round++) {
    const folder = `many${round}`;
    times.commit.push(await commitTime(side, make(folder, manyFiles)));
    const started = performance.now();
    spawnSync("find", [join(side.workspace, folder)], { stdio: ["ignore", "ignore", "inherit"] });
    times.find.push(performance.now() - started);
  }
  const grown = (process.resourceUsage().maxRSS - before) / 1024;
  const [commit, find] = [times.commit, times.find].map((values) => quantile(values, 0.5));
  console.log(`\n## A new folder with ${manyFiles} files\n`);
  console.log(`committed in ${commit.toFixed(0)} ms, found in ${find.toFixed(0)} ms`);
  printGoal("committing it, against find over it", commit / find, 2);
  printGoal("memory that it adds to that of one with 5,000 files, MB", grown, 20);
}

async function newFiles(side) {
  mkdirSync(join(side.workspace, "there"));
  const make = (name, files) => `cd there && seq -f "${name}%g" ${files} | xargs touch`;
  await commitTime(side, make("a", 1000));
  const before = process.resourceUsage().maxRSS;
  const ms = await commitTime(side, make("b", 10_000));
  console.log("\n## 10,000 new files in a folder that exists\n");
  console.log(`committed in ${ms.toFixed(0)} ms, ${(ms / 10).toFixed(0)} µs each`);
  const grown = (process.resourceUsage().maxRSS - before) / 1024;
  printGoal("memory that they add to that of 1,000, MB", grown, 60);
}
