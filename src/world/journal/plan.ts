import type { BlobRef } from "../../contract/ports/blobs.js";
import type {
  DirectoryImage,
  FileImage,
  JournalChange,
  LinkImage,
  ModeStep,
  MoveStep,
  NodeImage,
  RenameStep,
  SetStep,
} from "../../contract/ports/journal.js";
import type { Stop } from "./change-lock.js";
import { fileNotFound } from "../files/file-errors.js";
import { storeImage, type ImageDeps, type StoredImage } from "./images.js";
import { inodeOf, stampOf } from "./open-path.js";
import { byteBudget, storeAfter, movedImage, toNode } from "./plan-content.js";
import { endsOf } from "./rename-step.js";
import { renamedNode } from "./renamed-node.js";
import type { Source, SourceDeps } from "./sources.js";
import { takenAway, tempName } from "./temp-name.js";
import {
  createVirtualFiles,
  type VirtualFiles,
  type VirtualNode,
  type VirtualTree,
} from "./virtual-files.js";

/** The content that a step replaces, if it is known beforehand. */
export interface PreviousContent {
  readonly image: FileImage;
  readonly blobs: readonly BlobRef[];
  /** Refuses where the file no longer has it; called as late as possible, while the next content is being written. */
  readonly check: () => Promise<void>;
  /** Computes the hash of the next content, where that was not kept and so is not known yet. */
  readonly hashAfter: () => Promise<string>;
}

/** A content to be written. */
export type Content =
  | { readonly image: FileImage; readonly source: Source; readonly previous?: PreviousContent }
  | { readonly image: LinkImage }
  | { readonly image: DirectoryImage; readonly tree?: VirtualTree };

/** What must still exist at a path when a step is applied; `null` for nothing. */
export interface Expectation {
  readonly real: string;
  readonly stamp: string | null;
  /** The digest that everything below it must still have once it was moved to its temporary name. */
  readonly treeStamp?: string;
}

/** A step with everything that applying it needs. */
export interface PlannedStep {
  readonly change: JournalChange;
  readonly content: Content | null;
  readonly expects: readonly Expectation[];
  /** The number of the step that creates what this one moves. */
  readonly madeBy: number | undefined;
  /** The path to name in errors. */
  readonly text: string;
  /**
   * The stamp of a file that this step and the one beside it replace at once: the first one puts it into the store, the
   * second one puts another file in its place.
   */
  readonly replaced?: string | undefined;
}

/** Why and for whom a step is planned. */
export interface StepMeaning {
  readonly op: string;
  readonly text: string;
  readonly implied?: boolean;
  readonly inverts?: JournalChange["inverts"];
  /** What is there, where the planner has just looked. */
  readonly node?: VirtualNode | null;
}

/** What else is known about a rename. */
export interface RenameMeaning extends StepMeaning {
  readonly blobs: readonly BlobRef[];
}

/** Steps that are planned one after another, each on the outcome of the previous ones. */
export interface Plan {
  /** Unique part of the names of temporary files. */
  readonly token: string;
  readonly files: VirtualFiles;
  /** For reading contents as they will be. */
  readonly deps: ImageDeps;
  set(real: string, content: Content | null, meaning: StepMeaning): Promise<void>;
  move(from: string, to: string, meaning: StepMeaning): Promise<void>;
  /** Move what is at a path of the workspace into the journal's store, or back, by one rename. */
  rename(step: Pick<RenameStep, "path" | "stored" | "into" | "bulk">, meaning: RenameMeaning): Promise<void>;
  /** Set the permissions of a directory. */
  setMode(real: string, mode: number, meaning: StepMeaning): void;
  steps(): readonly PlannedStep[];
}

export interface PlanOptions extends SourceDeps {
  /** Unique part of the names of temporary files. */
  readonly token: string;
  /** How many bytes may be stored for an undo. */
  readonly maxBytes: number;
  readonly stop: Stop;
}

/** A step that is planned. */
export interface Draft extends Omit<PlannedStep, "change"> {
  readonly step: BareStep;
  readonly meaning: StepMeaning;
  readonly blobs: readonly BlobRef[];
}

/** Begin a plan on the current state of the disk. Previous contents are stored while planning, so an abandoned plan leaves only blobs. */
export function createPlan(options: PlanOptions): Plan {
  const files = createVirtualFiles(options.opener);
  const { opener, blobs, stop } = options;
  const deps: ImageDeps = { opener, blobs, files, onBytes: byteBudget(options.maxBytes), stop };
  const state: PlanState = { files, deps, drafts: [], changed: new Set() };
  return {
    token: options.token,
    files,
    deps,
    set: (real, content, meaning) => draftSet(state, real, { content, meaning }),
    move: (from, to, meaning) => draftMove(state, [from, to], meaning),
    rename: (step, meaning) => draftRename(state, step, meaning),
    setMode: (real, mode, meaning) => draftMode(state, { real, mode }, meaning),
    steps() {
      const taken = new Set(state.drafts.flatMap(({ step }) => takenAway(step)));
      return state.drafts.map((draft, seq) => toPlanned(draft, tempName(options, taken, [seq, draft])));
    },
  };
}

/** The state of a plan. */
interface PlanState {
  readonly files: VirtualFiles;
  readonly deps: ImageDeps;
  readonly drafts: Draft[];
  /** Paths that a step changes. */
  readonly changed: Set<string>;
}

