// Changes the product's code in small ways and shows which changes no test notices.
//
// npm run mutate -- src/policy [more folders or files] [--sample 40] [--seed N] [--near] [--tests 30] [--limit 180] [--report file.json]
// npm run mutate -- src/policy --again file.json tries only the survivors of a report again.
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { availableParallelism, loadavg } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import { minifySync, transformSync } from "rolldown/utils";
import { describeMutation, readEquivalents } from "./mutate/equivalents.mjs";
import { findSites } from "./mutate/make-mutants.mjs";
import { readTests, sourceFiles } from "./mutate/nearest-tests.mjs";
import { openTestRunner } from "./mutate/test-runner.mjs";

const root = resolve(import.meta.dirname, "..");
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sample: { type: "string", default: "40" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    /** How many test files that reach a mutant may run for it. */
    tests: { type: "string", default: "30" },
    /** Only tests next to the code: quicker, but kills less. */
    near: { type: "boolean", default: false },
    /** Seconds for all tests of one mutant. */
    limit: { type: "string", default: "180" },
    report: { type: "string" },
    /** A report of an earlier run: try only its survivors again. */
    again: { type: "string" },
    equivalents: { type: "string", default: join(root, "test/mutation-equivalents.json") },
  },
});
if (positionals.length === 0) {
  console.error("Name the folders or files to mutate, for example: npm run mutate -- src/policy");
  process.exit(2);
}
const report = resolve(
  values.report ??
    join(root, "node_modules/.cache/tenon-mutate", `${positionals.join("+").replaceAll("/", "-")}.json`),
);
const slowBaseline = 8000;
const slowestBaseline = 60_000;

const files = positionals.flatMap(productFiles);
const equivalents = readEquivalents(values.equivalents);
const all = files.flatMap(mutantsOf);
const { sampled, left } = values.again
  ? survivorsOf(values.again)
  : sample(all, { count: Number(values.sample), random: seeded(Number(values.seed)) });
console.log(`${sampled.length} of ${all.length} mutants in ${files.length} files, seed ${values.seed}`);

const testsOf = readTests(root);
const runner = openTestRunner(root, sampled);
const baselines = new Map();
process.once("SIGINT", () => process.exit(130));
for (const mutant of sampled) {
  Object.assign(mutant, await attack(mutant));
  console.log(
    `${mutant.state.padEnd(9)} ${mutant.file}:${mutant.line}  ${describeMutation(mutant)}${mutant.by ? `  (${mutant.by})` : ""}`,
  );
  // After each, so that a run that is ended early has a report too.
  writeReport();
}
runner.close();
finish();

function productFiles(name) {
  const path = resolve(root, name);
  const found = statSync(path).isFile() ? [path] : sourceFiles(path);
  const tests = /\.test\.ts$|\.fixture\.ts$|-fixture\.ts$|-suite\.ts$|\.d\.ts$|\/testing\//u;
  return found
    .map((file) => relative(root, file))
    .filter((file) => !tests.test(file))
    .sort();
}

function mutantsOf(file) {
  const path = resolve(root, file);
  const text = readFileSync(path, "utf8");
  const lines = text.split("\n");
  return findSites(path, text).flatMap((site) => {
    const line = text.slice(0, site.start).split("\n").length;
    return site.afters.map((after) => ({
      ...site,
      path,
      file,
      after,
      line,
      lineText: lines[line - 1].trim(),
    }));
  });
}

/** One mutant at most for each place, at random; what compiles to the same code or does not compile is not counted. */
function sample(mutants, { count, random }) {
  const places = groupBy(mutants, ({ path, start, end, kind }) => `${path}:${start}:${end}:${kind}`);
  /** @type {any[]} */
  const sampled = [];
  /** @type {any[]} */
  const left = [];
  const compiled = new Set();
  while (sampled.length < count && places.length > 0) {
    const [place] = places.splice(Math.floor(random() * places.length), 1);
    const mutant = place[Math.floor(random() * place.length)];
    const entry = equivalents.find(mutant);
    const code = compile(mutant.path, mutate(mutant));
    if (
      code === undefined ||
      compiled.has(code) ||
      code === compile(mutant.path, readFileSync(mutant.path, "utf8"))
    )
      continue;
    if (entry) left.push({ ...mutant, reason: entry.reason });
    else sampled.push({ ...mutant, id: sampled.length });
    compiled.add(code);
  }
  return { sampled, left };
}

