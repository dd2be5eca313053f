import path from "node:path";
import type { MoveStep, SetStep } from "../../contract/ports/journal.js";
import type { Opener } from "../files/opener.js";
import { isWithin } from "../files/path-text.js";
import { statReal } from "./open-path.js";

/** A step that has no temporary name yet. */
export type BareStep = Omit<SetStep, "temp"> | Omit<MoveStep, "temp">;

/**
 * A name for preparing a step, in the directory of its target or the nearest one above that is there
 * already and that no step takes away: so it is on the same file system and stays put.
 */
export function tempName(
  { opener, token }: { readonly opener: Opener; readonly token: string },
  steps: readonly BareStep[],
  [seq, step]: readonly [number, BareStep],
): string {
  const taken = steps.flatMap(takenAway);
  let directory = path.dirname(step.kind === "set" ? step.path : step.to);
  while (taken.some((each) => isWithin(directory, each)) || !isDirectory(opener, directory)) {
    const above = path.dirname(directory);
    if (above === directory) break;
    directory = above;
  }
  return path.join(directory, `.tenon-${token}-${seq}.tmp`);
}

function takenAway(step: BareStep): string[] {
  if (step.kind === "move") return [step.from];
  return step.after === null ? [step.path] : [];
}

function isDirectory(opener: Opener, real: string): boolean {
  return statReal(opener, real)?.isDirectory() === true;
}
