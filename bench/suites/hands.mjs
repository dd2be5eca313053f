// The tools that models were trained on: a patch of 1,000 hunks against git apply, grep against ripgrep, definitions of all tools.
import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { createTenon } from "../../dist/index.js";
import { compare, printGoal, printTable } from "../measure.mjs";

const { rgPath } = createRequire(import.meta.url)("@vscode/ripgrep");
const run1 = promisify(execFile);
const hunkCount = 1000;

export async function run() {
  const root = mkdtempSync(join(tmpdir(), "tenon-bench-hands-"));
  const workspace = join(root, "ws");
  mkdirSync(workspace);
  cpSync(new URL("../../src", import.meta.url).pathname, join(workspace, "src"), { recursive: true });
  const tenon = createTenon({ workspace, config: { stateDir: join(root, "state"), mode: "auto" } });
  try {
    await benchPatch(tenon, root, workspace);
    await benchGrep(tenon, workspace);
    await benchDefinitions(tenon);
  } finally {
    await tenon.close();
    rmSync(root, { recursive: true, force: true });
  }
}

/** One file with a hunk in every 20 lines, as a patch in both formats. */
function writePatches() {
  const lines = Array.from(
    { length: hunkCount * 20 },
    (_, at) => `const value${at} = compute(${at}, "text ${at}");`,
  );
  const hunks = Array.from({ length: hunkCount }, (_, hunk) => {
    const at = hunk * 20 + 10;
    const body = [
      ...lines.slice(at - 3, at).map((line) => ` ${line}`),
      `-${lines[at]}`,
      `+${lines[at]} // changed`,
      ...lines.slice(at + 1, at + 4).map((line) => ` ${line}`),
    ];
    return { head: `@@ -${at - 2},7 +${at - 2},7 @@`, body };
  });
  const begin = hunks.flatMap(({ body }) => ["@@", ...body]);
  const unified = hunks.flatMap(({ head, body }) => [head, ...body]);
  return {
    before: `${lines.join("\n")}\n`,
    patch: ["*** Begin Patch", "*** Update File: big.ts", ...begin, "*** End Patch", ""].join("\n"),
    diff: ["--- a/big.ts", "+++ b/big.ts", ...unified, ""].join("\n"),
  };
}

async function benchPatch(tenon, root, workspace) {
  const { before, patch, diff } = writePatches();
  const file = join(workspace, "big.ts");
  const diffFile = join(root, "big.patch");
  writeFileSync(diffFile, diff);
  const results = new Set();
  const contenders = {
    "git apply": async () => {
      writeFileSync(file, before);
      await run1("git", ["apply", diffFile], { cwd: workspace });
      results.add(readFileSync(file, "utf8"));
    },
    apply_patch: async () => {
      writeFileSync(file, before);
      await succeed(tenon.createSession().call({ name: "apply_patch", arguments: { patch } }));
      results.add(readFileSync(file, "utf8"));
    },
  };
  const times = await compare(contenders, { rounds: 15, callsPerRound: 1 });
  if (results.size !== 1) throw new Error("git apply and apply_patch disagree");
  printTable(`A patch of ${hunkCount} hunks`, times, "git apply");
  printGoal("apply_patch against git apply", ratio(times, "apply_patch", "git apply"), 1.2);
}

async function benchGrep(tenon, workspace) {
  const session = tenon.createSession();
  const pattern = "createT\\w+";
  const rgArgs = ["--no-config", "--hidden", "--line-number", "--no-heading", "--sort=path", pattern, "."];
  const found = new Set();
  const contenders = {
    ripgrep: async () => {
      const { stdout } = await run1(rgPath, rgArgs, { cwd: workspace, maxBuffer: 1e9 });
      found.add(stdout.trim().split("\n").length);
    },
    grep: async () => {
      const { result } = await succeed(session.call({ name: "grep", arguments: { pattern, limit: 5000 } }));
      found.add(result.lines.length);
    },
  };
  const times = await compare(contenders, { rounds: 30, callsPerRound: 1 });
  if (found.size !== 1) throw new Error(`ripgrep and grep disagree: ${[...found].join(", ")}`);
  printTable("Lines by a pattern in the sources of Tenon", times, "ripgrep");
  printGoal("grep against ripgrep", ratio(times, "grep", "ripgrep"), 1.15);
}

async function benchDefinitions(tenon) {
  const session = tenon.createSession();
  const count = session.tools().length;
  const times = await compare(
    { toLLMTools: () => session.toLLMTools("openai-chat") },
    { rounds: 20, callsPerRound: 20 },
  );
  printTable(`Definitions of ${count} tools`, times, "toLLMTools");
  printGoal(`toLLMTools for ${count} tools, in ms`, times.get("toLLMTools").median / 1000, 1);
}

function ratio(times, one, other) {
  return times.get(one).median / times.get(other).median;
}

async function succeed(call) {
  const answer = await call;
  if (!answer.success) throw new Error(answer.error.message);
  return answer;
}
