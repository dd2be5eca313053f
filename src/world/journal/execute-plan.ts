import type { Clock } from "../../contract/ports/clock.js";
import type { ChangeOrigin, FinalSteps, JournalStep, JournalStore } from "../../contract/ports/journal.js";
import { withPath } from "../files/file-errors.js";
import type { ChangeTurn } from "./change-lock.js";
import { createPause } from "../files/pause.js";
import { createFlushes } from "./stage-file.js";
import { inodeOf, movedOrReplaced, statReal, syncDirectories } from "./open-path.js";
import type { PlannedStep } from "./plan.js";
import { removeTemps, rollBackSteps, type RollBackDeps } from "./roll-back.js";
import { stageContent } from "./stage-step.js";
import { tempOf } from "./temp-name.js";
import { directoriesOfAll, applyStep } from "./apply-step.js";
import { leftToOthers, takenBackInPart } from "./interrupted-change.js";
import { applyReplacement, type Replacement } from "./rename-step.js";
import { letGo, type HeldFiles } from "./rename-new.js";

/** What executing a plan needs. */
export interface ExecuteDeps extends RollBackDeps {
  readonly store: JournalStore;
  /** Its check throws if another process has taken the lock over because this one was suspended for too long. */
  readonly lock: ChangeTurn["held"];
  readonly clock: Clock;
  /** From when on files are changed, in nanoseconds by the clock of the file system. */
  readonly timeFrom: () => bigint;
  /** Called between any two steps, so that a test can end the process there. */
  readonly failpoint: (step: string) => void;
  /** Receives warnings for a person. */
  readonly onWarning: (message: string) => void;
}

/** What kind of change a plan is, and who makes it. */
export interface PlanEntry {
  readonly kind: "change" | "undo";
  readonly origin: ChangeOrigin;
  /** Waited for before anything but the intent is written; if it throws, the intent is discarded. */
  readonly ready?: (() => Promise<void>) | undefined;
  /** Done while the disk is waited for, before the change is recorded as done; if it throws, the change is taken back. */
  readonly meanwhile?: (() => Promise<void>) | undefined;
}

/**
 * Execute a plan completely or not at all: record the intent, write new contents next to the old ones, then one
 * rename for each step, then record that it is done. If it is interrupted anywhere, `recoverEntry` completes it
 * or takes it back.
 */
export async function executePlan(
  deps: ExecuteDeps,
  planned: readonly PlannedStep[],
  { ready, meanwhile, ...entry }: PlanEntry,
): Promise<void> {
  if (planned.length === 0) return;
  const { store, failpoint } = deps;
  const changes = planned.map((each) => each.change);
  // The changes of a command are only renamed, so there is no content to stage.
  const prepared = planned.every(({ content, madeBy }) => content === null && madeBy === undefined);
  const id = await store.begin({ ...entry, time: deps.clock.now(), changes }, { prepared });
  failpoint("intent");
  // Staging a content changes the time of its folder, which a commit that starts again would take for somebody else's change.
  if (ready !== undefined) {
    await ready().catch(async (error: unknown) => {
      await discardEntry(deps, planned, id);
      throw error;
    });
  }
  const steps = prepared ? changes.map(({ step }) => step) : await prepare(deps, planned, id);
  failpoint("committing");
  const removals = steps.filter(leavesTemp);
  const final = withTimes(deps, steps);
  await runOrRollBack(deps, { steps, id }, async () => {
    const held: HeldFiles = [];
    try {
      await take(deps, planned, { steps, held, meanwhile });
    } finally {
      if (held.length > 0) letGo(held);
    }
    failpoint("taken");
    if (removals.length > 0) return store.clean(id);
    // The disk cannot show later whether all moves were made, so the record must be durable.
    const durable = steps.some((step) => step.kind !== "set");
    return finishEntry(deps, id, { durable, steps: final });
  });
  if (removals.length > 0) {
    failpoint("cleaning");
    await finishRemovals(deps, removals, { id, steps: final });
  }
  failpoint("done");
}

