import { toSystemPath } from "../files/raw-path.js";
import { ToolResourceNotFoundError } from "../../contract/errors.js";
import type { BlobRef, BlobStore } from "../../contract/ports/blobs.js";
import type { DirectoryImage, FileImage, NodeAttributes, NodeImage } from "../../contract/ports/journal.js";
import { fileConflict, notRegularFile } from "../files/file-errors.js";
import type { Stop } from "./change-lock.js";
import { fromDelta, matchesDelta } from "./delta.js";
import { openDirectory } from "./open-path.js";
import type { Content } from "./plan.js";
import { digestSource, readSource, storeSource, type Source, type SourceDeps } from "./sources.js";
import {
  captureTree,
  createTreeStamps,
  readManifest,
  storeManifest,
  treeHash,
  type TreeEntry,
  type TreeStamps,
} from "./tree.js";
import type { VirtualFiles, VirtualNode } from "./virtual-files.js";

/** What taking images needs. */
export interface ImageDeps extends SourceDeps {
  readonly files: VirtualFiles;
  /** Counts bytes to be stored; throws if they are too many. */
  readonly onBytes: (bytes: number) => void;
  readonly stop?: Stop;
}

/** An image and the blobs that it needs. */
export interface StoredImage {
  readonly image: NodeImage;
  readonly blobs: readonly BlobRef[];
  /** Of a directory on the disk: a digest of everything below it. */
  readonly treeStamp?: string;
}

/** What to take an image of. */
export interface ImageSubject {
  /** Its path after the steps planned so far. */
  readonly real: string;
  readonly node: VirtualNode;
  /** The path to name in errors. */
  readonly text: string;
}

/** Take an image of a path and store its content, so that it can be restored. */
export async function storeImage(deps: ImageDeps, subject: ImageSubject): Promise<StoredImage> {
  const { node, text } = subject;
  if (node.type === "other") throw notRegularFile(text);
  if (node.type === "symlink") {
    return { image: { type: "symlink", target: node.target, size: node.target.length }, blobs: [] };
  }
  if (node.type === "directory") return storeDirectory(deps, { ...subject, node });
  deps.onBytes(node.size);
  const ref = await storeSource(deps, node.source);
  return { image: fileImage(node, ref), blobs: [ref] };
}

/** Whether a path has the content of an image; the owner, and the mode of a file, do not count. */
export async function matchesImage(
  deps: ImageDeps,
  { real, node, text }: Omit<ImageSubject, "node"> & { readonly node: VirtualNode | null },
  image: NodeImage | null,
): Promise<boolean> {
  if (image === null || node === null) return image === null && node === null;
  if (node.type !== image.type) return false;
  if (image.type === "symlink") return node.type === "symlink" && node.target === image.target;
  if (image.type === "file") {
    if (node.type !== "file" || node.size !== image.size) return false;
    if (image.modified !== undefined) return String(node.disk?.stat.mtimeNs) === image.modified;
    if (image.hash === "") return matchesDelta(deps, node, image);
    return (node.hash ?? (await digestSource(deps, node.source)).hash) === image.hash;
  }
  if (node.type !== "directory") return false;
  const entries = await captureNode(deps, { real, node, text }, {});
  return (entries.length === 0 ? null : treeHash(entries)) === image.tree;
}

/** The image of a file from its parts. */
export function fileImage(attributes: NodeAttributes, ref: BlobRef): FileImage {
  return { type: "file", hash: ref.hash, size: ref.size, ...attributesOf(attributes) };
}

/** Mode and owner, as far as they are known. */
export function attributesOf({ mode, uid, gid }: NodeAttributes): NodeAttributes {
  return {
    ...(mode !== undefined && { mode }),
    ...(uid !== undefined && { uid }),
    ...(gid !== undefined && { gid }),
  };
}

type DirectoryNode = Extract<VirtualNode, { type: "directory" }>;
type DirectorySubject = Omit<ImageSubject, "node"> & { readonly node: DirectoryNode };

