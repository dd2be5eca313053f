import path from "node:path";
import type { MoveStep, SetStep } from "../../contract/ports/journal.js";
import type { Opener } from "../files/opener.js";
import { isWithin } from "../files/path-text.js";
import { lookDisk } from "./place.js";

/** A step that has no temporary name yet. */
export type BareStep = Omit<SetStep, "temp"> | Omit<MoveStep, "temp">;

/**
 * A name for preparing a step, in the directory of its target or the nearest one above that is there
 * already and that no step takes away: so it is on the same file system and stays put.
 */
function tempOf(options: PlanOptions, drafts: readonly Draft[], seq: number): string {
  const step = drafts[seq]?.step;
  if (step === undefined) throw new Error(`no step ${seq}`);
  const taken = drafts.flatMap((draft) => takenAway(draft.step));
  let directory = path.dirname(step.kind === "set" ? step.path : step.to);
  while (taken.some((each) => isWithin(directory, each)) || !isDirectory(options, directory)) {
    const above = path.dirname(directory);
    if (above === directory) break;
    directory = above;
  }
  return path.join(directory, `.tenon-${options.token}-${seq}.tmp`);
}

function takenAway(step: Draft["step"]): string[] {
  if (step.kind === "move") return [step.from];
  return step.after === null ? [step.path] : [];
}

function isDirectory(options: PlanOptions, real: string): boolean {
  return lookDisk(options.opener, real)?.isDirectory() === true;
}

