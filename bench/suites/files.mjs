// Files: a range of lines in 1 GB, counting its lines, listing 50,000 files, a small read, an edit in 10 MB and in 10 kB.
import { execFile, execFileSync, spawnSync } from "node:child_process";
import {
  closeSync,
  copyFileSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import * as z from "zod";
import { createTenon, defineTool } from "../../dist/index.js";
import { compare, printGoal, printTable, quantile } from "../measure.mjs";

const { rgPath } = createRequire(import.meta.url)("@vscode/ripgrep");
const run1 = promisify(execFile);

export async function run() {
  const root = mkdtempSync(join(tmpdir(), "tenon-bench-files-"));
  const workspace = join(root, "ws");
  mkdirSync(workspace);
  const { tenon, ctx } = await openContext(workspace, join(root, "state"));
  try {
    await benchLines(tenon, workspace);
    await benchListing(tenon, ctx, workspace);
    await benchSmallRead(tenon, ctx, workspace);
    await benchEdit(tenon, workspace);
    await benchSmallEdit(tenon, workspace);
  } finally {
    await tenon.close();
    rmSync(root, { recursive: true, force: true });
  }
}

/** A context that outlives its call, to measure the ports alone. */
async function openContext(workspace, stateDir) {
  let ctx;
  const lend = defineTool({
    name: "lend",
    description: "Hand out the context.",
    category: "custom",
    annotations: { readOnly: true },
    input: z.object({}),
    execute: (_input, given) => {
      ctx = given;
      return {};
    },
  });
  const tenon = createTenon({ workspace, config: { stateDir, mode: "auto" }, tools: [lend] });
  await tenon.call({ name: "lend" });
  return { tenon, ctx };
}

async function benchLines(tenon, workspace) {
  const file = join(workspace, "large.log");
  writeLargeFile(file);
  const range = { path: "large.log", start_line: 5_000_000, end_line: 5_000_100 };
  const quiet = { stdio: ["ignore", "ignore", "ignore"] };
  const results = await compare(
    {
      "sed -n": () => spawnSync("sed", ["-n", "5000000,5000100p", file], quiet),
      "wc -l": () => spawnSync("wc", ["-l", file], quiet),
      "cat of all": () => spawnSync("sh", ["-c", 'cat "$1" > /dev/null', "sh", file], quiet),
      "first range": async () => {
        utimesSync(file, new Date(), new Date()); // another version of the file: nothing known of it holds
        await succeed(tenon, "read_file", range);
      },
      "total lines": async () => {
        utimesSync(file, new Date(), new Date());
        await succeed(tenon, "read_file", { path: "large.log", start_line: 1, end_line: 1 });
      },
    },
    { rounds: 10, callsPerRound: 1 },
  );
  printTable("Lines 5,000,000 to 5,000,100 of 1 GB", results, "sed -n");
  console.log();
  const of = (one, other) => results.get(one).median / results.get(other).median;
  printGoal("first range against sed -n", of("first range", "sed -n"), 0.5);
  printGoal("first range against cat of all bytes", of("first range", "cat of all"), 1.3);
  printGoal("total lines against wc -l", of("total lines", "wc -l"), 1);

  await new Promise((resolve) => setTimeout(resolve, 2500)); // only an index of a file at rest is kept
  await succeed(tenon, "read_file", range);
  const repeats = [];
  for (let at = 0; at < 50; at++) {
    const start_line = 1 + ((at * 7_919_777) % 9_900_000);
    const started = performance.now();
    await succeed(tenon, "read_file", { path: "large.log", start_line, end_line: start_line + 100 });
    repeats.push(performance.now() - started);
  }
  printGoal("ms for a repeated range", quantile(repeats, 0.5), 1);
  printGoal("MB of memory added by the first range", await addedMemory(workspace, range), 30);
  rmSync(file);
}

/** 10 million lines of 100 bytes. */
function writeLargeFile(file) {
  const fd = openSync(file, "w");
  const lines = Array.from({ length: 10_000 }, (_, at) => `${String(at).padEnd(99, "x")}\n`).join("");
  for (let part = 0; part < 1000; part++) writeSync(fd, lines);
  closeSync(fd);
}

/** In a process of its own, since what was used before would hide what is added. */
async function addedMemory(workspace, range) {
  const script = `
    import { createTenon } from ${JSON.stringify(new URL("../../dist/index.js", import.meta.url).href)};
    import { writeFileSync } from "node:fs";
    writeFileSync(${JSON.stringify(join(workspace, "warm.txt"))}, "warm\\n");
    const tenon = createTenon({ workspace: ${JSON.stringify(workspace)}, config: { stateDir: ${JSON.stringify(`${workspace}-state`)} } });
    for (let at = 0; at < 20; at++) await tenon.call({ name: "read_file", arguments: { path: "warm.txt" } });
    const before = process.memoryUsage.rss();
    await tenon.call({ name: "read_file", arguments: ${JSON.stringify(range)} });
    console.log((process.resourceUsage().maxRSS * 1024 - before) / 1e6);
    await tenon.close();`;
  const { stdout } = await run1(process.execPath, ["--input-type=module", "-e", script]);
  return Math.max(0, Number(stdout));
}

async function benchListing(tenon, ctx, workspace) {
  const tree = join(workspace, "tree");
  plantTree(tree);
  await new Promise((resolve) => setTimeout(resolve, 200));
  const rg = () =>
    execFileSync(rgPath, ["--files", "--hidden", "--no-require-git", "--glob", "!.git"], {
      cwd: tree,
      encoding: "utf8",
      maxBuffer: 1e9,
    });
  let first = [];
  const walk = async (stats) => {
    const started = performance.now();
    let count = 0;
    for await (const { entries } of ctx.files.walk("tree", { stats })) {
      if (count === 0) first.push(performance.now() - started);
      count += entries.length;
    }
    return count;
  };
  const results = await compare(
    {
      "rg --files": rg,
      "rg --files, then sizes and times": () => {
        for (const path of rg().split("\n")) if (path !== "") lstatSync(join(tree, path));
      },
      "walk without sizes": () => walk(false),
      "walk with sizes and times": () => walk(true),
      list_files: () => succeed(tenon, "list_files", { path: "tree", recursive: true, limit: 200_000 }),
    },
    { rounds: 15, callsPerRound: 1 },
  );
  printTable("50,000 files with .gitignore", results, "rg --files, then sizes and times");
  console.log();
  const of = (one, other) => results.get(one).median / results.get(other).median;
  printGoal("names against rg --files", of("walk without sizes", "rg --files"), 1.1);
  printGoal(
    "names, sizes and times against rg --files with the same",
    of("walk with sizes and times", "rg --files, then sizes and times"),
    1.1,
  );
  printGoal("ms until the first entries", quantile(first, 0.5), 20);
  rmSync(tree, { recursive: true });
}

/** As in a repository: many small directories, some ignored ones. */
function plantTree(tree) {
  let files = 0;
  for (let room = 0; files < 50_000; room++) {
    const directory = join(tree, `packages/p${room % 40}/src/m${room % 400}/x${room}`);
    mkdirSync(directory, { recursive: true });
    for (let at = 0; at < 1 + ((room * 7919) % 37) && files < 50_000; at++, files++) {
      writeFileSync(join(directory, `some-file-${at}.${["ts", "js", "json", "md"][at % 4]}`), "x");
    }
    if (room % 20 === 0) {
      mkdirSync(join(directory, "node_modules/a"), { recursive: true });
      writeFileSync(join(directory, "node_modules/a/index.js"), "x");
      writeFileSync(join(directory, "debug.log"), "x");
    }
  }
  writeFileSync(
    join(tree, ".gitignore"),
    "node_modules\n*.log\n/dist\nbuild/\n.env*\n*.py[cod]\n**/coverage/**\n",
  );
}

async function benchSmallRead(tenon, ctx, workspace) {
  const file = join(workspace, "small.txt");
  writeFileSync(file, `${"x".repeat(63)}\n`.repeat(64));
  const results = await compare(
    {
      "fs.promises.readFile": () => readFile(file),
      "guarded read": () => ctx.files.read("small.txt"),
      "read_file, the whole call": () => succeed(tenon, "read_file", { path: "small.txt" }),
    },
    { rounds: 40, callsPerRound: 200 },
  );
  printTable("Read of 4 KB", results, "fs.promises.readFile");
  console.log();
  printGoal(
    "guarded read against readFile",
    results.get("guarded read").median / results.get("fs.promises.readFile").median,
    1.3,
  );
}

async function benchEdit(tenon, workspace) {
  const file = join(workspace, "edited.txt");
  const copy = join(workspace, "copy.txt");
  writeFileSync(file, Array.from({ length: 100_000 }, (_, at) => `${String(at).padEnd(99, "y")}\n`).join(""));
  const place = { start_line: 50_001, end_line: 50_001 };
  await succeed(tenon, "read_file", { path: "edited.txt", ...place });
  const line = String(50_000).padEnd(99, "y");
  const other = String(50_000).padEnd(99, "z");
  let turn = false;
  const results = await compare(
    {
      "copy with fsync": () => {
        copyFileSync(file, copy);
        const fd = openSync(copy, "r+");
        fsyncSync(fd);
        closeSync(fd);
      },
      "edit of one line": async () => {
        turn = !turn;
        const [old_str, new_str] = turn ? [line, other] : [other, line];
        await succeed(tenon, "edit_file", { path: "edited.txt", old_str, new_str });
      },
    },
    { rounds: 25, callsPerRound: 1 },
  );
  printTable("Edit of one line in 10 MB", results, "copy with fsync");
  console.log();
  printGoal(
    "edit of one line against a copy with fsync",
    results.get("edit of one line").median / results.get("copy with fsync").median,
    1.5,
  );
}

async function benchSmallEdit(tenon, workspace) {
  const file = join(workspace, "small-edit.txt");
  const other = join(workspace, "small-write.txt");
  const text = Array.from({ length: 100 }, (_, at) => `${String(at).padEnd(99, "y")}\n`).join("");
  writeFileSync(file, text);
  await succeed(tenon, "read_file", { path: "small-edit.txt" });
  let turn = 0;
  const results = await compare(
    {
      "write, fsync and rename": () => {
        const fd = openSync(`${other}.new`, "w");
        writeFileSync(fd, text);
        fsyncSync(fd);
        closeSync(fd);
        renameSync(`${other}.new`, other);
      },
      edit_file: () => {
        const [old_str, new_str] = [++turn, turn + 1].map((at) => `50${(at % 2 ? "y" : "z").repeat(97)}`);
        return succeed(tenon, "edit_file", { path: "small-edit.txt", old_str, new_str });
      },
    },
    { rounds: 25, callsPerRound: 20 },
  );
  printTable("Edit of 10 kB", results, "write, fsync and rename");
  console.log();
  printGoal(
    "edit of 10 kB against write, fsync and rename",
    results.get("edit_file").median / results.get("write, fsync and rename").median,
    3,
  );
}

async function succeed(tenon, name, args) {
  const answer = await tenon.call({ name, arguments: args });
  if (!answer.success) throw new Error(`${name}: ${answer.error?.message}`);
  return answer.result;
}
