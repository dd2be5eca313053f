import type { JournalChange, MoveStep, SetStep, UndoneFile } from "../../contract/ports/journal.js";
import { withPathAsync } from "../files/file-errors.js";
import { createPause } from "../files/pause.js";
import { matchesImage } from "./images.js";
import { planParents } from "./plan-content.js";
import type { Plan } from "./plan.js";
import {
  judge,
  meaningOf,
  put,
  reconcile,
  type Reconciled,
  type Undo,
  type UndoDeps,
  type UndoTarget,
} from "./undo-content.js";
import { describeConflict, undoRefused, type UndoConflict } from "./undo-conflict.js";
import { invertMode, invertRename, pairRenames, type RenamePairs } from "./undo-rename.js";

/**
 * Plan the inverse of changes, the newest first. Changes by others elsewhere in a file are preserved; if they changed the
 * same lines, the whole undo is refused.
 */
export async function planUndo(
  deps: UndoDeps,
  plan: Plan,
  targets: readonly UndoTarget[],
): Promise<readonly UndoneFile[]> {
  const conflicts: UndoConflict[] = [];
  const undone: UndoneFile[] = [];
  const pairs = pairRenames(targets);
  const breathe = createPause();
  for (const target of targets) {
    await breathe();
    const undo: Undo = { deps, plan, target, text: shownPath(deps, target) };
    const outcome = await withPathAsync(undo.text, () => invert(undo, pairs));
    if (target.implied) continue;
    if (outcome !== undefined && "reason" in outcome) conflicts.push(outcome);
    else undone.push({ ...toUndone(undo), ...outcome });
  }
  if (conflicts.length > 0) throw undoRefused(conflicts);
  return undone;
}

/** The inverse of one change; `pairs` has the changes that replaced something by a rename. */
function invert(undo: Undo, pairs: RenamePairs): Promise<UndoConflict | Reconciled | undefined> {
  const { step } = undo.target;
  if (step.kind === "set") return invertSet(undo, step);
  if (step.kind === "move") return invertMove(undo, step);
  if (step.kind === "mode") return invertMode(undo, step);
  return invertRename(undo, step, pairs);
}

async function invertSet(undo: Undo, step: SetStep): Promise<UndoConflict | Reconciled | undefined> {
  const { plan, text } = undo;
  const node = plan.files.look(step.path);
  const matches = await matchesImage(plan.deps, { real: step.path, node, text }, step.after);
  if (!matches) return reconcile(undo, step, node);
  await put(undo, step.path, step.before);
  return undefined;
}

async function invertMove(undo: Undo, step: MoveStep): Promise<UndoConflict | undefined> {
  const { plan, deps, text } = undo;
  const node = plan.files.look(step.to);
  const { moved } = step;
  // A moved directory may have other entries by now: they are moved back with it.
  const matches =
    moved.type === "directory"
      ? node?.type === "directory"
      : await matchesImage(plan.deps, { real: step.to, node, text }, moved);
  const shown = deps.guard.display(step.to);
  if (!matches) {
    const expected = moved.type === "directory" ? { ...moved, tree: "" } : moved;
    return describeConflict(plan, { path: shown, expected, node });
  }
  const there = plan.files.look(step.from);
  if (there !== null) return describeConflict(plan, { path: text, expected: null, node: there });
  judge(deps, step.from, text);
  judge(deps, step.to, shown);
  const meaning = meaningOf(undo);
  await planParents(deps, plan, { real: step.from, ...meaning });
  await plan.move(step.to, step.from, meaning);
  if (step.overwritten !== null)
    await put(undo, step.to, step.overwritten, { op: "undo", text, implied: true });
  return undefined;
}

function shownPath({ guard }: UndoDeps, { step }: JournalChange): string {
  return guard.display(step.kind === "move" ? step.from : step.path);
}

function toUndone({ target, text }: Undo): UndoneFile {
  return {
    path: text,
    restoredContentLen: target.sizeBefore ?? 0,
    previousContentLen: target.sizeAfter ?? 0,
  };
}
