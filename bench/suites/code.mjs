// Code search: the index against universal-ctags, definitions and text against ripgrep, one changed file, memory.
// --tree DIR takes another tree than the packages of this project and of the peers in test/, each content once.
import { execFile, execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { createTenon } from "../../dist/index.js";
import { compare, printGoal, printTable, quantile } from "../measure.mjs";

const rgPath = findRipgrep();
const run1 = promisify(execFile);
/** Checked before the suite runs. */
export const needs = [{ program: "ctags" }];
const ctagsLanguages =
  "JavaScript,TypeScript,Python,Go,Rust,Java,C,C++,C#,Ruby,PHP,Sh,CSS,PowerShell,Iniconf";
const endings = /\.(?:[cm]?[jt]sx?|py|go|rs|java|c|h|cc|cpp|hpp|cs|rb|php|sh|css|ps1|ini)$/;

export async function run() {
  const root = mkdtempSync(join(tmpdir(), "tenon-bench-code-"));
  const given = process.argv[process.argv.indexOf("--tree") + 1];
  const tree = process.argv.includes("--tree") ? given : plantTree(root);
  const files = listFiles(tree);
  const code = files.filter((file) => endings.test(file));
  console.log(`\n${files.length} files, ${code.length} of them code, in ${tree}`);
  try {
    const names = await benchIndex(root, tree, code);
    await benchQueries(root, tree, names);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/** Files with the same content are parsed once, so copies would make the index look faster than it is. */
function plantTree(root) {
  const tree = join(root, "tree");
  mkdirSync(tree);
  const seen = new Set();
  for (const [name, from] of Object.entries({ own: "node_modules", peers: "test/peers/node_modules" })) {
    const source = new URL(`../../${from}`, import.meta.url).pathname;
    if (!existsSync(source)) continue;
    cpSync(source, join(tree, name), { recursive: true, dereference: true, filter: isNew });
  }
  return tree;

  function isNew(file) {
    if (!statSync(file).isFile()) return true;
    const content = createHash("sha256").update(readFileSync(file)).digest("base64");
    const known = seen.has(content) || basename(file) === ".gitignore";
    seen.add(content);
    return !known;
  }
}

function listFiles(tree) {
  const args = [
    "--no-config",
    "--hidden",
    "--no-require-git",
    "--no-ignore-dot",
    "--no-ignore-global",
    "--files",
  ];
  return execFileSync(rgPath, args, { cwd: tree, encoding: "utf8", maxBuffer: 1e9 }).trim().split("\n");
}

async function benchIndex(root, tree, code) {
  const list = join(root, "list");
  const tags = join(root, "tags");
  writeFileSync(list, code.join("\n"));
  const ctags = () =>
    spawnSync("ctags", ["-L", list, `--languages=${ctagsLanguages}`, "-f", tags], {
      cwd: tree,
      stdio: "ignore",
    });
  const timed = { "universal-ctags": [], "reading the files": [], "usable index": [], "complete index": [] };
  const peaks = [];
  for (let round = 0; round < 3; round++) {
    timed["universal-ctags"].push(await timeOf(ctags));
    timed["reading the files"].push(
      await timeOf(() => code.forEach((file) => readFileSync(join(tree, file)))),
    );
    // Every tree takes many times as long: once is enough.
    const { usable, whole, peak } = await buildInProcess(tree, join(root, `state-${round}`), round === 0);
    timed["usable index"].push(usable);
    if (round > 0) continue;
    timed["complete index"].push(whole);
    peaks.push(peak);
  }
  const results = new Map(
    Object.entries(timed).map(([name, ms]) => [
      name,
      { median: quantile(ms, 0.5) * 1000, mean: mean(ms) * 1000 },
    ]),
  );
  printTable("Index", results, "universal-ctags");
  console.log();
  const of = (one, other) => results.get(one).median / results.get(other).median;
  printGoal("usable index against universal-ctags", of("usable index", "universal-ctags"), 0.8);
  printGoal(
    "complete index (every tree) against universal-ctags",
    of("complete index", "universal-ctags"),
    3,
  );
  printGoal("usable index against reading the files", of("usable index", "reading the files"), 3);
  printGoal("MB of memory of all processes at their peak, shared pages once", quantile(peaks, 0.5), 300);
  return pickNames(tags);
}

/** In a process of its own, for its memory. The index is asked for with a query that costs next to nothing. */
async function buildInProcess(tree, stateDir, complete) {
  const script = `
    import { createTenon } from ${JSON.stringify(new URL("../../dist/index.js", import.meta.url).href)};
    const tenon = createTenon({ workspace: ${JSON.stringify(tree)}, config: { stateDir: ${JSON.stringify(stateDir)}, mode: "auto" } });
    const started = performance.now();
    const look = async () => (await tenon.call({ name: "code_query", arguments: { query: "zqzq.none", type: "file", path: ${JSON.stringify(listFiles(tree)[0])} } })).result.index;
    const until = async (done, pause) => {
      while (!done(await look())) await new Promise((resolve) => setTimeout(resolve, pause));
      return performance.now() - started;
    };
    const usable = await until(({ state }) => state === "ready", 10);
    const whole = ${complete} ? await until(({ filesParsed, filesKnown }) => filesParsed === filesKnown, 100) : 0;
    console.log(JSON.stringify({ usable, whole, peak: process.resourceUsage().maxRSS / 1000 }));
    await tenon.close();`;
  const running = run1(process.execPath, ["--input-type=module", "-e", script]);
  let peak = 0;
  const watching = setInterval(() => (peak = Math.max(peak, memoryOf(running.child.pid))), 50);
  const { stdout } = await running.finally(() => clearInterval(watching));
  const found = JSON.parse(stdout);
  return { ...found, peak: Math.max(peak, found.peak) };
}

/**
 * MB of a process and of those that it has started. Pages of files, such as Node's program, are in memory once, however many processes have
 * mapped them: what counts is the process that has the most. A proportional share (PSS) would leave a part of them to this process, which is
 * Node as well.
 */
function memoryOf(pid) {
  const parts = processesFrom(pid).map(partsOf);
  const own = parts.reduce((sum, each) => sum + each.own, 0);
  return (own + Math.max(0, ...parts.map(({ files }) => files))) / 1000;
}

function processesFrom(pid) {
  try {
    const children = readdirSync(`/proc/${pid}/task`).flatMap((task) =>
      readFileSync(`/proc/${pid}/task/${task}/children`, "latin1").split(" ").filter(Boolean),
    );
    return [pid, ...children.flatMap(processesFrom)];
  } catch {
    return []; // it has ended, or this is not Linux
  }
}

/** kB of its own, and of files that it has mapped. */
function partsOf(pid) {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "latin1");
    const valueOf = (name) => Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(status)?.[1] ?? 0);
    return { own: valueOf("RssAnon") + valueOf("RssShmem"), files: valueOf("RssFile") };
  } catch {
    return { own: 0, files: 0 }; // it has just ended
  }
}

