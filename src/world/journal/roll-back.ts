import { renameSync, rmdirSync, unlinkSync, type BigIntStats } from "node:fs";
import { errnoOf } from "../../contract/errno.js";
import type { JournalStep, MoveStep, NodeImage, SetStep } from "../../contract/ports/journal.js";
import { isSameFile } from "../files/file-stat.js";
import type { Guard } from "../files/guard-types.js";
import { matchesImage } from "./images.js";
import { inodeOf, statReal, openPath, withOpenPath, withOpenPaths, type OpenPath } from "./open-path.js";
import { stageContent } from "./stage-step.js";
import type { SourceDeps } from "./sources.js";
import { toContent } from "./images.js";
import { rollBackMode, rollBackRename } from "./rename-step.js";
import { createVirtualFiles } from "./virtual-files.js";

/** What a rollback needs. */
export interface RollBackDeps extends SourceDeps {
  readonly guard: Guard;
}

export interface RollBack {
  readonly steps: readonly JournalStep[];
  /** How many steps, from the first, are not taken back yet. */
  readonly standing: number;
  /** Called with the number of steps left once another one is taken back. */
  readonly onRetreat: (standing: number) => Promise<void>;
}

/**
 * Take back the steps of an unfinished entry, the last one first, whether they were applied or not: the disk
 * shows which. It can be interrupted and started again: prepared files are removed last. Returns what prevents
 * it where others changed the same paths since.
 */
export async function rollBackSteps(deps: RollBackDeps, work: RollBack): Promise<readonly string[]> {
  const problems: string[] = [];
  for (let seq = work.standing - 1; seq >= 0; seq -= 1) {
    try {
      const problem = await rollBackStep(deps, work.steps, seq);
      if (problem !== undefined) problems.push(problem);
    } catch (error) {
      problems.push(error instanceof Error ? error.message : String(error));
    }
    // A rename can be looked at again: its inode shows whether it is taken back.
    if (problems.length === 0 && work.steps[seq]?.kind !== "rename") await work.onRetreat(seq);
  }
  if (problems.length > 0) return problems;
  for (const step of work.steps) await removeTemps(deps, step);
  return problems;
}

async function rollBackStep(
  deps: RollBackDeps,
  steps: readonly JournalStep[],
  seq: number,
): Promise<string | undefined> {
  const step = steps[seq];
  if (step === undefined) return undefined;
  if (step.kind === "set") return rollBackSet(deps, step);
  if (step.kind === "rename") return rollBackRename(deps.opener, step);
  if (step.kind === "mode") return rollBackMode(deps.opener, step);
  const laterTaken = steps
    .slice(seq + 1)
    .some((later) => later.kind === "set" && later.after !== null && isPlaced(deps, later));
  return rollBackMove(deps, step, laterTaken);
}

/** Whether the prepared file of a step was moved to its target. */
function isPlaced(deps: RollBackDeps, step: SetStep): boolean {
  const temp = statReal(deps.opener, step.temp);
  if (temp === null) return true;
  const present = statReal(deps.opener, step.path);
  return present !== null && isSameFile(temp, present);
}

/** Remove the temporary files of a step. */
export async function removeTemps(deps: RollBackDeps, step: JournalStep): Promise<void> {
  if (step.kind !== "set" && step.kind !== "move") return;
  for (const temp of [step.temp, restoreName(step)]) await removeNode(deps, temp);
}

/** Whether all steps were applied, for entries where the disk can show it. */
export async function isComplete(deps: RollBackDeps, steps: readonly JournalStep[]): Promise<boolean> {
  const last = new Map<string, NodeImage>();
  for (const step of steps) {
    if (step.kind !== "set" || step.after === null) return false;
    if (statReal(deps.opener, step.temp) !== null) return false;
    last.set(step.path, step.after);
  }
  for (const [real, image] of last) if (!(await isImage(deps, real, image))) return false;
  return true;
}

