import path from "node:path";
import { ToolValidationError } from "../../contract/errors.js";
import type { BlobRef, BlobStore } from "../../contract/ports/blobs.js";
import type { MoveStep } from "../../contract/ports/journal.js";
import { fileConflict, pathRefused, systemFailure } from "../files/file-errors.js";
import { identityOf } from "../files/file-stat.js";
import type { GuardDeps } from "../files/locate.js";
import { attributesOf } from "./images.js";
import type { Content, Plan, StepMeaning } from "./plan.js";
import { maxHashedBytes } from "./text-pack.js";
import { digestSource, holdsBytes, type Source, type SourceDeps } from "./sources.js";
import type { VirtualNode } from "./virtual-files.js";

/** Refuse where something no longer is what the caller looked at. */
export function checkIdentity(text: string, node: VirtualNode | null, wanted: string | undefined): void {
  if (wanted === undefined) return;
  if (node === null) throw fileConflict(text, "was deleted by someone else");
  if (node.disk !== undefined && identityOf(node.disk.stat) === wanted) return;
  throw fileConflict(text, "has been changed by someone else");
}

export interface ContentCheck {
  readonly text: string;
  readonly node: VirtualNode | null;
  /** What it must hold; nothing is checked without it. */
  readonly wanted: Uint8Array | undefined;
}

/** Refuse where a file no longer holds what the caller saw, byte by byte: times and sizes may be the same after a change. */
export async function checkContent(deps: SourceDeps, { text, node, wanted }: ContentCheck): Promise<void> {
  if (wanted === undefined) return;
  if (node === null) throw fileConflict(text, "was deleted by someone else");
  if (node.type === "file" && node.size === wanted.length && (await holdsBytes(deps, node.source, wanted)))
    return;
  throw fileConflict(text, "has been changed by someone else");
}

/** Count bytes to be stored, and refuse if they are too many. */
export function byteBudget(maxBytes: number): (bytes: number) => void {
  let kept = 0;
  return (bytes) => {
    kept += bytes;
    if (kept <= maxBytes) return;
    throw new ToolValidationError(
      `The change could not be undone: more than ${maxBytes} bytes would have to be stored for it.`,
      {
        code: "FILE_TOO_LARGE",
        hint: "Change less at once, raise the journal's limit, or use a shell command, whose changes are not recorded in the journal.",
      },
    );
  };
}

// Files up to this size are still compared quickly.
const diffBytes = 1 << 18;

/**
 * The blobs of the new content that are kept as long as the step: those that came from the journal, because
 * preparing the step needs them, and small texts, to show what others changed since.
 */
export async function storeAfter(blobs: BlobStore, content: Content | null): Promise<BlobRef[]> {
  if (content === null || content.image.type === "symlink") return [];
  const { size } = content.image;
  if (content.image.type === "directory") {
    const { manifest, pack } = content.image;
    const list = manifest === undefined ? [] : [{ hash: manifest, size: 0 }];
    return pack === undefined ? list : [...list, { hash: pack, size }];
  }
  const source = "source" in content ? content.source : undefined;
  if (source?.kind === "blob") return [{ hash: source.hash, size }];
  if (source?.kind !== "data" || size > diffBytes) return [];
  return [await blobs.put(source.data, { durable: false })];
}

/** What will exist at a path after the step with this number. */
export function toNode(content: Content, madeBy: number): VirtualNode {
  const { image } = content;
  if (image.type === "symlink") return { type: "symlink", target: image.target, madeBy };
  const common = { ...attributesOf(image), madeBy };
  if (image.type === "directory") {
    const tree = "tree" in content ? content.tree : undefined;
    return { ...common, type: "directory", ...(tree !== undefined && { tree }) };
  }
  const source: Source = "source" in content ? content.source : { kind: "blob", hash: image.hash };
  const hash = "previous" in content && content.previous !== undefined ? {} : { hash: image.hash };
  return { ...common, type: "file", size: image.size, ...hash, source };
}

/** The image of what a move moves; a large file is recognized by its inode, size and time. */
export async function movedImage(
  deps: SourceDeps,
  node: Exclude<VirtualNode, { type: "other" }>,
): Promise<MoveStep["moved"]> {
  if (node.type === "directory") return { type: "directory", size: 0 };
  if (node.type === "symlink") return { type: "symlink", target: node.target, size: node.target.length };
  if (node.hash === undefined && node.disk !== undefined && node.size > maxHashedBytes) {
    return { type: "file", hash: "", size: node.size, modified: String(node.disk.stat.mtimeNs) };
  }
  const ref =
    node.hash === undefined ? await digestSource(deps, node.source) : { hash: node.hash, size: node.size };
  return { type: "file", ...ref };
}

/** An empty directory with the default mode. */
export const emptyDirectory = { image: { type: "directory", tree: null, size: 0 } } as const;

/** Plan the missing parents of a path. */
export async function planParents(
  deps: GuardDeps,
  plan: Plan,
  { real, text, op }: { real: string } & Pick<StepMeaning, "text" | "op">,
): Promise<void> {
  const missing: string[] = [];
  for (let directory = path.dirname(real); ; directory = path.dirname(directory)) {
    const node = plan.files.look(directory);
    if (node?.type === "directory" || directory === path.dirname(directory)) break;
    if (node !== null) throw systemFailure(text, "ENOTDIR");
    missing.unshift(directory);
  }
  for (const directory of missing) {
    const verdict = deps.rules.judge(directory, "write");
    if (!verdict.allowed) throw pathRefused(text, verdict);
    await plan.set(directory, emptyDirectory, { op, text, implied: true });
  }
}
