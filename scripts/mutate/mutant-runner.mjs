// Runs each test of a file without a mutant first, and then once for every mutant that it reached.
import { setMaxListeners } from "node:events";
import { appendFileSync, readFileSync } from "node:fs";
import { TestRunner } from "vitest";
import { question } from "./switchable-text.mjs";

/** What is still to be tried, and the file that takes what was found. */
const { alive, tried, suspect, outside, unfit, without, log, limit, spent } = JSON.parse(
  readFileSync(process.env.TENON_MUTANTS, "utf8"),
);
const living = new Set(alive);
const done = new Set(tried);
/** A mutant that is active from the start, for code that runs outside of tests. */
let active = outside;
let reached = new Set();
let isSpoiled = false;

globalThis[question] = (id) => {
  reached.add(id);
  return id === active;
};

export default class MutantRunner extends TestRunner {
  async onBeforeRunTask(test) {
    if (isSpoiled || unfit.includes(test.id) || isLeftOut(test)) test.mode = "skip";
    await super.onBeforeRunTask(test);
    if (test.mode === "skip") return;
    if (reached.size > 0) report("outside", { ids: [...reached] });
    reached = new Set();
    if (outside !== undefined) return;
    // Each try listens for the end of the test.
    setMaxListeners(0, test.context.signal);
    test.repeats = asLongAs(triesOf(test), test);
  }

  onAfterRunTask(test) {
    super.onAfterRunTask(test);
    if (outside === undefined) {
      // What failed with a mutant is not a failure of the run.
      test.result = { ...test.result, state: "pass", errors: undefined };
    } else {
      isSpoiled = test.result?.state === "fail";
      if (isSpoiled) report("failed", { name: test.fullTestName });
    }
    reached = new Set();
  }
}

function isLeftOut(test) {
  return without !== "" && new RegExp(without, "u").test(test.fullTestName);
}

/** The runner repeats a test while this number is not below the repetitions done: each comparison asks for the next try. */
function asLongAs(tries, test) {
  let started;
  return {
    valueOf() {
      const failed = test.result.state === "fail";
      const ms = performance.now() - started;
      const { done: isOver, value } = tries.next({ failed, reached, ms });
      test.result.state = "run";
      delete test.result.errors;
      [active, reached, started] = [isOver ? undefined : value, new Set(), performance.now()];
      return isOver ? -1 : Number.POSITIVE_INFINITY;
    },
  };
}

/** Yields the mutant of each try, or none, and gets whether the test failed. */
function* triesOf(test) {
  const name = test.fullTestName;
  report("clean", { test: test.id });
  const clean = yield undefined;
  if (clean.failed) {
    report("unfit", { test: test.id, name });
    return;
  }
  for (const id of clean.reached) {
    const key = `${id} ${test.id}`;
    if (isSpoiled || !living.has(id) || done.has(key) || (spent[id] ?? 0) > limit) continue;
    report("try", { id, key, name, ms: clean.ms });
    const event = yield* tryMutant(id, key);
    if (event === "killed") living.delete(id);
    report(event, { id, ids: [id], key, name });
    if (isSpoiled) report("spoiled", { key });
  }
}

function* tryMutant(id, key) {
  const first = yield id;
  spent[id] = (spent[id] ?? 0) + first.ms;
  // What ran only once in this process kept what it made without the mutant.
  if (!first.failed) return first.reached.has(id) ? "survived" : "outside";
  // It must be the mutant that makes the test fail, not the machine or what earlier mutants left behind.
  const { failed } = yield undefined;
  isSpoiled = failed;
  if (failed) return suspect === key ? "killed" : "unclear";
  return (yield id).failed ? "killed" : "survived";
}

function report(event, details) {
  appendFileSync(log, `${JSON.stringify({ event, ...details })}\n`);
}