async function storeDirectory(deps: ImageDeps, subject: DirectorySubject): Promise<StoredImage> {
  const attributes = attributesOf(subject.node);
  const writer = deps.blobs.create();
  const stamps = createTreeStamps();
  try {
    const entries = await captureNode(deps, subject, { writer, forRemoval: true, stamps });
    const treeStamp = deps.files.untouched(subject.real) === undefined ? {} : { treeStamp: stamps.digest() };
    if (entries.length === 0) {
      return { image: { type: "directory", ...attributes, tree: null, size: 0 }, blobs: [], ...treeStamp };
    }
    const size = entries.reduce((sum, entry) => sum + entry.size, 0);
    const pack = size === 0 ? undefined : await writer.finish();
    const manifest = await storeManifest(deps.blobs, entries);
    const image: DirectoryImage = {
      type: "directory",
      ...attributes,
      tree: treeHash(entries),
      manifest: manifest.hash,
      ...(pack !== undefined && { pack: pack.hash }),
      size,
    };
    return { image, blobs: pack === undefined ? [manifest] : [manifest, pack], ...treeStamp };
  } finally {
    writer.abort();
  }
}

interface Capture {
  readonly writer?: ReturnType<SourceDeps["blobs"]["create"]>;
  readonly forRemoval?: boolean;
  readonly stamps?: TreeStamps;
}

/** Read directly from the disk if no step changes anything inside, otherwise name by name. */
async function captureNode(
  deps: ImageDeps,
  subject: DirectorySubject,
  capture: Capture,
): Promise<TreeEntry[]> {
  const onDisk = deps.files.untouched(subject.real);
  if (onDisk === undefined) return captureVirtual(deps, subject, capture);
  const top = openDirectory(deps.opener, onDisk);
  const onBytes = capture.writer === undefined ? {} : { onBytes: deps.onBytes };
  try {
    const { opener, stop } = deps;
    return await captureTree(top, {
      opener,
      signal: stop?.signal,
      text: subject.text,
      ...capture,
      ...onBytes,
    });
  } finally {
    top.close();
  }
}

/** The default mode of the system. */
function systemMode(type: VirtualNode["type"]): number {
  return (type === "directory" ? 0o777 : 0o666) & ~process.umask();
}

async function captureVirtual(
  deps: ImageDeps,
  { real, text }: DirectorySubject,
  { writer }: Capture,
): Promise<TreeEntry[]> {
  const entries: TreeEntry[] = [];
  const todo = (await deps.files.names(real)).toSorted().toReversed();
  let offset = 0;
  for (let inner = todo.pop(); inner !== undefined; inner = todo.pop()) {
    const node = deps.files.look(`${real}/${inner}`);
    if (node === null) throw fileConflict(text, "was changed by another process meanwhile");
    if (node.type === "other") throw notRegularFile(text);
    const {
      mode = systemMode(node.type),
      uid = process.getuid?.() ?? 0,
      gid = process.getgid?.() ?? 0,
    } = node;
    const path = Buffer.from(toSystemPath(inner)).toString("latin1");
    const common = { path, mode, uid, gid };
    if (node.type === "symlink") {
      entries.push({ ...common, type: "symlink", size: node.target.length, target: node.target });
    } else if (node.type === "directory") {
      entries.push({ ...common, type: "directory", size: 0 });
      const parent = inner;
      const names = await deps.files.names(`${real}/${parent}`);
      todo.push(
        ...names
          .toSorted()
          .toReversed()
          .map((name) => `${parent}/${name}`),
      );
    } else {
      if (writer !== undefined) deps.onBytes(node.size);
      const ref = await digestSource(deps, node.source);
      for await (const chunk of readSource(deps, node.source)) writer?.write(chunk);
      entries.push({ ...common, type: "file", offset, ...ref });
      offset += ref.size;
    }
  }
  return entries;
}

/** The content that replaced another one. */
export interface Successor {
  readonly source: Source;
  readonly size: number;
}

/**
 * The content of an image, from what was stored.
 *
 * @param base What is in its place now: needed where only the difference was stored.
 */
export async function toContent(blobs: BlobStore, image: NodeImage, base?: Successor): Promise<Content> {
  if (image.type === "symlink") return { image };
  if (image.type === "file") {
    const { delta, ...whole } = image;
    if (delta === undefined) return { image, source: { kind: "blob", hash: image.hash } };
    if (base === undefined)
      throw new ToolResourceNotFoundError("The content that a stored difference refers to was not found.");
    return { image: whole, source: fromDelta(delta, base) };
  }
  const all = await readManifest(blobs, image);
  const entries = all.filter((entry) => entry.type !== "special");
  if (entries.length === 0) return { image: { ...image, tree: null } };
  // What cannot be restored is left out of the image too, so that the undo itself can be undone.
  const kept = entries.length === all.length ? image : { ...image, tree: treeHash(entries) };
  return { image: kept, tree: { entries, ...(image.pack !== undefined && { pack: image.pack }) } };
}
