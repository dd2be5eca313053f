// Programs that work through the fronts of a fleet: each remembers what it asked for and what it was told.
import { availableParallelism, loadavg } from "node:os";
import { setTimeout as pause } from "node:timers/promises";

/** How long a call may take. */
export const limitMs = 8000;
/** Errors that say: nothing happened, or it is not known; ask again under the same key. */
const passing = new Set([
  "FLEET_UNAVAILABLE",
  "OUTCOME_UNKNOWN",
  "WORKSPACE_UNAVAILABLE",
  "STATE_BUSY",
  "STATE_UNAVAILABLE",
  "AUDIT_UNAVAILABLE",
  "IDEMPOTENCY_KEY_PENDING",
  "UNREACHABLE",
]);

/**
 * One thing that a client wants done once, whatever happens.
 * @typedef {{ key: string, workspace: string, session: string, kind: string, path: string, tool: string, arguments: object,
 *   answer?: { success: boolean, callId?: string, code?: string, exitCode?: number, committed?: string }, tries: number,
 *   slowest: number }} Task
 */

/**
 * @param {{ fronts: () => { facts: { port: number }, stoppedMs(): number }[], token: string, workspaces: string[], random: () => number,
 *   isOver: () => boolean, patienceMs: number }} given
 */
export function openClients(given) {
  /** @type {Task[]} */
  const tasks = [];
  /** @type {{ key: string, at: number, ms: number, stoppedMs: number, load: number, status: number, code: string | undefined, wasCarried: boolean }[]} */
  const requests = [];
  const { random, workspaces } = given;
  const openedAt = performance.now();
  const pick = (list) => list[Math.floor(random() * list.length)];
  const client = async (session) => {
    for (let n = 0; !given.isOver(); n += 1) {
      const task = newTask({ session, n, workspace: pick(workspaces), random });
      tasks.push(task);
      await finish(task);
      await pause(random() * 50);
    }
  };
  /** Ask until there is an answer that will not change. */
  const finish = async (task) => {
    let end;
    while (task.answer === undefined) {
      const told = await ask(task);
      if (told !== undefined) task.answer = told;
      else if (given.isOver() && performance.now() > (end ??= performance.now() + given.patienceMs)) return;
      else await pause(300);
    }
  };
  const ask = async (task) => {
    task.tries += 1;
    const began = performance.now();
    const front = pick(given.fronts());
    // Nobody answers for a front that is stopped.
    const stoppedBefore = front?.stoppedMs() ?? 0;
    const { status, body } = await send(given, front?.facts ?? { port: 1 }, task);
    const stoppedMs = (front?.stoppedMs() ?? 0) - stoppedBefore;
    const ms = performance.now() - began;
    task.slowest = Math.max(task.slowest, ms);
    const code = body?.error?.code ?? body?.code;
    // A front that takes nothing new says so without an id: it has made no call of the request.
    const wasCarried = body?.callId !== undefined;
    // The load of the minute in which the request was answered, for each core.
    const load = loadavg()[0] / availableParallelism();
    const at = performance.now() - openedAt;
    requests.push({ key: task.key, at, ms, stoppedMs, load, status, code, wasCarried });
    return status === 200 ? answerOf(task, body, code) : undefined;
  };
  return {
    tasks,
    requests,
    /** @param {number} count */
    run: (count) => Promise.all(Array.from({ length: count }, (_, n) => client(`c${n}`))),
  };
}

/** The answer of a task, where it will not change any more. */
export function answerOf({ kind }, body, code) {
  if (body?.success === true) {
    const { exitCode, committed = "all" } = body.result ?? {};
    // A command that ran and failed is an answer, too. On a full disk it may have made its file and found no room for the
    // line: then the empty file is committed, and only the exit code tells. What found no room at all is given up.
    const failed = kind === "append" && !(exitCode === 0 && committed === "all");
    return {
      success: true,
      callId: body.callId,
      ...(kind === "append" && { exitCode, committed }),
      ...(failed && { code: "COMMAND_FAILED" }),
    };
  }
  // The answer that a key has got stays its answer.
  const isFinal = !passing.has(code) || body?.metadata?.repeated === true;
  return isFinal ? { success: false, callId: body?.callId, code } : undefined;
}

/** @returns {Task} */
function newTask({ session, n, workspace, random }) {
  const key = `${session}-${n}`;
  const common = { key, workspace, session, tries: 0, slowest: 0 };
  const dice = random();
  const append = `${session}.log`;
  if (dice < 0.4) return { ...common, ...appending(append, key, 0) };
  // Long enough to be caught in the middle.
  if (dice < 0.55) return { ...common, ...appending(append, key, 0.2 + random() * 2) };
  const path = `${key}.txt`;
  // Larger than a message may be, so that the object store carries it.
  const content = dice < 0.6 ? `${key}\n`.repeat(150_000) : `${key}\n`;
  if (dice < 0.9) return { ...common, kind: "write", path, tool: "write_file", arguments: { path, content } };
  return { ...common, kind: "read", path, tool: "list_directory", arguments: { path: "." } };
}

function appending(path, key, seconds) {
  const wait = seconds === 0 ? "" : `sleep ${seconds.toFixed(2)}; `;
  return {
    kind: "append",
    path,
    tool: "shell_exec",
    arguments: { command: `${wait}echo ${key} >> ${path}` },
  };
}

async function send({ token }, { port }, task) {
  try {
    const response = await fetch(
      `http://127.0.0.1:${port}/api/tools/${task.tool}/call?workspace=${task.workspace}`,
      {
        method: "POST",
        headers: {
          authorization: `Bearer ${token}`,
          "content-type": "application/json",
          "idempotency-key": task.key,
        },
        body: JSON.stringify({ arguments: task.arguments, timeoutMs: limitMs }),
      },
    );
    const text = await response.text();
    return { status: response.status, body: JSON.parse(text) };
  } catch {
    // The front is gone, or went while it answered.
    return { status: 0, body: { code: "UNREACHABLE" } };
  }
}
