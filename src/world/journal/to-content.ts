import { ToolResourceNotFoundError } from "../../contract/errors.js";
import type { BlobStore } from "../../contract/ports/blobs.js";
import type { NodeImage } from "../../contract/ports/journal.js";
import { fromDelta } from "./delta.js";
import type { Content } from "./plan.js";
import type { Source } from "./sources.js";
import { readManifest, treeHash } from "./tree.js";

/** The content that took the place of another. */
export interface Successor {
  readonly source: Source;
  readonly size: number;
}

/**
 * What an image stood for, ready to be prepared again from what was kept.
 *
 * @param base What stands in its place now: needed where only the difference was kept.
 */
export async function toContent(blobs: BlobStore, image: NodeImage, base?: Successor): Promise<Content> {
  if (image.type === "symlink") return { image };
  if (image.type === "file") {
    const { delta, ...whole } = image;
    if (delta === undefined) return { image, source: { kind: "blob", hash: image.hash } };
    if (base === undefined)
      throw new ToolResourceNotFoundError("The content that a kept difference is against was not found.");
    return { image: whole, source: fromDelta(delta, base) };
  }
  const all = await readManifest(blobs, image);
  const entries = all.filter((entry) => entry.type !== "special");
  if (entries.length === 0) return { image: { ...image, tree: null } };
  // What cannot be made again is left out, and the image says so: the undo itself can then be undone.
  const kept = entries.length === all.length ? image : { ...image, tree: treeHash(entries) };
  return { image: kept, tree: { entries, ...(image.pack !== undefined && { pack: image.pack }) } };
}