/** Functions that ctags knows, from all over the tree. */
function pickNames(tags) {
  const rows = readFileSync(tags, "utf8")
    .split("\n")
    .filter((row) => /^[A-Za-z]\w{5,30}\t.*\tf(?:\t|$)/.test(row));
  const step = Math.max(1, Math.floor(rows.length / 12));
  return [...new Set(rows.filter((_, at) => at % step === 0).map((row) => row.split("\t")[0]))].slice(0, 10);
}

async function benchQueries(root, tree, names) {
  const config = { stateDir: join(root, "state-0"), mode: "auto" };
  const tenon = createTenon({ workspace: tree, config });
  const ask = (args, by = tenon) => succeed(by, args);
  try {
    while ((await ask({ query: names[0], type: "function", limit: 5 })).index.state !== "ready")
      await pause(50);
    // The same for both: names that are functions here, too.
    const functions = [];
    for (const name of names) {
      const { matches } = await ask({ query: name, limit: 5, type: "function" });
      if (matches[0]?.kind === "function") functions.push(name);
    }
    let turn = 0;
    const next = () => functions[turn++ % functions.length];
    const rg = (...args) =>
      spawnSync(rgPath, ["--no-config", "--hidden", "-n", ...args, "."], {
        cwd: tree,
        stdio: ["ignore", "pipe", "ignore"],
        maxBuffer: 1e9,
      });
    const cold = async () => {
      const fresh = createTenon({ workspace: tree, config, jobs: false });
      await ask({ query: next(), type: "function", limit: 5 }, fresh);
      await fresh.close();
    };
    const results = await compare(
      {
        "rg, definition by regex": () => rg("-e", regexFor(next())),
        "warm query": () => ask({ query: next(), type: "function", limit: 5 }),
        "cold query": cold,
        "rg, text": () => rg("--max-count=21", "-F", "-e", "createServer("),
        "text query": () => ask({ query: "createServer(", type: "text" }),
        "one changed file": async () => {
          const name = `changed${turn++}`;
          appendFileSync(join(tree, "tenon-bench.js"), `function ${name}() {}\n`);
          const { matches } = await ask({ query: name, type: "function", limit: 1 });
          if (matches[0]?.file !== "tenon-bench.js") throw new Error("the change was not seen");
        },
      },
      {
        rounds: 10,
        callsPerRound: {
          "warm query": 30,
          "one changed file": 5,
          "rg, text": 2,
          "text query": 2,
          "cold query": 1,
          "rg, definition by regex": 2,
        },
      },
    );
    printTable("Queries", results, "rg, definition by regex");
    console.log();
    const ms = (name) => results.get(name).median / 1000;
    printGoal("ms for a warm definition query", ms("warm query"), 2);
    printGoal(
      "warm definition query against rg's regex",
      ms("warm query") / ms("rg, definition by regex"),
      1 / 50,
    );
    printGoal(
      "cold definition query against rg's regex",
      ms("cold query") / ms("rg, definition by regex"),
      1.5,
    );
    printGoal("text query against rg", ms("text query") / ms("rg, text"), 1.15);
    printGoal("ms for a query after one changed file", ms("one changed file"), 10);
  } finally {
    await tenon.close();
    rmSync(join(tree, "tenon-bench.js"), { force: true });
  }
}

/** What a person would look for a definition with. */
function regexFor(name) {
  return `(?:function|class|const|let|var|def|fn|func|interface|type|struct|enum)\\s+${name}\\b|^\\s*(?:[\\w*&<>]+\\s+)*${name}\\s*\\(`;
}

async function succeed(tenon, args) {
  const answer = await tenon.call({ name: "code_query", arguments: args });
  if (!answer.success) throw new Error(`code_query: ${answer.error?.message}`);
  return answer.result;
}

async function timeOf(work) {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

function findRipgrep() {
  const own = createRequire(import.meta.url);
  const within = createRequire(own.resolve("@vscode/ripgrep"));
  return within.resolve(`@vscode/ripgrep-${process.platform}-${process.arch}/bin/rg`);
}

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
