// What must be true of a fleet after any fault: acknowledged = recorded = done, nothing twice, in time.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { limitMs } from "./clients.mjs";

/**
 * @param {{ volume: string, workspaces: string[], logs: Map<string, any[]>, slackMs: number }} given
 * @param {ReturnType<typeof import("./clients.mjs").openClients>} clients
 * @returns {string[]} what is not so
 */
export function checkFleet({ volume, workspaces, logs, slackMs }, { tasks, requests }) {
  const problems = [];
  for (const workspace of workspaces) {
    const own = tasks.filter((task) => task.workspace === workspace);
    problems.push(...checkWorkspace(join(volume, workspace), own, logs.get(workspace) ?? []));
  }
  for (const { key, at, ms, code, status, stoppedMs, load, wasCarried } of requests) {
    // On a busy machine everything takes longer, as much as it was busy in the minute of the request.
    const slack = slackMs * Math.max(1, load) + stoppedMs;
    if (status !== 0 && ms > limitMs + 2000 + slack)
      problems.push(
        `${key}: a request took ${Math.round(ms)} ms, though its limit was ${limitMs} (${code ?? "done"}, status ${status}, until ${(at / 1000).toFixed(1)} s, load ${load.toFixed(1)} for each core).`,
      );
    if (status === 503 && !wasCarried && ms > 1000 + slack)
      problems.push(`${key}: a request was refused after ${Math.round(ms)} ms, not within a second.`);
  }
  for (const { key, tries, answer } of tasks)
    if (answer === undefined) problems.push(`${key}: no answer after ${tries} requests.`);
  return problems;
}

function checkWorkspace(folder, tasks, records) {
  const problems = [];
  // A worker that lost the workspace records that it gave the call up; the next one, how it ended.
  const outcomes = new Map();
  for (const { callId, outcome } of records) outcomes.set(callId, [...(outcomes.get(callId) ?? []), outcome]);
  const recorded = new Set(records.flatMap((record) => keysIn(JSON.stringify(record.arguments ?? ""))));
  const effects = readEffects(folder, tasks);
  for (const task of tasks) {
    const done = effects.get(task.key) ?? 0;
    if (done > 1) problems.push(`${task.key}: done ${done} times.`);
    // Large arguments are kept apart from their record.
    if (done > 0 && !recorded.has(task.key) && !outcomes.has(task.answer?.callId))
      problems.push(`${task.key}: done without a record.`);
    problems.push(...checkAnswer(task, done, outcomes.get(task.answer?.callId) ?? ["nothing"]));
  }
  return [...problems, ...checkOrder(folder, tasks)];
}

function checkAnswer({ key, kind, answer }, done, recordedAs) {
  if (answer?.success === true) {
    const isDone = kind === "read" || done === (answer.code === undefined ? 1 : 0);
    return [
      ...(isDone
        ? []
        : [
            `${key}: acknowledged as ${answer.code ?? "done"}, done ${done} times: ${JSON.stringify(answer)}`,
          ]),
      ...(recordedAs.includes("success")
        ? []
        : [`${key}: acknowledged as ${answer.callId}, recorded as ${recordedAs.join(", ")}.`]),
    ];
  }
  // Only what was stopped in the middle may have happened all the same.
  const isWrong = answer?.success === false && kind === "write" && done > 0 && !stopped.has(answer.code);
  return isWrong ? [`${key}: refused with ${answer.code}, and done.`] : [];
}

const stopped = new Set(["CALL_INTERRUPTED", "CANCELLED", "TIMED_OUT"]);

/** What each session did in its own file stands in the order in which it was asked for. */
function checkOrder(folder, tasks) {
  const problems = [];
  for (const path of new Set(tasks.filter(({ kind }) => kind === "append").map((task) => task.path))) {
    const numbers = linesOf(join(folder, path)).map((line) => Number(line.split("-")[1]));
    numbers.forEach((number, at) => {
      if (at > 0 && number < numbers[at - 1])
        problems.push(`${path}: ${numbers[at - 1]} stands before ${number}.`);
    });
  }
  return problems;
}

function readEffects(folder, tasks) {
  const effects = new Map();
  const count = (key) => effects.set(key, (effects.get(key) ?? 0) + 1);
  const logs = new Set(tasks.filter(({ kind }) => kind === "append").map(({ path }) => path));
  for (const path of logs) for (const line of linesOf(join(folder, path))) count(line);
  for (const {
    kind,
    key,
    path,
    arguments: { content },
  } of tasks) {
    if (kind !== "write") continue;
    const found = contentOf(join(folder, path));
    if (found === content) count(key);
    else if (found !== undefined) throw new Error(`${path} holds what nobody wrote: ${found.slice(0, 100)}`);
  }
  return effects;
}

const linesOf = (path) => (contentOf(path) ?? "").split("\n").filter((line) => line !== "");

function contentOf(path) {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (error.code === "ENOENT") return undefined;
    throw error;
  }
}

const keysIn = (text) => text.match(/\bc\d+-\d+\b/g) ?? [];
