// Runs the tests that reach a mutant, the nearest first, until one fails.
import { statSync } from "node:fs";
import { availableParallelism, loadavg } from "node:os";
import { relative } from "node:path";

const slowBaseline = 8000;
const slowestBaseline = 150_000;
/** Beside a run of the whole file, running its tests one by one is not worth the trouble for more of them than this. */
const maxNamed = 60;

/**
 * `attack` tries to kill one mutant. Each test file runs once without a mutant first (its baseline), which says which of its tests reach
 * which mutants: only these run for a mutant. `known` are baselines of an earlier run, for files that have not changed since.
 */
export function createAttack({ root, runner, testsOf, isLeftOut, maxTests, limit, known = [] }) {
  const baselines = new Map(
    known
      .filter(({ test, state, changed }) => state === "passed" && changedAt(test) === changed)
      .map((each) => [each.test, each]),
  );
  /** Whether these tests pass without the others of their file. */
  const alone = new Map();
  return { attack, baselines: () => [...baselines.values()] };

  async function attack(mutant) {
    const slow = [];
    let ran = 0;
    let left = limit;
    const tryTest = async (test) => {
      if (ran >= maxTests || left <= 0) return undefined;
      ran += 1;
      const { state, failed, ms } = await runTest(test, mutant);
      left -= ms;
      const by = `${relative(root, test)}${failed ? ` > ${failed}` : ""}`;
      if (state === "failed") return { state: "killed", by };
      return state === "passed" ? undefined : { state: "timed out", by };
    };
    for (const test of testsOf(mutant.path).filter((each) => !isLeftOut(each))) {
      if (ran >= maxTests) break;
      const { state, ms, reached } = await baselineOf(test);
      if (state !== "passed" || !(mutant.probe === undefined || reached[mutant.id])) continue;
      if (idsFor(test, mutant) === undefined && ms > underLoad(slowBaseline)) {
        slow.push(test);
        continue;
      }
      const killed = await tryTest(test);
      if (killed) return killed;
    }
    for (const test of slow) {
      const killed = await tryTest(test);
      if (killed) return killed;
    }
    return { state: ran === 0 ? "unreached" : "survived", ran };
  }

  /** Run the tests of the file that reach the mutant, or the whole file where that is not known or they need the others. */
  async function runTest(test, mutant) {
    const longest = 10_000 + 3 * baselines.get(test).ms;
    const ids = idsFor(test, mutant);
    if (ids !== undefined) {
      const result = await runner.run(test, { mutant, ids, limit: longest });
      if (result.state === "passed" || (await passAlone(test, ids, longest))) return result;
    }
    return runner.run(test, { mutant, limit: longest });
  }

  function idsFor(test, mutant) {
    const ids = mutant.probe && baselines.get(test).reached[mutant.id];
    return ids === undefined || ids.includes("all") || ids.length > maxNamed ? undefined : ids;
  }

  async function passAlone(test, ids, longest) {
    const key = `${test} ${ids.join(" ")}`;
    if (!alone.has(key)) alone.set(key, (await runner.run(test, { ids, limit: longest })).state === "passed");
    return alone.get(key);
  }

  /** How a test file does without a mutant: one that fails or is too slow says nothing about mutants. */
  async function baselineOf(test) {
    if (!baselines.has(test)) {
      const baseline = await runner.run(test, { limit: underLoad(slowestBaseline) });
      baselines.set(test, { ...baseline, test, changed: changedAt(test) });
      if (baseline.state !== "passed") {
        console.log(
          `left out  ${relative(root, test)}: ${baseline.state} without a mutant ${baseline.failed ?? ""}`,
        );
      }
    }
    return baselines.get(test);
  }
}

/** A time on a quiet machine, or what it comes to where others share the processors. */
function underLoad(ms) {
  return ms * Math.max(1, loadavg()[0] / availableParallelism());
}

function changedAt(file) {
  return statSync(file).mtimeMs;
}
