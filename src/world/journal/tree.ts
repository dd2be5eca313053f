import { createHash } from "node:crypto";
import { accessSync, closeSync, constants, readlinkSync, type BigIntStats } from "node:fs";
import type { BlobStore, BlobWriter } from "../../contract/ports/blobs.js";
import type { DirectoryImage } from "../../contract/ports/journal.js";
import type { Handle } from "../files/opener.js";
import { fileConflict } from "../files/file-errors.js";
import { walkTree, type TreeStep, type TreeWalkOptions } from "../files/walk-tree.js";
import { stampOf } from "./open-path.js";
import { readDescriptor } from "./sources.js";

/** One entry below a directory. Paths and link targets are bytes, written as Latin-1. */
export interface TreeEntry {
  readonly path: string;
  /** `special`: a FIFO, a socket or a device, which can be deleted but not restored. */
  readonly type: "file" | "directory" | "symlink" | "special";
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  readonly size: number;
  /** Of a file: the content's hash, and where it begins in the pack. */
  readonly hash?: string;
  readonly offset?: number;
  /** Of a link. */
  readonly target?: string;
}

export interface CaptureOptions extends TreeWalkOptions {
  /** Where contents go; without it they are only hashed. */
  readonly writer?: BlobWriter;
  /** Called with the number of bytes read, so that too many can be refused early. */
  readonly onBytes?: (bytes: number) => void;
  /** Refuse where a directory could not be emptied later. */
  readonly forRemoval?: boolean;
  /** Notes what was seen, to be compared later. */
  readonly stamps?: TreeStamps;
}

/** A quick digest of a whole tree: equal as long as nothing in it was added, removed or written. */
export interface TreeStamps {
  add(relative: Buffer, stat: BigIntStats): void;
  digest(): string;
}

export function createTreeStamps(): TreeStamps {
  const digest = createHash("sha256");
  return {
    add: (relative, stat) => void digest.update(relative).update(`\0${stampOf(stat)}\n`),
    digest: () => digest.digest("hex"),
  };
}

/** The digest of everything below an open directory. */
export async function stampTree(top: Handle, options: TreeWalkOptions): Promise<string> {
  const stamps = createTreeStamps();
  for await (const { step, handle } of walkOpened(top, options)) stamps.add(step.relative, handle.stat);
  return stamps.digest();
}

/** List all below an open directory, with the hash of every content, in the order of a walk. */
export async function captureTree(top: Handle, options: CaptureOptions): Promise<TreeEntry[]> {
  const entries: TreeEntry[] = [];
  let offset = 0;
  if (options.forRemoval === true) refuseLocked(top);
  for await (const item of walkOpened(top, options)) {
    if (options.forRemoval === true && item.handle.stat.isDirectory()) refuseLocked(item.handle);
    options.stamps?.add(item.step.relative, item.handle.stat);
    const entry = await captureEntry(item, offset, options);
    offset += entry.type === "file" ? entry.size : 0;
    entries.push(entry);
  }
  return entries;
}

/** A hash of the names, types, modes and contents of a tree, independent of their order. */
export function treeHash(entries: readonly TreeEntry[]): string {
  const digest = createHash("sha256");
  for (const { path, type, mode, hash, target } of inWalkOrder(entries)) {
    digest.update(`${JSON.stringify([path, type, mode, hash ?? target ?? null])}\n`);
  }
  return digest.digest("hex");
}

/** Each directory before what is in it, and nothing of another between. */
export function inWalkOrder(entries: readonly TreeEntry[]): TreeEntry[] {
  return entries
    .map((entry) => ({ entry, key: entry.path.replaceAll("/", "\0") }))
    .sort((one, other) => (one.key < other.key ? -1 : 1))
    .map(({ entry }) => entry);
}

/** Keep the list of a tree as a blob. */
export function storeManifest(blobs: BlobStore, entries: readonly TreeEntry[]): ReturnType<BlobStore["put"]> {
  return blobs.put(Buffer.from(JSON.stringify(entries)));
}

/** The list of a tree that was kept; empty for an empty directory. */
export async function readManifest(blobs: BlobStore, image: DirectoryImage): Promise<TreeEntry[]> {
  if (image.manifest === undefined) return [];
  return JSON.parse(Buffer.from(await blobs.read(image.manifest)).toString()) as TreeEntry[];
}

/** Throws the system's error if this process may not delete the entries of a directory. */
function refuseLocked(directory: Handle): void {
  accessSync(directory.self, constants.R_OK | constants.W_OK | constants.X_OK);
}

/** An entry of a tree that is held open. */
interface OpenedEntry {
  readonly step: TreeStep;
  readonly handle: Handle;
}

/** Everything below a directory, each directory before its entries, each entry open until the next one. */
async function* walkOpened(top: Handle, options: TreeWalkOptions): AsyncGenerator<OpenedEntry> {
  for await (const step of walkTree(top, options)) {
    if (step.kind === "enter") yield { step, handle: step.directory };
    if (step.kind !== "leaf") continue;
    const handle = options.opener.openChild(step.directory, step.name, step.real);
    try {
      // Its entries would be missed.
      if (handle.stat.isDirectory())
        throw fileConflict(options.text, "was changed by another process meanwhile");
      yield { step, handle };
    } finally {
      handle.close();
    }
  }
}

async function captureEntry(
  { step, handle }: OpenedEntry,
  offset: number,
  options: CaptureOptions,
): Promise<TreeEntry> {
  const { stat } = handle;
  const common = {
    path: step.relative.toString("latin1"),
    mode: Number(stat.mode) & 0o7777,
    uid: Number(stat.uid),
    gid: Number(stat.gid),
  };
  if (stat.isDirectory()) return { ...common, type: "directory", size: 0 };
  if (stat.isSymbolicLink()) {
    const target = readlinkSync(step.directory.at(step.name), "buffer");
    return { ...common, type: "symlink", size: target.length, target: target.toString("latin1") };
  }
  if (!stat.isFile()) return { ...common, type: "special", size: 0 };
  return { ...common, type: "file", offset, ...(await captureContent(handle, options)) };
}

async function captureContent(
  handle: Handle,
  { writer, onBytes }: CaptureOptions,
): Promise<{ hash: string; size: number }> {
  const fd = handle.reopen(constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const digest = createHash("sha256");
    let size = 0;
    for await (const chunk of readDescriptor(fd, handle.stat.size)) {
      digest.update(chunk);
      writer?.write(chunk);
      size += chunk.length;
      onBytes?.(chunk.length);
    }
    return { hash: digest.digest("hex"), size };
  } finally {
    closeSync(fd);
  }
}
