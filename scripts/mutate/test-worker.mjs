// The process that holds one Vitest instance and runs test files in it, with all mutants in the text and one active at a time.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { BaseSequencer, createVitest } from "vitest/node";
import { switchableText } from "./switchable-text.mjs";

let vitest;
process.on("disconnect", () => process.exit());
process.on("message", (message) => void answer(message).then((result) => process.send(result)));

async function answer({ root, mutants, test, plan }) {
  if (mutants !== undefined) {
    vitest = await open(root, mutants);
    return { state: "open" };
  }
  process.env.TENON_MUTANTS = plan;
  const specification = vitest.getRootProject().createSpecification(test);
  const result = await vitest.runTestSpecifications([specification]);
  // The result also has the modules of earlier runs.
  const modules = result.testModules.filter(({ moduleId }) => moduleId === test);
  const isClean = result.unhandledErrors.length === 0 && modules.length > 0;
  return { state: isClean && modules.every((module) => module.ok()) ? "passed" : "failed" };
}

function open(root, mutants) {
  const plugin = {
    name: "serve-mutants",
    enforce: "pre",
    transform(text, id) {
      const own = mutants.filter(({ path }) => path === id);
      return own.length === 0
        ? undefined
        : { code: switchableText(readFileSync(id, "utf8"), own), map: null };
    },
  };
  const options = {
    root,
    watch: false,
    reporters: [{}],
    update: false,
    maxWorkers: 1,
    runner: join(import.meta.dirname, "mutant-runner.mjs"),
    sequence: { sequencer: BaseSequencer },
    execArgv: ["--max-old-space-size=2048"],
  };
  return createVitest("test", options, { plugins: [plugin], logLevel: "silent", server: { watch: null } });
}
