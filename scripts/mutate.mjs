// Changes the product's code in small ways and shows which changes no test notices.
//
// npm run mutate -- src/policy [more folders or files] [--sample 40] [--seed N] [--near] [--tests 30] [--limit 180] [--report file.json]
// npm run mutate -- src/policy --again file.json tries only the survivors of a report again.
// npm run mutate -- src/policy --seed 7 --report file.json --minutes 8, and the same with --continue, makes a long run in parts.
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import { minifySync, transformSync } from "rolldown/utils";
import { createAttack } from "./mutate/attack.mjs";
import { describeMutation, readEquivalents } from "./mutate/equivalents.mjs";
import { findSites } from "./mutate/make-mutants.mjs";
import { readTests, sourceFiles } from "./mutate/nearest-tests.mjs";
import { switchableText } from "./mutate/switchable-text.mjs";
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
    /** Only test files whose path matches this pattern: quick, for tests that were just added. */
    only: { type: "string", default: "" },
    /** Leave out tests whose names match this pattern, such as those that need a database server. */
    without: { type: "string", default: "" },
    /** Seconds for all tests of one mutant. */
    limit: { type: "string", default: "180" },
    report: { type: "string" },
    /** A report of an earlier run: try only its survivors again. */
    again: { type: "string" },
    /** End after so many minutes; what is left is for a run with --continue. */
    minutes: { type: "string", default: "600" },
    /** Take over what the report says of the same mutants. */
    continue: { type: "boolean", default: false },
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
const files = positionals.flatMap(productFiles);
const equivalents = readEquivalents(values.equivalents);
const all = files.flatMap(mutantsOf);
const { sampled, left } = values.again
  ? survivorsOf(values.again)
  : sample(all, { count: Number(values.sample), random: seeded(Number(values.seed)) });
console.log(`${sampled.length} of ${all.length} mutants in ${files.length} files, seed ${values.seed}`);

const known = values.continue ? JSON.parse(readFileSync(report, "utf8")) : { mutants: [], done: [] };
for (const mutant of sampled) {
  const { state, by } = known.mutants.find((each) => keyOf(each) === keyOf(mutant)) ?? {};
  Object.assign(mutant, state && { state, by });
}
const done = known.sampled === sampledKey() ? known.done : [];
const reached = new Set();
const runner = openTestRunner(root, sampled);
const { filesFor, tryFile } = createAttack({
  root,
  runner,
  testsOf: readTests(root),
  isLeftOut: (test) =>
    (values.near && !test.startsWith(join(root, "src"))) || !new RegExp(values.only, "u").test(test),
  maxTests: Number(values.tests),
  without: values.without,
  limit: Number(values.limit) * 1000,
  onFound(mutant, { state, by }) {
    Object.assign(mutant, { state, by });
    console.log(`${state.padEnd(9)} ${mutant.file}:${mutant.line}  ${describeMutation(mutant)}  (${by})`);
    // At once, so that a run that is ended early has a report too.
    writeReport();
  },
});
process.once("exit", () => runner.close());
process.once("SIGINT", () => process.exit(130));
process.once("SIGTERM", () => process.exit(143));
const end = performance.now() + Number(values.minutes) * 60_000;
const testFiles = filesFor(sampled);
for (const file of testFiles) {
  const name = relative(root, file.test);
  if (performance.now() > end) break;
  if (done.includes(name)) continue;
  const started = performance.now();
  const wanted = file.mutants.filter(({ state }) => state === undefined);
  if (wanted.length > 0) {
    for (const id of (await tryFile({ ...file, mutants: wanted })).reached) reached.add(id);
    console.log(`${((performance.now() - started) / 1000).toFixed(1).padStart(7)} s ${name}`);
  }
  done.push(name);
}
if (testFiles.every(({ test }) => done.includes(relative(root, test)))) {
  for (const mutant of sampled.filter(({ state }) => state === undefined))
    mutant.state = reached.has(mutant.id) ? "survived" : "unreached";
}
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
      compile(mutant.path, switchableText(readFileSync(mutant.path, "utf8"), [{ ...mutant, id: 0 }])) ===
        undefined ||
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

/** What stays the same where other lines of the file change. */
function keyOf({ file, lineText, before, after }) {
  return JSON.stringify([file, lineText, before, after]);
}

/** Ids of mutants in the baselines fit only the same mutants in the same order. */
function sampledKey() {
  return sampled.map(keyOf).join("\n");
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

function finish() {
  const { survivors, killed, total, score } = writeReport();
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
    `\n${killed} of ${total} killed: ${score} % (seed ${values.seed}, ${left.length} equivalent left out${total < sampled.length ? `, ${sampled.length - total} not tried: go on with --continue` : ""})`,
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
    sampled: sampledKey(),
    done,
  };
  mkdirSync(dirname(report), { recursive: true });
  writeFileSync(report, `${JSON.stringify(content, null, 2)}\n`);
  return { survivors, killed, total, score, late: tried.filter(({ state }) => state === "timed out").length };
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
