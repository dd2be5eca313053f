// Runs the tests that reach the mutants, file by file, until a test has failed for each mutant or none is left.
import { readFileSync } from "node:fs";
import { availableParallelism, loadavg } from "node:os";
import { basename, join, relative } from "node:path";

/** How long a process may take to start, and a test beyond ten times what it takes without a mutant, on a quiet machine. */
const [startMs, testMs] = [90_000, 15_000];

/**
 * Tries a test file with all mutants that are left, in one process where that goes: see `mutant-runner.mjs`. `onFound(mutant, {state, by})`
 * hears of each that a test noticed.
 */
export function createAttack({ root, runner, testsOf, isLeftOut, maxTests, without, limit, onFound }) {
  const spent = {};
  const slow = readSlowTests(root);
  const secondsOf = (test) => slow.get(basename(test)) ?? 0;
  const patience = (last) =>
    underLoad(
      last === undefined ? startMs : testMs + 10 * (last.ms ?? 0) + (last.event === "clean" ? startMs : 0),
    );
  return { filesFor, tryFile };

  /** The test files for these mutants, quick ones and those that are nearest to one of them first, each with its mutants. */
  function filesFor(mutants) {
    const files = new Map();
    for (const mutant of mutants) {
      const tests = testsOf(mutant.path).filter((test) => !isLeftOut(test));
      for (const [rank, test] of tests.slice(0, maxTests).entries()) {
        const file = files.get(test) ?? { test, rank, mutants: [] };
        files.set(test, { test, rank: Math.min(rank, file.rank), mutants: [...file.mutants, mutant] });
      }
    }
    return [...files.values()].sort(
      (a, b) => secondsOf(a.test) - secondsOf(b.test) || a.rank - b.rank || (a.test < b.test ? -1 : 1),
    );
  }

  async function tryFile({ test, mutants }) {
    const living = new Map(mutants.filter(({ state }) => state === undefined).map((each) => [each.id, each]));
    const found = (id, state, name) => {
      const by = `${relative(root, test)}${name ? ` > ${name}` : ""}`;
      onFound(living.get(id), { state, by });
      living.delete(id);
    };
    const [tried, outside, unfit] = [new Set(), new Set(), new Map()];
    let suspect = "";
    for (let isOver = false; !isOver && living.size > 0;) {
      const plan = {
        alive: [...living.keys()],
        tried: [...tried],
        unfit: [],
        suspect,
        without,
        limit,
        spent,
      };
      const { state, reports } = await runner.run(test, plan, patience);
      isOver = true;
      for (const { event, id, ids = [], key, name, test: testId } of reports) {
        if (event === "outside") for (const each of ids) outside.add(each);
        if (["survived", "outside", "killed"].includes(event) && key) tried.add(key);
        if (event === "killed") found(id, "killed", name);
        if (event === "unfit") unfit.set(testId, name);
        // What earlier mutants left behind makes tests fail: go on in a new process, with the last mutant first.
        if (event === "spoiled") [suspect, isOver] = [key, false];
      }
      const last = reports.findLast(({ event }) => event !== "outside");
      if (last?.event !== "try") continue;
      found(last.id, state === "late" ? "timed out" : "killed", last.name);
      isOver = false;
    }
    for (const name of unfit.values())
      console.log(`left out  ${relative(root, test)}: fails without a mutant: ${name}`);
    for (const id of [...outside].filter((each) => living.has(each))) {
      const result = await tryFromStart(test, { id, unfit: [...unfit.keys()] });
      if (result) found(id, result.state, result.name);
    }
    return { reached: new Set([...outside, ...[...tried].map((key) => Number(key.split(" ")[0]))]) };
  }

  /** With the mutant in place while the file and what it imports are loaded. */
  async function tryFromStart(test, { id, unfit }) {
    if ((spent[id] ?? 0) > limit) return undefined;
    const plan = { alive: [], tried: [], unfit, outside: id, without, limit, spent };
    const started = performance.now();
    const first = await runner.run(test, plan, patience);
    const isPassed = first.state === "passed";
    const again = isPassed ? first : await runner.run(test, plan, patience);
    spent[id] = (spent[id] ?? 0) + performance.now() - started;
    if (again.state === "passed") return undefined;
    const failed = again.reports.find(({ event }) => event === "failed");
    return { state: again.state === "failed" ? "killed" : "timed out", name: failed?.name };
  }
}

/** How long the slow test files take, by their names: a list in TypeScript, which Node cannot import here. */
function readSlowTests(root) {
  const text = readFileSync(join(root, "test/setup/slow-tests.ts"), "utf8");
  return new Map(
    [...text.matchAll(/\[(\d+), "([^"]+)"\]/gu)].map(([, seconds, name]) => [
      `${name}.test.ts`,
      Number(seconds),
    ]),
  );
}

/** A time on a quiet machine, or what it comes to where others share the processors. */
function underLoad(ms) {
  return ms * Math.max(1, loadavg()[0] / availableParallelism());
}
