import type { BlobStore } from "../../contract/ports/blobs.js";
import type { NodeImage } from "../../contract/ports/journal.js";
import type { Content } from "./plan.js";
import { readManifest } from "./tree.js";

/** What an image stood for, ready to be prepared again from what was kept. */
export async function toContent(blobs: BlobStore, image: NodeImage): Promise<Content> {
  if (image.type === "symlink") return { image };
  if (image.type === "file") return { image, source: { kind: "blob", hash: image.hash } };
  const entries = await readManifest(blobs, image);
  if (entries.length === 0) return { image };
  return { image, tree: { entries, ...(image.pack !== undefined && { pack: image.pack }) } };
}
