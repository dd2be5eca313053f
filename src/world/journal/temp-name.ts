import path from "node:path";
import type { JournalStep } from "../../contract/ports/journal.js";
import type { Opener } from "../files/opener.js";
import { statReal } from "./open-path.js";
import type { BareStep, Draft } from "./plan.js";
import { endsOf } from "./rename-step.js";
import { directoriesAbove } from "./step-index.js";

/**
 * A name for preparing a step, in the directory of its target or the nearest one above that is there
 * already and that no step takes away: so it is on the same file system and stays put.
 */
export function tempName(
  { opener, token }: { readonly opener: Opener; readonly token: string },
  taken: ReadonlySet<string>,
  [seq, { step, expects }]: readonly [number, Pick<Draft, "step" | "expects">],
): string {
  if (step.kind === "rename" || step.kind === "mode") return "";
  const target = step.kind === "set" ? step.path : step.to;
  let directory = path.dirname(target);
  // The directory of what was found on the disk is there, too.
  const isFound = expects.some(({ real, stamp }) => real === target && stamp !== null);
  if (taken.size > 0 || !isFound) {
    while (isTaken(taken, directory) || !isDirectory(opener, directory)) {
      const above = path.dirname(directory);
      if (above === directory) break;
      directory = above;
    }
  }
  return path.join(directory, `.tenon-${token}-${seq}.tmp`);
}

/** Where the content of a step is prepared, or what it replaces waits. */
export function tempOf(step: JournalStep): string {
  return step.kind === "set" || step.kind === "move" ? step.temp : step.path;
}

function isTaken(taken: ReadonlySet<string>, real: string): boolean {
  return [real, ...directoriesAbove(real)].some((each) => taken.has(each));
}

/** The paths that a step takes away. */
export function takenAway(step: BareStep): string[] {
  if (step.kind === "move") return [step.from];
  if (step.kind === "rename") return [endsOf(step).from];
  return step.kind === "set" && step.after === null ? [step.path] : [];
}

function isDirectory(opener: Opener, real: string): boolean {
  return statReal(opener, real)?.isDirectory() === true;
}
