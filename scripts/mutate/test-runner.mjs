// Runs test files against mutants in one process that stays alive from run to run, and replaces it when a run takes too long.
import { fork } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

/**
 * Opens the runner for these mutants. Nothing on disk changes: Vite serves the mutated text to the tests' own process. Programs that a
 * test starts (from `dist`, or source in a worker) therefore run unmutated.
 */
export function openTestRunner(root, mutants) {
  let worker;
  const start = async () => {
    worker = fork(join(import.meta.dirname, "test-worker.mjs"), { cwd: root });
    await ask(worker, { root, all: mutants }, 120_000);
  };
  return {
    /** Run one test file or the tests of it with these ids, with a mutant or without; `late` where it takes longer than the limit. */
    async run(test, { mutant, ids, limit }) {
      if (worker === undefined) await start();
      const result = await ask(worker, { test, ids, mutant: mutant?.id }, limit);
      if (result.state === "late" || result.state === "gone") {
        endTree(worker.pid);
        worker = undefined;
      }
      return { ms: limit, reached: {}, ...result };
    },
    close: () => worker?.disconnect(),
  };
}

function ask(worker, message, limit) {
  return new Promise((resolve) => {
    const settle = (result) => {
      clearTimeout(timer);
      worker.off("message", settle).off("exit", gone);
      resolve(result);
    };
    const gone = () => settle({ state: "gone" });
    const timer = setTimeout(() => settle({ state: "late" }), limit);
    worker.on("message", settle).on("exit", gone);
    worker.send(message);
  });
}

/** Ends a process that this one started, with all below it: an endless loop does not listen to a cancellation. */
function endTree(pid) {
  const parents = new Map(
    readdirSync("/proc")
      .filter(Number)
      .map((each) => [Number(each), parentOf(each)]),
  );
  const doomed = [pid];
  for (const each of doomed)
    doomed.push(...[...parents].filter(([, parent]) => parent === each).map(([child]) => child));
  for (const each of doomed) end(each);
}

function parentOf(pid) {
  return Number(/\) \S (\d+)/u.exec(readOrEmpty(`/proc/${pid}/stat`))?.[1]);
}

function readOrEmpty(file) {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return ""; // The process has ended meanwhile.
  }
}

function end(pid) {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if (error.code !== "ESRCH") throw error;
  }
}
