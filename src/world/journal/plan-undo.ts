import { ToolResourceNotFoundError } from "../../contract/errors.js";
import type {
  JournalChange,
  JournalEntry,
  JournalStore,
  MoveStep,
  NodeImage,
  SetStep,
  UndoneFile,
} from "../../contract/ports/journal.js";
import type { Guard } from "../files/guard-types.js";
import { pathRefused, withPathAsync } from "../files/file-errors.js";
import { blobsOfFile } from "./delta.js";
import { matchesImage } from "./images.js";
import type { GuardDeps } from "../files/locate.js";
import { planParents } from "./plan-content.js";
import type { Content, Plan, StepMeaning } from "./plan.js";
import { digestSource } from "./sources.js";
import { toContent } from "./images.js";
import { contentBefore, mergeUndo, textAfter } from "./merge-undo.js";
import { describeConflict, undoRefused, type UndoConflict } from "./undo-conflict.js";
import type { VirtualNode } from "./virtual-files.js";

/** A change to undo, and its position in the journal. */
export type UndoTarget = JournalEntry["changes"][number] & { readonly entry: number };

export interface UndoDeps extends GuardDeps {
  readonly guard: Guard;
  readonly store: JournalStore;
  /** Restore the previous content even if others changed the file since; their version stays in the journal. */
  readonly force?: boolean | undefined;
}

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
  for (const target of targets) {
    const undo: Undo = { deps, plan, target, text: shownPath(deps, target) };
    const { step } = target;
    const outcome = await withPathAsync(undo.text, () =>
      step.kind === "set" ? invertSet(undo, step) : invertMove(undo, step),
    );
    if (target.implied) continue;
    if (outcome !== undefined && "reason" in outcome) conflicts.push(outcome);
    else undone.push({ ...toUndone(undo), ...outcome });
  }
  if (conflicts.length > 0) throw undoRefused(conflicts);
  return undone;
}

interface Undo {
  readonly deps: UndoDeps;
  readonly plan: Plan;
  readonly target: UndoTarget;
  readonly text: string;
}

/** How a file was restored although others had changed it. */
type Reconciled = Partial<
  Pick<UndoneFile, "merged" | "forced" | "restoredContentLen" | "previousContentLen">
>;

async function invertSet(undo: Undo, step: SetStep): Promise<UndoConflict | Reconciled | undefined> {
  const { plan, text } = undo;
  const node = plan.files.look(step.path);
  const matches = await matchesImage(plan.deps, { real: step.path, node, text }, step.after);
  if (!matches) return reconcile(undo, step, node);
  await put(undo, step.path, step.before);
  return undefined;
}

/** Undo a change of a file that others changed since: by a merge where possible, or by force. */
async function reconcile(
  undo: Undo,
  step: SetStep,
  node: VirtualNode | null,
): Promise<UndoConflict | Reconciled> {
  const { plan, deps, text, target } = undo;
  const changed = { step, entry: target.entry, seq: target.seq, node };
  const rebuilding = { ...plan.deps, store: deps.store };
  const previousContentLen = node?.type === "file" ? node.size : 0;
  const merged = await mergeUndo(rebuilding, changed);
  if (merged !== undefined) {
    judge(deps, step.path, text);
    await plan.set(step.path, merged, meaningOf(undo));
    return { merged: true, restoredContentLen: merged.image.size, previousContentLen };
  }
  if (deps.force !== true || target.implied) {
    const left = await textAfter(rebuilding, changed);
    return describeConflict(plan, { path: text, expected: step.after, before: step.before, node, left });
  }
  judge(deps, step.path, text);
  if (step.before?.type !== "file") {
    await put(undo, step.path, step.before);
    return { forced: true, previousContentLen };
  }
  const content = await contentBefore(rebuilding, changed);
  if (content === undefined) throw contentNotFound(text);
  await planParents(deps, plan, { real: step.path, ...meaningOf(undo) });
  await plan.set(step.path, content, meaningOf(undo));
  return { forced: true, previousContentLen };
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

/** Plan to restore the previous content of a path, or to delete it. */
async function put(
  undo: Undo,
  real: string,
  image: NodeImage | null,
  meaning: StepMeaning = meaningOf(undo),
): Promise<void> {
  const { plan, deps, text } = undo;
  judge(deps, real, text);
  if (image === null) return plan.set(real, null, meaning);
  for (const hash of neededBlobs(image)) {
    if (!plan.deps.blobs.has(hash)) throw contentNotFound(text);
  }
  const node = plan.files.look(real);
  await planParents(deps, plan, { real, ...meaning });
  const base = node?.type === "file" ? node : undefined;
  await plan.set(real, await withHash(plan, await toContent(plan.deps.blobs, image, base)), meaning);
}

/** Content that was stored as a difference gets its hash now. */
async function withHash(plan: Plan, content: Content): Promise<Content> {
  if (content.image.type !== "file" || content.image.hash !== "" || !("source" in content)) return content;
  const { hash } = await digestSource(plan.deps, content.source);
  return { source: content.source, image: { ...content.image, hash } };
}

function meaningOf({ target, text }: Undo): StepMeaning {
  const inverts = { entry: target.entry, seq: target.seq };
  return { op: "undo", text, inverts, ...(target.implied && { implied: true }) };
}

function judge(deps: UndoDeps, real: string, text: string): void {
  const verdict = deps.rules.judge(real, "write");
  if (!verdict.allowed) throw pathRefused(text, verdict);
}

function neededBlobs(image: NodeImage): string[] {
  if (image.type === "file") return blobsOfFile(image);
  if (image.type === "symlink") return [];
  return [image.manifest, image.pack].filter((hash) => hash !== undefined);
}

function contentNotFound(text: string): ToolResourceNotFoundError {
  return new ToolResourceNotFoundError(`The previous content of "${text}" was not found in the journal.`, {
    hint: "It was dropped by the limits on age and size, or cleared.",
  });
}

function shownPath({ guard }: UndoDeps, { step }: JournalChange): string {
  return guard.display(step.kind === "set" ? step.path : step.from);
}

function toUndone({ target, text }: Undo): UndoneFile {
  return {
    path: text,
    restoredContentLen: target.sizeBefore ?? 0,
    previousContentLen: target.sizeAfter ?? 0,
  };
}
