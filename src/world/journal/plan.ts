import path from "node:path";
import { ToolValidationError } from "../../contract/errors.js";
import type { BlobRef, BlobStore } from "../../contract/ports/blobs.js";
import type {
  DirectoryImage,
  FileImage,
  JournalChange,
  LinkImage,
  MoveStep,
  NodeImage,
  SetStep,
} from "../../contract/ports/journal.js";
import { isWithin } from "../files/path-text.js";
import { keepImage, type ImageGround, type KeptImage } from "./images.js";
import { inodeOf, lookDisk, stampOf } from "./place.js";
import { digestSource, type Source, type SourceGround } from "./sources.js";
import {
  createVirtualFiles,
  type VirtualFiles,
  type VirtualNode,
  type VirtualTree,
} from "./virtual-files.js";

/** A content that is to be prepared. */
export type Content =
  | { readonly image: FileImage; readonly source: Source }
  | { readonly image: LinkImage }
  | { readonly image: DirectoryImage; readonly tree?: VirtualTree };

/** What must still stand at a path when the step is taken; `null`: nothing. */
export interface Expectation {
  readonly real: string;
  readonly stamp: string | null;
  /** What all below it must still look like once it is put aside. */
  readonly treeStamp?: string;
}

/** A step with all that is needed to take it. */
export interface PlannedStep {
  readonly change: JournalChange;
  readonly content: Content | null;
  readonly expects: readonly Expectation[];
  /** The step of this number makes what this one moves. */
  readonly madeBy: number | undefined;
  /** The path to name in errors. */
  readonly text: string;
}

/** Why and for whom a step is planned. */
export interface StepMeaning {
  readonly op: string;
  readonly text: string;
  readonly implied?: boolean;
  readonly inverts?: JournalChange["inverts"];
}

/** Steps that are planned one after another, each on the outcome of those before. */
export interface Plan {
  readonly files: VirtualFiles;
  /** For looking at contents as they will be. */
  readonly ground: ImageGround;
  set(real: string, content: Content | null, meaning: StepMeaning): Promise<void>;
  move(from: string, to: string, meaning: StepMeaning): Promise<void>;
  steps(): readonly PlannedStep[];
}

export interface PlanOptions extends SourceGround {
  /** Part of the names of temporary files; nobody else uses it. */
  readonly token: string;
  /** More than this many bytes cannot be kept for an undo. */
  readonly maxBytes: number;
  readonly signal?: AbortSignal | undefined;
}

interface Draft extends Omit<PlannedStep, "change"> {
  readonly step: Omit<SetStep, "temp"> | Omit<MoveStep, "temp">;
  readonly meaning: StepMeaning;
  readonly blobs: readonly BlobRef[];
}

/** Begin a plan on the disk as it is. Contents are kept as it goes, so a plan given up leaves only blobs. */
export function createPlan(options: PlanOptions): Plan {
  const drafts: Draft[] = [];
  const files = createVirtualFiles(options.opener);
  const ground: ImageGround = { ...options, files, onBytes: byteBudget(options.maxBytes) };
  const changed = new Set<string>();

  const expect = (real: string, node: VirtualNode | null): Expectation[] => {
    // What an earlier step put there has been looked at already, in its own place.
    if (changed.has(real) || (node !== null && node.disk?.real !== real)) return [];
    return [{ real, stamp: node?.disk === undefined ? null : stampOf(node.disk.stat) }];
  };
  const keep = async (
    real: string,
    node: VirtualNode | null,
    text: string,
  ): Promise<Omit<KeptImage, "image"> & { image: NodeImage | null }> =>
    node === null ? { image: null, blobs: [] } : keepImage(ground, { real, node, text });

  return {
    files,
    ground,
    async set(real, content, meaning) {
      const node = files.look(real);
      const { image: before, blobs, treeStamp } = await keep(real, node, meaning.text);
      drafts.push({
        step: { kind: "set", path: real, before, after: content?.image ?? null },
        content,
        meaning,
        text: meaning.text,
        blobs: [...blobs, ...(await keepAfter(options.blobs, content))],
        expects: expect(real, node).map((each) => (treeStamp === undefined ? each : { ...each, treeStamp })),
        madeBy: undefined,
      });
      files.set(real, content === null ? null : toNode(content, drafts.length - 1));
      changed.add(real);
    },
    async move(from, to, meaning) {
      const node = files.look(from);
      const target = files.look(to);
      if (node === null || node.type === "other") throw new Error(`nothing to move at ${from}`);
      const { image: overwritten, blobs } = await keep(to, target, meaning.text);
      drafts.push({
        step: {
          kind: "move",
          from,
          to,
          inode: node.disk === undefined ? null : inodeOf(node.disk.stat),
          moved: await movedImage(ground, node),
          overwritten,
        },
        content: null,
        meaning,
        text: meaning.text,
        blobs,
        expects: [...expect(from, node), ...expect(to, target)],
        madeBy: node.madeBy,
      });
      files.move(from, to);
      changed.add(from).add(to);
    },
    steps: () => drafts.map((draft, seq) => toPlanned(draft, tempOf(options, drafts, seq))),
  };
}

