// What must hold after any fault: acknowledged = recorded = present, ids are unique, nothing was changed
// without a record, and the calls of a session kept their order.
//
// As a module: `checkInvariants(tenon, run)` answers the list of violations, which is empty where all holds.
// From a shell: node scripts/check-invariants.mjs WORKSPACE [STATE_DIR] [RUN.json], after `npm run build`.
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

const linesPerSegment = 1_000_000;

/**
 * @typedef {object} Acknowledged An answer that left before the fault.
 * @property {string} callId
 * @property {boolean} [success] @default true
 * @property {{ path: string, sha256?: string, absent?: boolean }} [file] What it left on disk, by its absolute path, where nothing later changed it.
 * @property {string} [memory] The id of the memory that it saved.
 *
 * @typedef {object} FaultRun What the fault driver knows.
 * @property {readonly Acknowledged[]} [acknowledged]
 * @property {readonly string[]} [effects] Call ids that were found on disk.
 * @property {readonly (readonly string[])[]} [order] Call ids that one session made one after another.
 */

/**
 * Read log, journal, database and disk, and tell what does not hold.
 *
 * @param {import("../dist/index.js").Tenon} tenon Opened after the fault.
 * @param {FaultRun} [run]
 * @returns {Promise<string[]>}
 */
export async function checkInvariants(tenon, run = {}) {
  const records = new Map();
  const problems = [];
  for await (const line of tenon.audit.export()) {
    const record = JSON.parse(line);
    if (records.has(record.callId)) problems.push(`The call ${record.callId} has two records.`);
    records.set(record.callId, record);
  }
  const verdict = await tenon.audit.verify();
  if (!verdict.ok) problems.push(`Record ${verdict.seq} of the log: ${verdict.problem}.`);
  const state = await tenon.checkState();
  problems.push(...state.problems.map((problem) => `The state: ${problem}`));
  problems.push(...checkAcknowledged(records, run.acknowledged ?? []));
  problems.push(...(await checkMemories(tenon, run.acknowledged ?? [])));
  problems.push(...(await checkJournal(tenon, records)));
  for (const callId of run.effects ?? [])
    if (!records.has(callId)) problems.push(`The call ${callId} took effect and has no record.`);
  for (const calls of run.order ?? []) problems.push(...checkOrder(records, calls));
  return problems;
}

function checkAcknowledged(records, acknowledged) {
  return acknowledged.flatMap(({ callId, success = true, file }) => {
    const record = records.get(callId);
    if (record === undefined) return [`The call ${callId} was acknowledged and has no record.`];
    if ((record.outcome === "success") !== success)
      return [
        `The call ${callId} was acknowledged as ${success ? "done" : "failed"}; its record says ${record.outcome}.`,
      ];
    return file === undefined ? [] : checkFile(callId, file);
  });
}

function checkFile(callId, { path, sha256, absent = false }) {
  if (existsSync(path) === absent)
    return [`The call ${callId} was acknowledged, but ${path} is ${absent ? "still there" : "not there"}.`];
  if (absent || sha256 === undefined) return [];
  const actual = createHash("sha256").update(readFileSync(path)).digest("hex");
  return actual === sha256 ? [] : [`The call ${callId} was acknowledged, but ${path} has another content.`];
}

async function checkMemories(tenon, acknowledged) {
  const wanted = acknowledged.filter(({ memory }) => memory !== undefined);
  const seen = new Map();
  const problems = [];
  for (const { callId, memory } of wanted) {
    if (seen.has(memory))
      problems.push(`The memory ${memory} was given out twice: ${seen.get(memory)}, ${callId}.`);
    seen.set(memory, callId);
    const found = await tenon.work.memories.get(memory);
    if (found === undefined)
      problems.push(`The memory ${memory} of the call ${callId} was acknowledged and is gone.`);
  }
  return problems;
}

/** Every change that the journal has belongs to a call on record. */
async function checkJournal(tenon, records) {
  const changes = await tenon.history({ limit: 100_000 });
  const strangers = new Set(changes.map(({ callId }) => callId).filter((callId) => !records.has(callId)));
  return [...strangers].map(
    (callId) => `The journal has changes of the call ${callId}, which has no record.`,
  );
}

/** Within one segment of the log, calls that were made one after another stand one after another. */
function checkOrder(records, calls) {
  const problems = [];
  let last;
  for (const callId of calls) {
    const record = records.get(callId);
    if (record === undefined) continue; // told already where it was acknowledged
    const place = record.start ?? record.seq;
    const segment = Math.floor(place / linesPerSegment);
    if (last !== undefined && last.segment === segment && place < last.place)
      problems.push(`The call ${callId} was made after ${last.callId} and stands before it.`);
    last = { callId, place, segment };
  }
  return problems;
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(resolve(process.argv[1])).href) {
  const [workspace, stateDir, runFile] = process.argv.slice(2);
  if (workspace === undefined) {
    console.error("Usage: node scripts/check-invariants.mjs WORKSPACE [STATE_DIR] [RUN.json]");
    process.exit(2);
  }
  const { createTenon } = await import("../dist/index.js");
  const tenon = createTenon({ workspace, config: stateDir === undefined ? {} : { stateDir } });
  const run = runFile === undefined ? {} : JSON.parse(readFileSync(runFile, "utf8"));
  const problems = await checkInvariants(tenon, run);
  await tenon.close();
  for (const problem of problems) console.error(problem);
  console.log(problems.length === 0 ? "All invariants hold." : `${problems.length} violations.`);
  process.exit(problems.length === 0 ? 0 : 1);
}
