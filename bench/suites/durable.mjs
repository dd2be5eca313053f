// What is kept for an undo, and what many sessions cost each other.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createTenon } from "../../dist/index.js";
import { printGoal } from "../measure.mjs";

export async function run() {
  const root = mkdtempSync(join(tmpdir(), "tenon-bench-"));
  try {
    await measureImages(join(root, "images"), Number(process.env.TENON_BENCH_EDITS ?? 10_000));
    await measureSessions(join(root, "sessions"), 50);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

function open(base) {
  const workspace = join(base, "workspace");
  mkdirSync(workspace, { recursive: true });
  return {
    workspace,
    tenon: createTenon({ workspace, config: { mode: "auto", stateDir: join(base, "state") } }),
  };
}

/** Bytes on disk after many edits of one file of 100 kB. */
async function measureImages(base, edits) {
  const { workspace, tenon } = open(base);
  const lines = Array.from(
    { length: 2000 },
    (_, at) => `line ${at} with some more words to fill it up to fifty\n`,
  );
  writeFileSync(join(workspace, "f"), lines.join(""));
  const session = tenon.createSession();
  for (let from = 1; from < lines.length; from += 500)
    await ok(session, "read_file", { path: "f", start_line: from, end_line: from + 499 });
  for (let at = 0; at < edits; at += 1) {
    const line = (at * 7) % lines.length;
    const [before, after] = [
      lines[line],
      `line ${line} in its version ${at}, with other words than it had\n`,
    ];
    await ok(session, "edit_file", { path: "f", old_str: before, new_str: after });
    lines[line] = after;
  }
  if (readFileSync(join(workspace, "f"), "utf8") !== lines.join("")) throw new Error("the edits went wrong");
  await tenon.close();
  const megabytes = sizeOf(join(base, "state"), /state\.db|blobs/) / 1e6;
  console.log(`\n${edits} edits of a file of 100 kB: ${megabytes.toFixed(1)} MB of journal and contents`);
  printGoal("MB kept for them", megabytes, 40 * (edits / 10_000));
}

/** How long an edit takes beside 49 other sessions that read, edit and run commands, against a lone one. */
async function measureSessions(base, count) {
  const { workspace, tenon } = open(base);
  const sessions = Array.from({ length: count }, () => tenon.createSession());
  for (const at of sessions.keys()) writeFileSync(join(workspace, `${at}.txt`), "version 0\n");
  const edit = async (at, version) => {
    const started = performance.now();
    await ok(sessions[at], "edit_file", {
      path: `${at}.txt`,
      old_str: `version ${version}\n`,
      new_str: `version ${version + 1}\n`,
    });
    return performance.now() - started;
  };
  for (const at of sessions.keys()) await ok(sessions[at], "read_file", { path: `${at}.txt` });
  const alone = [];
  for (let version = 0; version < 40; version += 1) alone.push(await edit(0, version));
  const together = [];
  const work = async (at) => {
    for (let round = 0; round < 6; round += 1) {
      await ok(sessions[at], "read_file", { path: `${(at + 1) % count}.txt` });
      if (at % 10 === 9) await ok(sessions[at], "shell_exec", { command: "sleep 1; ls" });
      await ok(sessions[at], "read_file", { path: `${at}.txt` });
      together.push(await edit(at, (at === 0 ? 40 : 0) + round));
      // An agent thinks between its calls.
      await new Promise((done) => setTimeout(done, 500 + Math.random() * 1500));
    }
  };
  await Promise.all(sessions.map((_, at) => work(at)));
  await tenon.close();
  const [lone, p95] = [quantile(alone, 0.5), quantile(together, 0.95)];
  console.log(
    `\nAn edit alone ${lone.toFixed(1)} ms (median); beside ${count - 1} sessions p95 ${p95.toFixed(1)} ms`,
  );
  printGoal("× a lone edit at p95", p95 / lone, 5);
}

async function ok(session, name, args) {
  const { success, error } = await session.call({ name, arguments: args });
  if (!success) throw new Error(`${name}: ${error.message}`);
}

function quantile(values, share) {
  return values.toSorted((one, other) => one - other)[Math.floor((values.length - 1) * share)];
}

function sizeOf(dir, wanted) {
  return readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && wanted.test(join(entry.parentPath, entry.name)))
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}
