import type { FileImage, SetStep } from "../../contract/ports/journal.js";
import { mergeLines } from "../../text/merge-lines.js";
import { fileImage } from "./images.js";
import type { Content } from "./plan.js";
import { digestSource, readBytes } from "./sources.js";
import { rebuildAfter, rebuildBefore, type RebuildDeps } from "./rebuild-content.js";
import type { VirtualNode } from "./virtual-files.js";

/** A change to undo in a file that has been changed again since. */
export interface ChangedSince {
  readonly step: SetStep;
  readonly entry: number;
  readonly seq: number;
  readonly node: VirtualNode | null;
}

/** The texts that a merge needs. */
interface Versions {
  /** What the change left. */
  readonly left: Uint8Array;
  readonly before: Uint8Array;
}

/**
 * The content with the change taken out and everything that others changed elsewhere kept. `undefined` where both
 * concern the same lines, or where an old version is not there any more.
 */
export async function mergeUndo(deps: RebuildDeps, changed: ChangedSince): Promise<Content | undefined> {
  const { node } = changed;
  if (node?.type !== "file") return undefined;
  const versions = await versionsOf(deps, changed);
  if (versions === undefined) return undefined;
  const now = await readBytes(deps, node.source);
  const sides = [versions.left, now, versions.before].map(toLines);
  const merge = mergeLines(sides[0] ?? [], sides[1] ?? [], sides[2] ?? []);
  if (merge.kind !== "merged") return undefined;
  return toContentOf(deps, Buffer.from(merge.lines.join(""), "latin1"), node);
}

/** The content before the change, whatever the file holds now. `undefined` where it is not there any more. */
export async function contentBefore(deps: RebuildDeps, changed: ChangedSince): Promise<Content | undefined> {
  const { before } = changed.step;
  if (before?.type !== "file") return undefined;
  if (before.delta === undefined) {
    if (!deps.blobs.has(before.hash)) return undefined;
    return { image: before, source: { kind: "blob", hash: before.hash } };
  }
  const versions = await versionsOf(deps, changed);
  return versions && toContentOf(deps, versions.before, before);
}

/** What the change left, as text for a diff; `undefined` where it cannot be had. */
export async function textAfter(deps: RebuildDeps, changed: ChangedSince): Promise<string | undefined> {
  const { after, path } = changed.step;
  if (after?.type !== "file") return undefined;
  const bytes = await rebuildAfter(deps, { ...changed, path, image: after }, changed.node);
  return bytes === undefined || bytes.includes(0) ? undefined : Buffer.from(bytes).toString();
}

async function versionsOf(deps: RebuildDeps, changed: ChangedSince): Promise<Versions | undefined> {
  const { before, after, path } = changed.step;
  if (before?.type !== "file" || after?.type !== "file") return undefined;
  const left = await rebuildAfter(deps, { ...changed, path, image: after }, changed.node);
  const previous = left && (await rebuildBefore(deps, before, left));
  return left && previous && { left, before: previous };
}

/** Lines with their ends, byte for byte: Latin-1 maps every byte to one character and back. */
function toLines(bytes: Uint8Array): string[] {
  return Buffer.from(bytes)
    .toString("latin1")
    .split(/(?<=\n)/);
}

async function toContentOf(
  deps: RebuildDeps,
  data: Uint8Array,
  attributes: Pick<FileImage, "mode" | "uid" | "gid"> | Extract<VirtualNode, { type: "file" }>,
): Promise<Content> {
  const source = { kind: "data", data } as const;
  return { source, image: fileImage(attributes, await digestSource(deps, source)) };
}