/** What survived in an earlier run and is still there. */
function survivorsOf(file) {
  const { mutants } = JSON.parse(readFileSync(file, "utf8"));
  const survivors = mutants.filter(({ state }) => state === "survived" || state === "unreached");
  const keyOf = (mutant) => JSON.stringify([mutant.file, mutant.lineText, mutant.before, mutant.after]);
  const wanted = new Set(survivors.map(keyOf));
  const found = all.filter((mutant) => wanted.delete(keyOf(mutant)));
  if (wanted.size > 0) console.log(`${wanted.size} survivors of ${file} are no longer there`);
  const left = found.flatMap((mutant) => {
    const entry = equivalents.find(mutant);
    return entry ? [{ ...mutant, reason: entry.reason }] : [];
  });
  const sampled = found
    .filter((mutant) => !equivalents.find(mutant))
    .map((mutant, id) => ({ ...mutant, id }));
  return { sampled, left };
}

function groupBy(list, keyOf) {
  const groups = new Map();
  for (const item of list) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return [...groups.values()];
}

function mutate({ path, start, end, after }) {
  const text = readFileSync(path, "utf8");
  return text.slice(0, start) + after + text.slice(end);
}

function compile(path, text) {
  const { code, errors } = transformSync(path, text, { lang: "ts" });
  if (errors.length > 0) return undefined;
  return minifySync(path, code, { mangle: false, compress: true }).code;
}

/** Run the tests that reach the mutant, the nearest first and slow ones last, until one fails. */
async function attack(mutant) {
  const slow = [];
  let ran = 0;
  let left = Number(values.limit) * 1000;
  const tryTest = async (test) => {
    if (ran >= Number(values.tests) || left <= 0) return undefined;
    ran += 1;
    const { state, failed, ms } = await runner.run(test, {
      mutant,
      limit: 10_000 + 3 * baselines.get(test).ms,
    });
    left -= ms;
    const by = `${relative(root, test)}${failed ? ` > ${failed}` : ""}`;
    if (state === "failed") return { state: "killed", by };
    return state === "passed" ? undefined : { state: "timed out", by };
  };
  const tests = testsOf(mutant.path).filter((test) => !values.near || test.startsWith(join(root, "src")));
  for (const test of tests) {
    if (ran >= Number(values.tests)) break;
    const { state, ms, reached } = await baselineOf(test);
    if (state !== "passed" || !(mutant.probe === undefined || reached.has(mutant.id))) continue;
    if (ms > underLoad(slowBaseline)) {
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

/** A time on a quiet machine, or what it comes to where others share the processors. */
function underLoad(ms) {
  return ms * Math.max(1, loadavg()[0] / availableParallelism());
}

/** How a test file does without a mutant: one that fails or is too slow says nothing about mutants. */
async function baselineOf(test) {
  if (!baselines.has(test)) {
    const baseline = await runner.run(test, {
      mutant: undefined,
      limit: underLoad(slowestBaseline),
    });
    baselines.set(test, baseline);
    if (baseline.state !== "passed") {
      console.log(
        `left out  ${relative(root, test)}: ${baseline.state} without a mutant ${baseline.failed ?? ""}`,
      );
    }
  }
  return baselines.get(test);
}

function finish() {
  const { survivors, killed, score } = writeReport();
  console.log(`\n${survivors.length} survivors:`);
  for (const { file, line, lineText, state, ...mutant } of survivors) {
    console.log(`\n${file}:${line} (${state})\n    ${lineText}\n  - ${mutant.before}\n  + ${mutant.after}`);
  }
  for (const mutant of left) {
    console.log(`\nequivalent: ${mutant.file}:${mutant.line} ${describeMutation(mutant)}: ${mutant.reason}`);
  }
  const stale = equivalents.stale(files, all);
  for (const entry of stale)
    console.log(
      `\nno longer a mutant, take it off the list: ${entry.file}: ${entry.line}: ${entry.mutation}`,
    );
  console.log(
    `\n${killed} of ${sampled.length} killed: ${score} % (seed ${values.seed}, ${left.length} equivalent left out)`,
  );
  console.log(`report: ${relative(process.cwd(), report)}`);
  process.exit(stale.length > 0 ? 1 : 0);
}

/** Write what is known of the mutants that were tried. */
function writeReport() {
  const tried = sampled.filter(({ state }) => state !== undefined);
  const survivors = tried.filter(({ state }) => state === "survived" || state === "unreached");
  const [killed, total] = [tried.length - survivors.length, tried.length];
  const score = total === 0 ? 100 : Math.round((1000 * killed) / total) / 10;
  const content = {
    targets: positionals,
    seed: Number(values.seed),
    killed,
    total,
    score,
    mutants: tried.map(toReport),
    equivalent: left.map(toReport),
  };
  mkdirSync(dirname(report), { recursive: true });
  writeFileSync(report, `${JSON.stringify(content, null, 2)}\n`);
  return { survivors, killed, score };
}

function toReport({ file, line, lineText, kind, before, after, state, by, reason }) {
  return { file, line, lineText, kind, before, after, state, by, reason };
}

function seeded(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