async function rollBackSet(deps: RollBackDeps, step: SetStep): Promise<string | undefined> {
  const temp = statReal(deps.opener, step.temp);
  const present = statReal(deps.opener, step.path);
  if (step.after === null) {
    if (temp !== null && present !== null) return `${step.path} was taken by something else`;
    return temp === null ? undefined : rename(deps, step.temp, step.path);
  }
  if (!isPlaced(deps, step)) return undefined;
  const asBefore = await isImage(deps, step.path, step.before);
  if (asBefore && (present === null || hasMode(present, step.before))) return undefined;
  if (step.before === null) return removeMade(deps, step.path, step.after);
  if (present !== null && !(await isImage(deps, step.path, step.after))) {
    return `${step.path} was changed by someone else`;
  }
  if (present === null && step.before.type === "file" && step.before.delta !== undefined) {
    return `${step.path} was deleted by someone else`;
  }
  return restore(deps, step, { image: step.before, size: Number(present?.size ?? 0) });
}

/**
 * A move is recognized by its inode. If a later step, now taken back, replaced the inode there, that step
 * shows that this one was applied too. What the move replaced is under the temporary name.
 */
async function rollBackMove(
  deps: RollBackDeps,
  step: MoveStep,
  laterTaken: boolean,
): Promise<string | undefined> {
  const { opener } = deps;
  if (step.overwritten !== null && statReal(opener, step.temp) === null) return undefined;
  const from = statReal(opener, step.from);
  const to = statReal(opener, step.to);
  if (to !== null && (inodeOf(to) === step.inode || (laterTaken && from === null))) {
    if (from !== null && !isSameFile(from, to)) return `${step.from} was taken by something else`;
    if (from === null) await rename(deps, step.to, step.from);
    else await withOpenPath(opener, step.to, (target) => unlinkSync(target.at));
  }
  if (step.overwritten === null || statReal(opener, step.to) !== null) return undefined;
  return rename(deps, step.temp, step.to);
}

/** Remove what a step created, unless others changed it or put something into it. */
async function removeMade(deps: RollBackDeps, real: string, image: NodeImage): Promise<string | undefined> {
  if (image.type === "directory" && image.tree === null) {
    // A directory with entries of others stays.
    await withOpenPath(deps.opener, real, (target) => removeIfEmpty(target));
    return undefined;
  }
  if (!(await isImage(deps, real, image))) return `${real} was changed by someone else`;
  await removeNode(deps, real);
  return undefined;
}

/** Restore the previous content of a path; it is prepared under its own temporary name, so that it can be repeated. */
async function restore(
  deps: RollBackDeps,
  step: SetStep,
  { image, size }: { image: NodeImage; size: number },
): Promise<undefined> {
  const back = restoreName(step);
  await removeNode(deps, back);
  const base = { source: { kind: "disk", real: step.path }, size } as const;
  await stageContent(deps, back, { content: await toContent(deps.blobs, image, base), text: step.path });
  return rename(deps, back, step.path);
}

function hasMode(stat: BigIntStats, image: NodeImage | null): boolean {
  if (image === null || image.type === "symlink" || image.mode === undefined) return true;
  return (Number(stat.mode) & 0o7777) === image.mode;
}

function restoreName(step: SetStep | MoveStep): string {
  return `${step.temp}.back`;
}

async function isImage(deps: RollBackDeps, real: string, image: NodeImage | null): Promise<boolean> {
  const files = createVirtualFiles(deps.opener);
  const subject = { real, node: files.look(real), text: real };
  return matchesImage({ ...deps, files, onBytes: () => {} }, subject, image);
}

async function rename(deps: RollBackDeps, from: string, to: string): Promise<undefined> {
  await withOpenPaths(deps.opener, [from, to], (one, other) => renameSync(one.at, other.at));
  return undefined;
}

/** Remove a file, a link or a whole tree, if it is there. */
async function removeNode(deps: RollBackDeps, real: string): Promise<void> {
  const stat = statReal(deps.opener, real);
  if (stat === null) return;
  if (stat.isDirectory()) return deps.guard.removeTree(deps.guard.display(real));
  const target = openPath(deps.opener, real);
  try {
    unlinkSync(target.at);
  } finally {
    target.directory.close();
  }
}

function removeIfEmpty(target: OpenPath): void {
  try {
    rmdirSync(target.at);
  } catch (error) {
    const code = errnoOf(error);
    if (code !== "ENOTEMPTY" && code !== "EEXIST" && code !== "ENOENT") throw error;
  }
}
