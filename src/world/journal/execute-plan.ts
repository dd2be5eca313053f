import type { Clock } from "../../contract/ports/clock.js";
import type { ChangeOrigin, JournalStep, JournalStore } from "../../contract/ports/journal.js";
import { withPathAsync } from "../files/file-errors.js";
import { createFlushes } from "./flushes.js";
import { syncDirectories } from "./place.js";
import type { Plan, PlannedStep } from "./plan.js";
import { removeTemps, rollBackSteps, type RollBackGround } from "./roll-back.js";
import { stageContent } from "./stage-step.js";
import { directoriesOf, takeStep } from "./take-step.js";

/** What a plan is carried out with. */
export interface ExecuteGround extends RollBackGround {
  readonly store: JournalStore;
  /** Throws where another process has taken the turn over, as this one was stopped for long. */
  readonly checkTurn: () => Promise<void>;
  readonly clock: Clock;
  /** Called between any two steps, so that a test can end the process there. */
  readonly failpoint: (step: string) => void;
  /** Told what a person should know. */
  readonly onWarning: (message: string) => void;
}

/** For whom a plan is carried out. */
export interface PlanEntry {
  readonly kind: "change" | "undo";
  readonly origin: ChangeOrigin;
}

/**
 * Carry a plan out, whole or not at all: intent, new contents beside the old, then one rename for each
 * step, then the word that it is done. Cut off anywhere, `recoverEntry` brings all or nothing.
 */
export async function executePlan(ground: ExecuteGround, plan: Plan, entry: PlanEntry): Promise<void> {
  const planned = plan.steps();
  if (planned.length === 0) return;
  const { store, failpoint } = ground;
  const changes = planned.map((each) => each.change);
  const id = await store.begin({ ...entry, time: ground.clock.now(), changes });
  failpoint("intent");
  const steps = await prepare(ground, planned, id);
  failpoint("committing");
  await take(ground, planned, { steps, id });
  failpoint("taken");
  const removals = steps.filter(putsAside);
  if (removals.length === 0) {
    // Of moves the disk cannot tell later whether all were taken, so the word must last.
    const durable = steps.some((step) => step.kind === "move");
    await orRollBack(ground, { steps, id }, () => finishEntry(ground, id, { durable }));
  } else {
    await orRollBack(ground, { steps, id }, () => store.clean(id));
    failpoint("cleaning");
    await finishRemovals(ground, removals, id);
  }
  failpoint("done");
}

/** Whether a step leaves something under its temporary name that must go once all are taken. */
export function putsAside(step: JournalStep): boolean {
  return step.kind === "set" ? step.after === null : step.overwritten !== null;
}

/** Remove what deletes put aside. What cannot be removed is left where it is, under its temporary name. */
export async function finishRemovals(
  ground: ExecuteGround,
  removals: readonly JournalStep[],
  id: number,
): Promise<void> {
  for (const step of removals) {
    try {
      await removeTemps(ground, step);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      ground.onWarning(`What was deleted could not be removed and lies at ${step.temp}: ${reason}`);
    }
    ground.failpoint("cleaned");
  }
  await finishEntry(ground, id);
}

/** Say that an entry is done, and remove the contents that nobody needs since. */
export async function finishEntry(
  { store, blobs }: ExecuteGround,
  id: number,
  options?: { readonly durable?: boolean },
): Promise<void> {
  for (const hash of await store.finish(id, options)) blobs.remove(hash);
}

/** Take all steps of an entry back and flush that; returns what stood in the way. */
export async function takeBack(
  ground: ExecuteGround,
  { steps, id, standing = steps.length }: Committing & { readonly standing?: number | undefined },
): Promise<readonly string[]> {
  const onRetreat = async (left: number): Promise<void> => {
    ground.failpoint("taken back");
    await ground.store.retreat(id, left);
    ground.failpoint("retreated");
  };
  const problems = await rollBackSteps(ground, { steps, standing, onRetreat });
  await syncDirectories(ground.opener, steps.flatMap(directoriesOf));
  ground.failpoint("rolled back");
  return problems;
}

/** Write all new contents beside the old; the steps get what only then is known of them. */
async function prepare(
  ground: ExecuteGround,
  planned: readonly PlannedStep[],
  id: number,
): Promise<readonly JournalStep[]> {
  const inodes: (string | undefined)[] = [];
  const steps: JournalStep[] = [];
  const flushes = createFlushes();
  try {
    for (const { change, content, text, madeBy } of planned) {
      const { step } = change;
      const staging =
        content === null ? undefined : stageContent(ground, step.temp, { content, text, flush: flushes.add });
      const [inode, hashed] = await settled(staging, withHash(step, content));
      inodes.push(inode);
      steps.push(withInode(hashed, madeBy === undefined ? undefined : inodes[madeBy]));
      ground.failpoint("staged");
    }
    // Both must last before the first step is taken; in which order they come to last does not matter.
    const flushing = withPathAsync(planned[0]?.text ?? "", () => flushes.end());
    await settled(flushing, ground.store.commit(id, steps));
    return steps;
  } catch (error) {
    await flushes.end().catch(() => undefined);
    await giveUp(ground, planned, id);
    throw error;
  }
}

/** Wait for both to end, whatever becomes of either: nothing may go on when all is taken back. */
async function settled<One, Other>(
  one: Promise<One> | undefined,
  other: Promise<Other>,
): Promise<[One | undefined, Other]> {
  await Promise.allSettled([one, other]);
  return [await one, await other];
}

async function withHash(step: JournalStep, content: PlannedStep["content"]): Promise<JournalStep> {
  const former = content !== null && "former" in content ? content.former : undefined;
  if (former === undefined || step.kind !== "set" || step.after?.type !== "file") return step;
  return { ...step, after: { ...step.after, hash: await former.hashAfter() } };
}

function withInode(step: JournalStep, inode: string | undefined): JournalStep {
  return step.kind === "move" && inode !== undefined ? { ...step, inode } : step;
}

/** Nothing was changed yet; what cannot be tidied now, the next start tidies. */
async function giveUp(ground: ExecuteGround, planned: readonly PlannedStep[], id: number): Promise<void> {
  try {
    for (const { change } of planned) await removeTemps(ground, change.step);
    await ground.store.discard(id);
  } catch (error) {
    ground.onWarning(`An unfinished change could not be tidied up: ${String(error)}`);
  }
}

interface Committing {
  readonly steps: readonly JournalStep[];
  readonly id: number;
}

async function take(
  ground: ExecuteGround,
  planned: readonly PlannedStep[],
  committing: Committing,
): Promise<void> {
  const onLinked = (): void => ground.failpoint("linked");
  await orRollBack(ground, committing, async () => {
    for (const [seq, each] of planned.entries()) {
      const step = committing.steps[seq];
      await ground.checkTurn();
      if (step !== undefined) await takeStep(ground.opener, step, { planned: each, onLinked });
      ground.failpoint("stepped");
    }
    await syncDirectories(ground.opener, committing.steps.flatMap(directoriesOf));
  });
}

async function orRollBack(
  ground: ExecuteGround,
  { steps, id }: Committing,
  body: () => Promise<void>,
): Promise<void> {
  try {
    await body();
  } catch (error) {
    // Where the turn is lost, its new owner has brought this change to an end already.
    await ground.checkTurn();
    const problems = await takeBack(ground, { steps, id });
    for (const problem of problems) ground.onWarning(`A change could not be taken back: ${problem}`);
    // Where even this fails, the next start finds the entry and comes to the same end.
    await (problems.length === 0 ? ground.store.discard(id) : ground.store.fail(id)).catch(() => {});
    throw error;
  }
}
