// Runs test files with mutants in a process that stays alive from run to run, and replaces it when a test does not end.
import { fork } from "node:child_process";
import { chmodSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * Opens the runner for these mutants. Nothing on disk changes: Vite serves the text with the mutants to the tests' own process. Programs
 * that a test starts (from `dist`, or source in a worker) therefore run unmutated.
 */
export function openTestRunner(root, mutants) {
  const folder = mkdtempSync(join(tmpdir(), "tenon-mutate-"));
  // Some tests run as another user for a while.
  chmodSync(folder, 0o755);
  const [plan, log] = [join(folder, "plan"), join(folder, "log")];
  let worker;
  const start = async () => {
    worker = fork(join(import.meta.dirname, "test-worker.mjs"), { cwd: root });
    await ask({ root, mutants });
  };
  const ask = (message) =>
    new Promise((resolve) => {
      const settle = (result) => {
        worker.off("message", settle).off("exit", gone);
        resolve(result);
      };
      const gone = () => settle({ state: "gone" });
      worker.on("message", settle).on("exit", gone);
      worker.send(message);
    });
  return {
    /** Run a test file by this plan (`mutant-runner.mjs`) and give what it reported; it is `late` where no report comes for `patience(last)` ms. */
    async run(test, details, patience) {
      writeFileSync(plan, JSON.stringify({ ...details, log }));
      writeFileSync(log, "");
      chmodSync(log, 0o666);
      if (worker === undefined) await start();
      const watch = watchFile(log, patience);
      const { state } = await Promise.race([ask({ test, plan }), watch.late]);
      watch.stop();
      if (state === "late" || state === "gone") {
        endTree(worker.pid);
        worker = undefined;
      }
      return { state, reports: readReports(log) };
    },
    close() {
      worker?.disconnect();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** `late` resolves when the file has not grown for as long as one may wait after its last report. */
function watchFile(file, patience) {
  let [length, since] = [0, performance.now()];
  let timer;
  const late = new Promise((resolve) => {
    timer = setInterval(() => {
      const reports = readReports(file);
      if (reports.length !== length) [length, since] = [reports.length, performance.now()];
      else if (performance.now() - since > patience(reports.at(-1))) resolve({ state: "late" });
    }, 500);
  });
  return { late, stop: () => clearInterval(timer) };
}

function readReports(file) {
  const lines = readFileSync(file, "utf8").split("\n");
  return lines.slice(0, -1).map((line) => JSON.parse(line));
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
