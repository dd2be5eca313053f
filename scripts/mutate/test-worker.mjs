// The process that holds one Vitest instance and runs test files in it, with one mutant at a time served in place of the real text.
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createVitest } from "vitest/node";

const folder = mkdtempSync(join(tmpdir(), "tenon-mutate-"));
const reached = join(folder, "reached");
// Some tests run as another user for a while.
chmodSync(folder, 0o755);
let mutants = [];
let active;
let vitest;
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
process.on("disconnect", () => process.exit());
process.on("message", (message) => void answer(message).then((result) => process.send(result)));

async function answer({ root, all, test, ids, mutant }) {
  if (all !== undefined) {
    mutants = all;
    vitest = await open(root);
    return { state: "open" };
  }
  if (active !== undefined) forget(active.path);
  active = mutants.find(({ id }) => id === mutant);
  if (active !== undefined) forget(active.path);
  writeFileSync(reached, "");
  chmodSync(reached, 0o666);
  const started = performance.now();
  const outcome = await runFile(test, ids);
  return { ...outcome, ms: Math.round(performance.now() - started), reached: readReached() };
}

/** Have a file transformed again. `vitest.invalidateFile` leaves the root project out, and the tests run in that one. */
function forget(path) {
  for (const { moduleGraph } of Object.values(vitest.getRootProject().vite.environments))
    for (const module of moduleGraph.getModulesByFile(path) ?? []) moduleGraph.invalidateModule(module);
}

function open(root) {
  const plugin = {
    name: "serve-mutant",
    enforce: "pre",
    transform: (text, id) => {
      const own = mutants.filter(({ path }) => path === id);
      return own.length === 0 ? undefined : { code: mutatedText(text, own), map: null };
    },
  };
  const options = {
    root,
    watch: false,
    bail: 1,
    reporters: [{}],
    update: false,
    maxWorkers: 1,
    execArgv: ["--max-old-space-size=2048"],
  };
  return createVitest("test", options, { plugins: [plugin], logLevel: "silent", server: { watch: null } });
}

async function runFile(test, testIds) {
  const specification = vitest.getRootProject().createSpecification(test, { testIds });
  const result = await vitest.runTestSpecifications([specification]);
  // The result also has the modules of earlier runs.
  const modules = result.testModules.filter(({ moduleId }) => moduleId === test);
  const failed = modules.flatMap((module) => [...module.children.allTests("failed")]);
  const passed =
    result.unhandledErrors.length === 0 && modules.length > 0 && modules.every((module) => module.ok());
  return { state: passed ? "passed" : "failed", failed: failed[0]?.fullName };
}

/** The text with the active mutant in place, and with marks that record which mutants' blocks a test enters. */
function mutatedText(text, own) {
  const edits = own.includes(active) ? [{ start: active.start, end: active.end, text: active.after }] : [];
  const insideActive = (at) => edits.length > 0 && at > active.start && at < active.end;
  const marks = own.flatMap(({ id, probe }) => {
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
  let [result, done] = [recorder(), 0];
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

/** What is reached outside of a test (in a hook of a suite, or by importing) may be noticed by all tests of the file. */
function recorder() {
  const current = `globalThis.__vitest_worker__?.current`;
  const key = `id + " " + (${current}?.type === "test" ? ${current}.id : "all") + "\\n"`;
  const record = `(id) => { const key = ${key}; if (!seen.has(key)) { seen.add(key); fs.appendFileSync(${JSON.stringify(reached)}, key); } }`;
  return `globalThis.__tenonReached ??= ((seen, fs) => ${record})(new Set(), process.getBuiltinModule("node:fs"));`;
}

/** The ids of the tests that reached each mutant. */
function readReached() {
  const lines = readFileSync(reached, "utf8").split("\n").filter(Boolean);
  const found = {};
  for (const [id, test] of lines.map((line) => line.split(" "))) (found[id] ??= []).push(test);
  return found;
}