function byteBudget(maxBytes: number): (bytes: number) => void {
  let kept = 0;
  return (bytes) => {
    kept += bytes;
    if (kept <= maxBytes) return;
    throw new ToolValidationError(
      `The change cannot be undone: more than ${maxBytes} bytes would have to be kept for it.`,
      {
        code: "FILE_TOO_LARGE",
        hint: "Change less at once, raise the journal's limit, or let a shell command do it, which is not journalled.",
      },
    );
  };
}

// What a diff of two such files takes is still quick.
const diffBytes = 1 << 18;

/**
 * What is known of the new content stays kept as long as the step: what came from the journal, for it
 * must be there while the step is prepared, and small texts, to show what someone changed since.
 */
async function keepAfter(blobs: BlobStore, content: Content | null): Promise<BlobRef[]> {
  if (content === null || content.image.type === "symlink") return [];
  const { size } = content.image;
  if (content.image.type === "directory") {
    const { manifest, pack } = content.image;
    return [manifest, pack].filter((hash) => hash !== undefined).map((hash) => ({ hash, size }));
  }
  const source = "source" in content ? content.source : undefined;
  if (source?.kind === "blob") return [{ hash: source.hash, size }];
  if (source?.kind !== "data" || size > diffBytes) return [];
  return [await blobs.put(source.data, { durable: false })];
}

function toNode(content: Content, madeBy: number): VirtualNode {
  const { image } = content;
  if (image.type === "symlink") return { type: "symlink", target: image.target, madeBy };
  const { mode, uid, gid } = image;
  const found = {
    ...(mode !== undefined && { mode }),
    ...(uid !== undefined && { uid }),
    ...(gid !== undefined && { gid }),
    madeBy,
  };
  if (image.type === "directory") {
    const tree = "tree" in content ? content.tree : undefined;
    return { ...found, type: "directory", ...(tree !== undefined && { tree }) };
  }
  const source: Source = "source" in content ? content.source : { kind: "blob", hash: image.hash };
  return { ...found, type: "file", size: image.size, hash: image.hash, source };
}

async function movedImage(ground: SourceGround, node: Exclude<VirtualNode, { type: "other" }>) {
  if (node.type === "directory") return { type: "directory" as const, size: 0 };
  if (node.type === "symlink") {
    return { type: "symlink" as const, target: node.target, size: node.target.length };
  }
  const ref =
    node.hash === undefined ? await digestSource(ground, node.source) : { hash: node.hash, size: node.size };
  return { type: "file" as const, ...ref };
}

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

function toPlanned({ step, meaning, blobs, ...rest }: Draft, temp: string): PlannedStep {
  const [before, after] = sizesOf(step);
  return {
    ...rest,
    change: {
      op: meaning.op,
      step: { ...step, temp },
      sizeBefore: before,
      sizeAfter: after,
      implied: meaning.implied ?? false,
      ...(meaning.inverts !== undefined && { inverts: meaning.inverts }),
      blobs,
    },
  };
}

function sizesOf(step: Draft["step"]): [before: number | null, after: number | null] {
  if (step.kind === "move") return [step.moved.size, step.moved.size];
  return [sizeOf(step.before), sizeOf(step.after)];
}

function sizeOf(image: NodeImage | null): number | null {
  return image === null ? null : image.size;
}
