import { renameSync } from "node:fs";
import path from "node:path";
import type { JournalStep, MoveStep, SetStep } from "../../contract/ports/journal.js";
import { fileConflict, toToolError } from "../files/file-errors.js";
import type { Opener } from "../files/opener.js";
import { statReal, openDirectory, stampOf, withOpenPaths } from "./open-path.js";
import type { PlannedStep } from "./plan.js";
import { linkOrElse, linkOrRename, replaceAndHold, type HeldFiles } from "./rename-new.js";
import { applyMode, applyRename, endsOf } from "./rename-step.js";
import { stampTree } from "./tree.js";

/** What applying a step needs besides it. */
export interface StepDeps {
  readonly planned: PlannedStep;
  readonly onLinked: () => void;
  /** Where large files that were replaced are held. */
  readonly held: HeldFiles;
}

/** Apply one step: a single rename, or a link that fails if the name was taken meanwhile. */
export async function applyStep(
  opener: Opener,
  step: JournalStep,
  { planned, onLinked, held }: StepDeps,
): Promise<void> {
  try {
    checkExpectations(opener, planned);
    if (step.kind === "move") return await applyMove(opener, step, onLinked);
    if (step.kind === "rename") return await applyRename(opener, step, onLinked);
    if (step.kind === "mode") return applyMode(opener, step);
    await applySet(opener, step, { onLinked, held });
    if (step.after === null) await checkRemoved(opener, step.temp, planned);
  } catch (error) {
    throw toToolError(error, planned.text);
  }
}

/** The directories that steps change, each of them as often as it is changed. */
export function* directoriesOfAll(steps: readonly JournalStep[]): Generator<string> {
  for (const step of steps) for (const each of pathsOf(step)) yield path.dirname(each);
}

function pathsOf(step: JournalStep): string[] {
  if (step.kind === "set") return [step.path, step.temp];
  if (step.kind === "move") return [step.from, step.to, step.temp];
  return step.kind === "rename" ? Object.values(endsOf(step)) : [step.path];
}

/** A race of microseconds between this check and the rename remains, because Node has no renameat2. */
function checkExpectations(opener: Opener, { expects, text }: PlannedStep): void {
  for (const { real, stamp } of expects) {
    const stat = statReal(opener, real);
    if (stat === null && stamp === null) continue;
    if (stat !== null && stampOf(stat) === stamp) continue;
    if (stamp === null) throw fileConflict(text, "already exists");
    throw fileConflict(
      text,
      stat === null ? "was deleted by someone else" : "has been changed by someone else",
    );
  }
}

/** Refuses if anything was added to a directory after its image was taken: it would be lost. */
async function checkRemoved(opener: Opener, temp: string, { expects, text }: PlannedStep): Promise<void> {
  const treeStamp = expects.find((each) => each.treeStamp !== undefined)?.treeStamp;
  if (treeStamp === undefined) return;
  const top = openDirectory(opener, temp);
  try {
    if ((await stampTree(top, { opener, text })) === treeStamp) return;
  } finally {
    top.close();
  }
  throw fileConflict(text, "has been changed by someone else");
}

function applySet(
  opener: Opener,
  step: SetStep,
  { onLinked, held }: Pick<StepDeps, "onLinked" | "held">,
): Promise<void> {
  return withOpenPaths(opener, [step.path, step.temp], (target, temp) => {
    if (step.after === null) return renameSync(target.at, temp.at);
    if (step.before === null && step.after.type === "file") {
      return linkOrRename(temp.at, target.at, onLinked);
    }
    if (opener.kind === "portable" || (step.before?.size ?? 0) < largeBytes) {
      return renameSync(temp.at, target.at);
    }
    replaceAndHold(temp.at, target.at, held);
  });
}

const largeBytes = 1 << 20;

async function applyMove(opener: Opener, step: MoveStep, onLinked: () => void): Promise<void> {
  if (step.overwritten !== null) {
    const { type } = step.overwritten;
    await withOpenPaths(opener, [step.to, step.temp], (to, temp) => {
      // Some systems link to what a link leads to instead of the link.
      if (type !== "file") return renameSync(to.at, temp.at);
      linkOrElse(to.at, temp.at, renameSync);
    });
    onLinked();
  }
  await withOpenPaths(opener, [step.from, step.to], (from, to) => {
    if (step.overwritten === null && step.moved.type === "file") {
      return linkOrRename(from.at, to.at, onLinked);
    }
    renameSync(from.at, to.at);
  });
}