async function draftSet(
  state: PlanState,
  real: string,
  { content, meaning }: { content: Content | null; meaning: StepMeaning },
): Promise<void> {
  const { files, deps, drafts, changed } = state;
  const node = meaning.node === undefined ? files.look(real) : meaning.node;
  const previous = content !== null && "previous" in content ? content.previous : undefined;
  const kept = previous ?? (await keep(state, { real, node, text: meaning.text }));
  const { image: before, blobs, treeStamp } = { treeStamp: undefined, ...kept };
  const expects = expect(state, real, node);
  const next = await storeAfter(deps.blobs, content);
  drafts.push({
    step: { kind: "set", path: real, before, after: toAfter(content, next) },
    content,
    meaning,
    text: meaning.text,
    blobs: [...blobs, ...next],
    expects: treeStamp === undefined ? expects : expects.map((each) => ({ ...each, treeStamp })),
    madeBy: undefined,
  });
  files.set(real, content === null ? null : toNode(content, drafts.length - 1));
  changed.add(real);
}

/** The image of the next content; its hash is known where the content was kept. */
function toAfter(content: Content | null, [kept]: readonly BlobRef[]): NodeImage | null {
  if (content === null) return null;
  const { image } = content;
  return image.type === "file" && image.hash === "" && kept !== undefined
    ? { ...image, hash: kept.hash }
    : image;
}

async function draftMove(
  state: PlanState,
  [from, to]: readonly [string, string],
  meaning: StepMeaning,
): Promise<void> {
  const { files, deps, drafts, changed } = state;
  const node = files.look(from);
  const target = files.look(to);
  if (node === null || node.type === "other") throw fileNotFound(meaning.text);
  const { image: overwritten, blobs } = await keep(state, { real: to, node: target, text: meaning.text });
  const inode = node.disk === undefined ? null : inodeOf(node.disk.stat);
  drafts.push({
    step: { kind: "move", from, to, inode, moved: await movedImage(deps, node), overwritten },
    content: null,
    meaning,
    text: meaning.text,
    blobs,
    expects: [...expect(state, from, node), ...expect(state, to, target)],
    madeBy: node.madeBy,
  });
  files.move(from, to);
  changed.add(from).add(to);
}

async function draftRename(
  state: PlanState,
  step: Pick<RenameStep, "path" | "stored" | "into" | "bulk">,
  meaning: RenameMeaning,
): Promise<void> {
  const { files, deps, drafts, changed } = state;
  const { from, to } = endsOf(step);
  const node = files.look(from);
  if (node === null) throw fileNotFound(meaning.text);
  const inode = node.disk === undefined ? null : inodeOf(node.disk.stat);
  drafts.push({
    step: { kind: "rename", ...step, inode, node: await renamedNode(deps, node, step.into) },
    content: null,
    meaning,
    text: meaning.text,
    blobs: meaning.blobs,
    expects: step.into === "store" ? expect(state, from, node) : expect(state, to, files.look(to)),
    madeBy: node.madeBy,
  });
  files.move(from, to);
  changed.add(from).add(to);
}

function draftMode(
  { files, drafts }: PlanState,
  { real, mode }: { real: string; mode: number },
  meaning: StepMeaning,
): void {
  const before = files.look(real)?.mode;
  if (before === undefined) throw fileNotFound(meaning.text);
  const step = { kind: "mode", path: real, before, after: mode } as const;
  drafts.push({
    step,
    content: null,
    meaning,
    text: meaning.text,
    blobs: [],
    expects: [],
    madeBy: undefined,
  });
  files.setMode(real, mode);
}

async function keep(
  { deps }: PlanState,
  { real, node, text }: { real: string; node: VirtualNode | null; text: string },
): Promise<Omit<StoredImage, "image"> & { readonly image: NodeImage | null }> {
  return node === null ? { image: null, blobs: [] } : storeImage(deps, { real, node, text });
}

/** What an earlier step creates or moves has been checked by that step. */
function expect({ changed }: PlanState, real: string, node: VirtualNode | null): Expectation[] {
  if (changed.has(real) || (node !== null && node.disk?.real !== real)) return [];
  return [{ real, stamp: node?.disk === undefined ? null : stampOf(node.disk.stat) }];
}

function toPlanned({ step, meaning, blobs, ...rest }: Draft, temp: string): PlannedStep {
  const [sizeBefore, sizeAfter] = sizesOf(step);
  return {
    ...rest,
    change: {
      op: meaning.op,
      step: step.kind === "set" || step.kind === "move" ? { ...step, temp } : step,
      sizeBefore,
      sizeAfter,
      implied: meaning.implied ?? false,
      ...(meaning.inverts !== undefined && { inverts: meaning.inverts }),
      blobs,
    },
  };
}

function sizesOf(step: BareStep): [before: number | null, after: number | null] {
  if (step.kind === "set") return [step.before?.size ?? null, step.after?.size ?? null];
  if (step.kind === "move") return [step.moved.size, step.moved.size];
  if (step.kind === "mode") return [0, 0];
  return step.into === "store" ? [step.node.size, null] : [null, step.node.size];
}

/** A step that has no temporary name yet. */
export type BareStep = Omit<SetStep, "temp"> | Omit<MoveStep, "temp"> | RenameStep | ModeStep;