/**
 * The steps that bring a directory, with the time from which on others change what is in it. Until then, the sandbox of a
 * command can have changed the attributes of files, later than the intent was recorded.
 */
function withTimes({ timeFrom }: ExecuteDeps, steps: readonly JournalStep[]): FinalSteps {
  const timed: (JournalStep | undefined)[] = [];
  let since: string | undefined;
  for (const [seq, step] of steps.entries()) {
    if (step.kind !== "rename" || step.into !== "workspace" || step.node.type !== "directory") continue;
    since ??= String(timeFrom());
    timed[seq] = { ...step, node: { ...step.node, since } };
  }
  return since === undefined ? undefined : timed;
}

/** Whether a step leaves something under its temporary name that must be removed after all steps. */
export function leavesTemp(step: JournalStep): boolean {
  if (step.kind === "set") return step.after === null;
  return step.kind === "move" && step.overwritten !== null;
}

/** Remove what was deleted. What cannot be removed stays under its temporary name. */
export async function finishRemovals(
  deps: ExecuteDeps,
  removals: readonly JournalStep[],
  { id, steps }: { readonly id: number } & { readonly steps?: FinalSteps },
): Promise<void> {
  for (const step of removals) {
    try {
      await removeTemps(deps, step);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      deps.onWarning(`A deleted file could not be removed and is still at ${tempOf(step)}: ${reason}`);
    }
    deps.failpoint("cleaned");
  }
  await finishEntry(deps, id, { steps });
}

/** Record that an entry is done, and remove blobs that are no longer needed. */
export async function finishEntry(
  { store, blobs }: ExecuteDeps,
  id: number,
  options?: { readonly durable?: boolean; readonly steps?: FinalSteps },
): Promise<void> {
  for (const hash of await store.finish(id, options)) blobs.remove(hash);
}

/** Take all steps of an entry back and flush the directories; returns what prevented it. */
export async function rollBackEntry(
  deps: ExecuteDeps,
  { steps, id, standing = steps.length }: CommittedSteps & { readonly standing?: number | undefined },
): Promise<readonly string[]> {
  const onRetreat = async (left: number): Promise<void> => {
    deps.failpoint("taken back");
    await deps.store.retreat(id, left);
    deps.failpoint("retreated");
  };
  const problems = await rollBackSteps(deps, { steps, standing, onRetreat });
  await syncDirectories(deps.opener, directoriesOfAll(steps));
  deps.failpoint("rolled back");
  return problems;
}

/** Write all new contents next to the old ones, and add to the steps what is known only then. */
async function prepare(
  deps: ExecuteDeps,
  planned: readonly PlannedStep[],
  id: number,
): Promise<readonly JournalStep[]> {
  const steps: JournalStep[] = [];
  const flushes = createFlushes();
  try {
    for (const { change, content, text, madeBy } of planned) {
      const { step } = change;
      const staging =
        content === null
          ? undefined
          : stageContent(deps, tempOf(step), { content, text, flush: flushes.add });
      const [, hashed] = await waitForBoth(staging, withHash(step, content));
      const maker = madeBy === undefined ? undefined : planned[madeBy];
      steps.push(maker === undefined ? hashed : withInode(deps, hashed, tempOf(maker.change.step)));
      deps.failpoint("staged");
    }
    // Both must be durable before the first step; their order does not matter.
    const changed = steps.map((step, seq) => (step === planned[seq]?.change.step ? undefined : step));
    await waitForBoth(flushes.end(), deps.store.commit(id, changed));
    return steps;
  } catch (error) {
    await flushes.end().catch(() => undefined);
    await discardEntry(deps, planned, id);
    throw error;
  }
}

/** Wait for both to settle: nothing may still run when everything is taken back. */
async function waitForBoth<One, Other>(
  one: Promise<One> | undefined,
  other: Promise<Other>,
): Promise<[One | undefined, Other]> {
  await Promise.allSettled([one, other]);
  return [await one, await other];
}

