// Mutants that cannot be noticed, each with its reason, in test/mutation-equivalents.json.
import { existsSync, readFileSync } from "node:fs";

/** Reads the list. `find` gives the entry of a mutant; `stale` lists the entries that fit no mutant of these files, or whose file is gone. */
export function readEquivalents(file) {
  const entries = JSON.parse(readFileSync(file, "utf8"));
  const fits = (entry, mutant) =>
    entry.file === mutant.file &&
    entry.line === mutant.lineText &&
    entry.mutation === describeMutation(mutant);
  return {
    find: (mutant) => entries.find((entry) => fits(entry, mutant)),
    stale: (files, mutants) =>
      entries.filter(
        (entry) =>
          !existsSync(entry.file) ||
          (files.includes(entry.file) && !mutants.some((mutant) => fits(entry, mutant))),
      ),
  };
}

export function describeMutation({ before, after }) {
  return `${oneLine(before)} -> ${oneLine(after)}`;
}

function oneLine(text) {
  return text.replaceAll(/\s+/gu, " ");
}
