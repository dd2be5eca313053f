import type { ContentDelta, FileImage, JournalStore } from "../../contract/ports/journal.js";
import { fromDelta } from "./delta.js";
import { digestSource, readBytes, type SourceDeps } from "./sources.js";
import type { VirtualNode } from "./virtual-files.js";

export interface RebuildDeps extends SourceDeps {
  readonly store: Pick<JournalStore, "changesAfter">;
}

/** The content after a change, and the position of that change in the journal. */
export interface RecordedContent {
  readonly path: string;
  readonly entry: number;
  readonly seq: number;
  readonly image: FileImage;
}

/** More than this is not read into memory for a merge or a diff. */
const maxBytes = 1 << 20;

/**
 * The bytes after a change, although the file was changed since: stored whole, or rebuilt from the newest version
 * through the differences of later changes. `undefined` where that is no longer possible.
 */
export async function rebuildAfter(
  deps: RebuildDeps,
  left: RecordedContent,
  node: VirtualNode | null,
): Promise<Uint8Array | undefined> {
  if (left.image.size > maxBytes || left.image.hash === "") return undefined;
  const deltas: ContentDelta[] = [];
  let { image } = left;
  for (const step of await deps.store.changesAfter(left.path, left)) {
    // A command that replaced the file and was undone left no difference.
    if (step.kind !== "set") continue;
    if (deps.blobs.has(image.hash)) break;
    const delta = step.before?.type === "file" ? step.before.delta : undefined;
    if (delta === undefined || step.after?.type !== "file") return undefined;
    deltas.push(delta);
    image = step.after;
  }
  const newest = await newestContent(deps, image, node);
  if (newest === undefined) return undefined;
  let bytes = newest;
  for (const delta of deltas.toReversed()) {
    const base = { source: { kind: "data", data: bytes } as const, size: bytes.length };
    bytes = await readBytes(deps, fromDelta(delta, base));
  }
  const { hash } = await digestSource(deps, { kind: "data", data: bytes });
  return hash === left.image.hash ? bytes : undefined;
}

/** The bytes before a change, rebuilt from those after it. */
export async function rebuildBefore(
  deps: SourceDeps,
  before: FileImage,
  after: Uint8Array,
): Promise<Uint8Array | undefined> {
  if (before.size > maxBytes) return undefined;
  if (before.delta !== undefined) {
    const base = { source: { kind: "data", data: after } as const, size: after.length };
    return readBytes(deps, fromDelta(before.delta, base));
  }
  return deps.blobs.has(before.hash) ? deps.blobs.read(before.hash) : undefined;
}

async function newestContent(
  deps: SourceDeps,
  image: FileImage,
  node: VirtualNode | null,
): Promise<Uint8Array | undefined> {
  if (deps.blobs.has(image.hash)) return deps.blobs.read(image.hash);
  if (node?.type !== "file" || node.size !== image.size) return undefined;
  const hash = node.hash ?? (await digestSource(deps, node.source)).hash;
  return hash === image.hash ? readBytes(deps, node.source) : undefined;
}
