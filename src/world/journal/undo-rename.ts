import type { ModeStep, NodeImage, RenameStep } from "../../contract/ports/journal.js";
import { diskUsage } from "./kept-files.js";
import type { Plan } from "./plan.js";
import { planParents } from "./plan-content.js";
import { contentNotFound, judge, meaningOf, reconcile } from "./undo-content.js";
import type { Reconciled, Undo, UndoTarget } from "./undo-content.js";
import { isAsRenamed, toSetStep } from "./renamed-node.js";
import { describeConflict, type UndoConflict } from "./undo-conflict.js";
import { judgeRestored } from "./undo-git.js";
import type { VirtualNode } from "./virtual-files.js";

/** What changes by rename replaced, by the entry and path of the change. */
export interface RenamePairs {
  /** The change that moved away what another change replaced. */
  replacedBy(target: UndoTarget): RenameStep | undefined;
  /** Paths that are not changed again: a merge did it, or what they were is gone. */
  readonly settled: Set<string>;
}

/** Find which changes belong together. */
export function pairRenames(targets: readonly UndoTarget[]): RenamePairs {
  const replaced = new Map<string, RenameStep>();
  for (const target of targets) {
    const { step } = target;
    if (step.kind === "rename" && step.into === "store") replaced.set(keyOf(target), step);
  }
  return { replacedBy: (target) => replaced.get(keyOf(target)), settled: new Set() };
}

function keyOf({ entry, step }: UndoTarget): string {
  return step.kind === "rename" ? `${entry}\0${step.path}` : "";
}

/** Undo a rename: what came goes into the journal's store, what went comes back. */
export async function invertRename(
  undo: Undo,
  step: RenameStep,
  pairs: RenamePairs,
): Promise<UndoConflict | Reconciled | undefined> {
  if (pairs.settled.has(keyOf(undo.target))) return undefined;
  return step.into === "workspace" ? takeAway(undo, step, pairs) : bringBack(undo, step);
}

async function takeAway(
  undo: Undo,
  step: RenameStep,
  pairs: RenamePairs,
): Promise<UndoConflict | Reconciled | undefined> {
  const { plan, deps, target, text } = undo;
  const replaced = pairs.replacedBy(target);
  if (replaced !== undefined && !deps.kept.exists(replaced.stored)) {
    if (!deps.kept.isBulk(replaced.stored)) throw contentNotFound(text);
    pairs.settled.add(keyOf(target));
    return { notRestored: noLongerKept };
  }
  const node = plan.files.look(step.path);
  const matching = { ...plan.deps, store: deps.store, isCopy: deps.isCopy };
  const isSame = await isAsRenamed(matching, { ...target, step }, node);
  if (!isSame && deps.force !== true) {
    const contents = await toSetStep(plan.deps, step, replaced);
    if (contents === undefined) {
      return describeConflict(plan, { path: text, expected: unknownImage(step), node });
    }
    pairs.settled.add(keyOf(target));
    return reconcile(undo, contents, node);
  }
  judge(deps, step.path, text);
  if (node === null) return undefined;
  const bulk = step.bulk === true;
  // What came from the store goes back to its place, where the change that put it there first looks for it.
  const isFree = deps.kept.isSlot(step.stored) && !deps.kept.exists(step.stored);
  const stored = isFree ? step.stored : deps.kept.newSlot(bulk ? "bulk" : "own");
  const blobs = [deps.kept.refOf(stored, bulk ? 0 : await sizeOnDisk(plan, step.path, node))];
  await plan.rename({ path: step.path, stored, into: "store", bulk }, { ...meaningOf(undo), blobs });
  return isSame ? undefined : { forced: true };
}

async function bringBack(undo: Undo, step: RenameStep): Promise<UndoConflict | Reconciled | undefined> {
  const { plan, deps, text } = undo;
  if (!deps.kept.exists(step.stored)) {
    if (deps.kept.isBulk(step.stored)) return { notRestored: noLongerKept };
    throw contentNotFound(text);
  }
  judge(deps, step.path, text);
  const { path: real, stored } = step;
  await judgeRestored({ ...plan.deps, ...deps }, { real, text, restored: { stored } });
  const there = plan.files.look(step.path);
  if (there !== null) return describeConflict(plan, { path: text, expected: null, node: there });
  const meaning = meaningOf(undo);
  await planParents(deps, plan, { real: step.path, ...meaning });
  await plan.rename(
    { path: step.path, stored: step.stored, into: "workspace", bulk: step.bulk === true },
    { ...meaning, blobs: [] },
  );
  return undefined;
}

/** A directory may be elsewhere until the steps before this one are applied. */
async function sizeOnDisk({ files }: Plan, real: string, node: VirtualNode): Promise<number> {
  if (node.type !== "directory") return node.type === "file" ? node.size : 0;
  const onDisk = files.origin(real);
  return onDisk === undefined ? 0 : diskUsage(onDisk);
}

const noLongerKept = "its earlier version is no longer kept, so it was left as it is";

/** An image of the type only, for describing what is there instead. */
function unknownImage({ node }: RenameStep): NodeImage {
  if (node.type === "directory") return { type: "directory", tree: "", size: 0 };
  if (node.type === "symlink") return { type: "symlink", target: "", size: 0 };
  return { type: "file", hash: "", size: 0 };
}

/** Undo a change of a directory's permissions. */
export async function invertMode(undo: Undo, step: ModeStep): Promise<UndoConflict | undefined> {
  const { plan, deps, text } = undo;
  const node = plan.files.look(step.path);
  if (node?.type !== "directory") {
    const expected = { type: "directory", tree: "", size: 0 } as const;
    return describeConflict(plan, { path: text, expected, node });
  }
  judge(deps, step.path, text);
  if (node.mode === step.after) plan.setMode(step.path, step.before, meaningOf(undo));
  return undefined;
}