async function withHash(step: JournalStep, content: PlannedStep["content"]): Promise<JournalStep> {
  const previous = content !== null && "previous" in content ? content.previous : undefined;
  if (previous === undefined || step.kind !== "set" || step.after?.type !== "file") return step;
  await previous.check();
  return step.after.hash === ""
    ? { ...step, after: { ...step.after, hash: await previous.hashAfter() } }
    : step;
}

/** The step, with the inode of what it moves, which an earlier step has prepared under its temporary name. */
function withInode({ opener }: ExecuteDeps, step: JournalStep, temp: string): JournalStep {
  if (step.kind !== "move" && step.kind !== "rename") return step;
  const stat = statReal(opener, temp);
  if (stat === null) throw movedOrReplaced("ESTALE");
  return { ...step, inode: inodeOf(stat) };
}

/** Nothing was changed yet; what cannot be cleaned up now is cleaned up at the next start. */
async function discardEntry(deps: ExecuteDeps, planned: readonly PlannedStep[], id: number): Promise<void> {
  try {
    for (const { change } of planned) await removeTemps(deps, change.step);
    await deps.store.discard(id);
  } catch (error) {
    deps.onWarning(`An unfinished change could not be cleaned up: ${String(error)}`);
  }
}

interface CommittedSteps {
  readonly steps: readonly JournalStep[];
  readonly id: number;
}

type StepsToTake = Pick<PlanEntry, "meanwhile"> &
  Pick<CommittedSteps, "steps"> & { readonly held: HeldFiles };

/** Apply all steps, and flush the directories that they change. */
async function take(
  deps: ExecuteDeps,
  planned: readonly PlannedStep[],
  { steps, held, meanwhile }: StepsToTake,
): Promise<void> {
  const onLinked = (): void => deps.failpoint("linked");
  const breathe = planned.length > 1 ? createPause() : undefined;
  for (let seq = 0; seq < planned.length; seq += 1) {
    await deps.lock?.check();
    await breathe?.();
    const each = planned[seq];
    const step = steps[seq];
    if (step === undefined || each === undefined) continue;
    const replacement = toReplacement(each, step, steps[seq + 1]);
    if (replacement === undefined) await applyStep(deps.opener, step, { planned: each, onLinked, held });
    else withPath(each.text, () => applyReplacement(deps.opener, replacement, onLinked));
    if (replacement !== undefined) seq += 1;
    deps.failpoint("stepped");
  }
  const syncing = syncDirectories(deps.opener, directoriesOfAll(steps));
  const storing = meanwhile?.().then(() => deps.failpoint("stored"));
  await waitForBoth(storing, syncing);
}

/** The step and the next one, if they replace a file together. */
function toReplacement(
  { replaced: stamp, text }: PlannedStep,
  step: JournalStep,
  next: JournalStep | undefined,
): Replacement | undefined {
  if (stamp === undefined || step.kind !== "rename" || next?.kind !== "rename") return undefined;
  return { away: step, landing: next, stamp, text };
}

async function runOrRollBack(
  deps: ExecuteDeps,
  { steps, id }: CommittedSteps,
  body: () => Promise<void>,
): Promise<void> {
  try {
    await body();
  } catch (error) {
    // If the lock is lost, its new holder has already completed this change or taken it back.
    await deps.lock?.check().catch((cause: unknown) => {
      throw leftToOthers(cause);
    });
    const problems = await rollBackEntry(deps, { steps, id });
    for (const problem of problems) deps.onWarning(`A change could not be reverted: ${problem}`);
    // If even this fails, the next start finds the entry and does the same.
    await (problems.length === 0 ? deps.store.discard(id) : deps.store.fail(id)).catch(() => {});
    throw problems.length === 0 ? error : takenBackInPart(error, problems);
  }
}
