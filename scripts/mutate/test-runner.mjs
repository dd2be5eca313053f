// Runs test files again and again in one Vitest instance, with one mutant at a time served in place of the real text.
import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createVitest } from "vitest/node";

/**
 * Opens the runner for these mutants. Nothing on disk changes: Vite serves the mutated text to the tests' own process. Programs that a
 * test starts (from `dist`, or source in a worker) therefore run unmutated.
 */
export async function openTestRunner(root, mutants) {
  const folder = mkdtempSync(join(tmpdir(), "tenon-mutate-"));
  const reached = join(folder, "reached");
  const state = { active: undefined };
  const plugin = {
    name: "serve-mutant",
    enforce: "pre",
    transform: (text, id) => {
      const own = mutants.filter(({ path }) => path === id);
      return own.length === 0
        ? undefined
        : { code: mutatedText(text, { mutants: own, active: state.active, reached }), map: null };
    },
  };
  const options = {
    root,
    watch: false,
    bail: 1,
    reporters: [{}],
    update: false,
    maxWorkers: 1,
    testTimeout: 20_000,
    hookTimeout: 30_000,
    execArgv: ["--max-old-space-size=2048"],
  };
  const vitest = await createVitest("test", options, {
    plugins: [plugin],
    logLevel: "silent",
    server: { watch: null },
  });
  const invalidate = (mutant) => mutant && vitest.invalidateFile(mutant.path);
  return {
    async run(test, { mutant, limit }) {
      invalidate(state.active);
      state.active = mutant;
      invalidate(mutant);
      rmSync(reached, { force: true });
      const started = performance.now();
      const outcome = await runFile(vitest, test, limit);
      return { ...outcome, ms: Math.round(performance.now() - started), reached: readReached(reached) };
    },
    async close() {
      await vitest.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The text with the active mutant in place, and with marks that record which mutants' blocks a test enters. */
function mutatedText(text, { mutants, active, reached }) {
  const edits =
    active && mutants.includes(active) ? [{ start: active.start, end: active.end, text: active.after }] : [];
  const insideActive = (at) => edits.length > 0 && at > active.start && at < active.end;
  const marks = mutants.flatMap(({ id, probe }) => {
    if (!probe) return [];
    const mark = `globalThis.__tenonReached?.(${id})`;
    if (probe.end === undefined) return [{ start: probe.at, end: probe.at, text: `${mark};` }];
    if (insideActive(probe.at) || insideActive(probe.end)) return [];
    return [
      { start: probe.at, end: probe.at, text: `(${mark},` },
      { start: probe.end, end: probe.end, text: ")", closes: true },
    ];
  });
  const all = [...marks.filter(({ start }) => !insideActive(start)), ...edits].sort(byPosition);
  let [result, done] = [recorder(reached), 0];
  for (const edit of all) {
    result += text.slice(done, edit.start) + edit.text;
    done = edit.end;
  }
  return result + text.slice(done);
}

/** At one position, what closes comes first, then what opens, then a replacement. */
function byPosition(a, b) {
  const rank = ({ closes, start, end }) => (closes ? 0 : start === end ? 1 : 2);
  return a.start - b.start || rank(a) - rank(b);
}

function recorder(reached) {
  const record = `(id) => { if (!seen.has(id)) { seen.add(id); fs.appendFileSync(${JSON.stringify(reached)}, id + "\\n"); } }`;
  return `globalThis.__tenonReached ??= ((seen, fs) => ${record})(new Set(), process.getBuiltinModule("node:fs"));`;
}

function readReached(file) {
  try {
    return new Set(readFileSync(file, "utf8").trim().split("\n").map(Number));
  } catch (error) {
    if (error.code === "ENOENT") return new Set();
    throw error;
  }
}

async function runFile(vitest, test, limit) {
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    void vitest.cancelCurrentRun("test-failure");
    endWorkers();
  }, limit);
  try {
    const specification = vitest.getRootProject().createSpecification(test);
    const result = await vitest.runTestSpecifications([specification]);
    if (late) return { state: "late" };
    // The result also has the modules of earlier runs.
    const testModules = result.testModules.filter(({ moduleId }) => moduleId === test);
    const failed = testModules.flatMap((module) => [...module.children.allTests("failed")]);
    const passed =
      result.unhandledErrors.length === 0 &&
      testModules.length > 0 &&
      testModules.every((module) => module.ok());
    return { state: passed ? "passed" : "failed", failed: failed[0]?.fullName };
  } finally {
    clearTimeout(timer);
  }
}

/** Ends the test workers that this process started, with what they started: an endless loop does not listen to a cancellation. */
function endWorkers() {
  const parents = new Map(
    readdirSync("/proc")
      .filter(Number)
      .map((pid) => [Number(pid), parentOf(pid)]),
  );
  const below = (pid) => [...parents].filter(([, parent]) => parent === pid).map(([child]) => child);
  const workers = below(process.pid).filter((pid) => commandOf(pid).includes("vitest"));
  const doomed = [...workers];
  for (const pid of doomed) doomed.push(...below(pid));
  for (const pid of doomed) end(pid);
}

function parentOf(pid) {
  return Number(/\) \S (\d+)/u.exec(readOrEmpty(`/proc/${pid}/stat`))?.[1]);
}

function commandOf(pid) {
  return readOrEmpty(`/proc/${pid}/cmdline`);
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
