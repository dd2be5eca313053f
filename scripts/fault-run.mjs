// Kill and stop processes at random moments of mixed work, then check that nothing acknowledged is lost.
//
// node scripts/fault-run.mjs [--kills 200] [--processes 4] [--seed N], after `npm run build`.
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { createTenon } from "../dist/index.js";
import { checkInvariants } from "./check-invariants.mjs";

const { values } = parseArgs({
  options: {
    kills: { type: "string", default: "200" },
    processes: { type: "string", default: "4" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
  },
});
const random = seeded(Number(values.seed));
const base = mkdtempSync(join(tmpdir(), "tenon-faults-"));
const [workspace, stateDir] = [join(base, "workspace"), join(base, "state")];
mkdirSync(workspace);
const worker = join(import.meta.dirname, "fault-worker.mjs");

const acknowledged = [];
const order = new Map();
/** What the last answer about a path says; `undefined` while a call about it is under way. */
const files = new Map();
let left = Number(values.kills);

function take(line) {
  const told = JSON.parse(line);
  if (told.doing !== undefined) {
    files.set(told.doing, undefined);
    return;
  }
  const { file, ...answer } = told;
  acknowledged.push(answer);
  order.set(told.session, [...(order.get(told.session) ?? []), told.callId]);
  if (file !== undefined) files.set(file.path, { callId: told.callId, file });
}

/** Let one process work, end it at a random moment, and start the next one in its place. */
async function keepBusy(name) {
  while (left > 0) {
    left -= 1;
    const child = spawn(process.execPath, [worker, workspace, stateDir, name], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    let text = "";
    const begun = new Promise((done) => child.stdout.once("data", done));
    child.stdout.on("data", (chunk) => (text += chunk));
    const gone = new Promise((done) => child.on("close", done));
    await Promise.race([begun, gone]);
    await pause(random() * 2500);
    // One in ten is stopped for longer than a lock lasts without a heartbeat, and goes on before it is killed.
    if (random() < 0.1) {
      child.kill("SIGSTOP");
      await pause(12_000);
      child.kill("SIGCONT");
      await pause(random() * 500);
    }
    child.kill("SIGKILL");
    await gone;
    // A last line without its end was not said.
    for (const line of text.split("\n").slice(0, -1)) take(line);
  }
}

const started = Date.now();
await Promise.all(Array.from({ length: Number(values.processes) }, (_, at) => keepBusy(`worker${at}`)));
const tenon = createTenon({ workspace, config: { stateDir, mode: "auto" } });
const known = [...files.values()].filter((each) => each !== undefined);
const answers = acknowledged.map((answer) => {
  const own = known.find(({ callId }) => callId === answer.callId);
  return own === undefined
    ? answer
    : { ...answer, file: { ...own.file, path: join(workspace, own.file.path) } };
});
const problems = await checkInvariants(tenon, { acknowledged: answers, order: [...order.values()] });
const { length: interrupted } = await tenon.audit.search({ outcome: "interrupted", limit: 100_000 });
await tenon.close();
for (const problem of problems) console.error(problem);
console.log(
  `${values.kills} kills in ${Math.round((Date.now() - started) / 1000)} s, seed ${values.seed}: ` +
    `${acknowledged.length} answers, ${interrupted} interrupted calls, ${problems.length} violations.`,
);
if (problems.length === 0) rmSync(base, { recursive: true, force: true });
else console.log(`Kept for a look: ${base}`);
process.exit(problems.length === 0 ? 0 : 1);

/** A small generator of numbers that gives the same ones again for the same seed. */
function seeded(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
