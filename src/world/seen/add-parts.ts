import type { SeenFile } from "../../contract/ports/seen.js";
import { isWholeLine, mergePart, type LinePart } from "../../text/line-parts.js";
import { hasLine, mergeRun, type LineRun } from "../../text/line-runs.js";

/** Parts of lines that are not known as a whole; those that make up a whole line become one. */
export function addParts(file: SeenFile, added: readonly LinePart[] = []): SeenFile {
  if (added.length === 0) return file;
  const all = added.reduce<readonly LinePart[]>((known, part) => mergePart(known, part), []);
  const runs = all
    .filter((part) => isWholeLine(part) && !hasLine(file.runs, part.line))
    .reduce<readonly LineRun[]>(
      (known, { line, text }) => mergeRun(known, { start: line, lines: [text] }),
      file.runs,
    );
  const parts = all.filter(({ line }) => !hasLine(runs, line));
  return { ...file, runs, ...(parts.length > 0 && { parts }) };
}
