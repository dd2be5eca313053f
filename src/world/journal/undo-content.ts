import { ToolResourceNotFoundError } from "../../contract/errors.js";
import type {
  JournalEntry,
  JournalStore,
  NodeImage,
  SetStep,
  UndoneFile,
} from "../../contract/ports/journal.js";
import type { Guard } from "../files/guard-types.js";
import { pathRefused } from "../files/file-errors.js";
import type { GuardDeps } from "../files/locate.js";
import { blobsOfFile } from "./delta.js";
import { toContent } from "./images.js";
import type { KeptFiles } from "./kept-files.js";
import { contentBefore, mergeUndo, textAfter } from "./merge-undo.js";
import { planParents } from "./plan-content.js";
import type { Content, Plan, StepMeaning } from "./plan.js";
import { setAside } from "./set-aside.js";
import { digestSource } from "./sources.js";
import { describeConflict, type UndoConflict } from "./undo-conflict.js";
import { isObeyedByGit, judgeRestored } from "./undo-git.js";
import type { VirtualNode } from "./virtual-files.js";

/** A change to undo, and its position in the journal. */
export type UndoTarget = JournalEntry["changes"][number] & {
  readonly entry: number;
  /** Unix time in milliseconds of the entry. */
  readonly time: number;
};

export interface UndoDeps extends GuardDeps {
  readonly guard: Guard;
  readonly store: JournalStore;
  /** Restore the previous content even if others changed the file since; their version stays in the journal. */
  readonly force?: boolean | undefined;
  /** What commands replaced. */
  readonly kept: KeptFiles;
  /** The files are a copy, so that their times say nothing. */
  readonly isCopy: boolean;
}

/** What planning the inverse of one change needs. */
export interface Undo {
  readonly deps: UndoDeps;
  readonly plan: Plan;
  readonly target: UndoTarget;
  readonly text: string;
}

/** How a file was restored although others had changed it. */
export type Reconciled = Partial<
  Pick<UndoneFile, "merged" | "forced" | "notRestored" | "restoredContentLen" | "previousContentLen">
>;

/** Undo a change of a file that others changed since: by a merge where possible, or by force. */
export async function reconcile(
  undo: Undo,
  step: SetStep,
  node: VirtualNode | null,
): Promise<UndoConflict | Reconciled> {
  const { plan, deps, text, target } = undo;
  if (isObeyedByGit(deps.rules, step.path))
    return describeConflict(plan, { path: text, expected: step.after, node });
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

/** Plan to restore the previous content of a path, or to delete it. */
export async function put(
  undo: Undo,
  real: string,
  image: NodeImage | null,
  meaning: StepMeaning = meaningOf(undo),
): Promise<void> {
  const { plan, deps, text } = undo;
  judge(deps, real, text);
  if (image !== null) await judgeRestored({ ...plan.deps, ...deps }, { real, text, restored: { image } });
  const aside = { ...deps, root: deps.guard.root };
  if (image === null) {
    if (await setAside(aside, plan, { real, node: plan.files.look(real), meaning })) return;
    return plan.set(real, null, meaning);
  }
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

export function meaningOf({ target, text }: Undo): StepMeaning {
  const inverts = { entry: target.entry, seq: target.seq };
  return { op: "undo", text, inverts, ...(target.implied && { implied: true }) };
}

export function judge(deps: UndoDeps, real: string, text: string): void {
  const verdict = deps.rules.judge(real, "write");
  if (!verdict.allowed) throw pathRefused(text, verdict);
}

function neededBlobs(image: NodeImage): string[] {
  if (image.type === "file") return blobsOfFile(image);
  if (image.type === "symlink") return [];
  return [image.manifest, image.pack].filter((hash) => hash !== undefined);
}

export function contentNotFound(text: string): ToolResourceNotFoundError {
  return new ToolResourceNotFoundError(`The previous content of "${text}" was not found in the journal.`, {
    hint: "It was dropped by the limits on age and size, or cleared.",
  });
}
