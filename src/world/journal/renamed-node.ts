import type { BigIntStats } from "node:fs";
import { errnoOf } from "../../contract/errno.js";
import type {
  FileImage,
  JournalStep,
  JournalStore,
  RenamedNode,
  RenameStep,
  SetStep,
} from "../../contract/ports/journal.js";
import { fileImage, matchesImage, type ImageDeps } from "./images.js";
import { inodeOf, openDirectory } from "./open-path.js";
import { digestSource, readBytes, type SourceDeps } from "./sources.js";
import { walkTree } from "../files/walk-tree.js";
import { maxHashedBytes } from "./text-pack.js";
import type { VirtualNode } from "./virtual-files.js";

/**
 * What a rename step remembers about what it moves. The hash of a file tells later whether somebody else changed it in
 * the workspace; in the store, nobody does.
 */
export async function renamedNode(
  deps: SourceDeps,
  node: VirtualNode,
  into: RenameStep["into"],
): Promise<RenamedNode> {
  if (node.type === "directory") return renamedDirectory(node.mode ?? ownerWrite);
  if (node.type === "symlink") return { type: "symlink", size: node.target.length, target: node.target };
  if (node.type === "other") return { type: "special", size: 0 };
  const modified = node.disk === undefined ? {} : { modified: String(node.disk.stat.mtimeNs) };
  const hash = node.hash ?? (into === "store" ? undefined : await hashOf(deps, node));
  return { type: "file", size: node.size, ...modified, ...(hash !== undefined && { hash }) };
}

const ownerWrite = 0o200;

export function renamedDirectory(mode: number): RenamedNode {
  return { type: "directory", size: 0, ...((mode & ownerWrite) === 0 && { mode }) };
}

async function hashOf(
  deps: SourceDeps,
  { size, source }: Extract<VirtualNode, { type: "file" }>,
): Promise<string | undefined> {
  if (size > maxHashedBytes) return undefined;
  try {
    return (await digestSource(deps, source)).hash;
  } catch (error) {
    // A file that its owner may not read can be renamed all the same.
    if (errnoOf(error) === "EACCES") return undefined;
    throw error;
  }
}

/** A rename into the workspace whose outcome is compared with what is there now. */
export interface LandedStep {
  readonly step: RenameStep;
  readonly entry: number;
  readonly seq: number;
  /** Unix time in milliseconds of the change. */
  readonly time: number;
}

export interface MatchDeps extends ImageDeps {
  readonly store: JournalStore;
  /** The files are a copy, so that their times say nothing. */
  readonly isCopy: boolean;
}

/** Whether what a rename brought into the workspace is still as it was. */
export async function isAsRenamed(
  deps: MatchDeps,
  landed: LandedStep,
  node: VirtualNode | null,
): Promise<boolean> {
  const { step } = landed;
  const { node: known } = step;
  if (node === null || (node.type === "other" ? "special" : node.type) !== known.type) return false;
  if (node.type === "symlink") return node.target === known.target;
  if (node.type === "directory") return isTreeUnchanged(deps, landed);
  if (node.type === "other") return node.disk !== undefined && inodeOf(node.disk.stat) === step.inode;
  if (node.disk !== undefined && inodeOf(node.disk.stat) === step.inode) {
    if (String(node.disk.stat.mtimeNs) === known.modified && node.size === known.size) return true;
  }
  if (known.hash === undefined || node.size !== known.size) return false;
  return (node.hash ?? (await digestSource(deps, node.source)).hash) === known.hash;
}

/**
 * Whether nothing was written below a directory since it came into the workspace: no file is newer than the change,
 * or its journal leads back to what was there. A file that somebody removed is not missed: nothing of it can be lost.
 */
async function isTreeUnchanged(deps: MatchDeps, { step, entry, seq, time }: LandedStep): Promise<boolean> {
  const onDisk = deps.files.origin(step.path);
  if (onDisk === undefined) return false;
  if (deps.isCopy) return true;
  const since = step.node.since === undefined ? recordedSince(time) : BigInt(step.node.since);
  const top = openDirectory(deps.opener, onDisk);
  try {
    for await (const item of walkTree(top, {
      opener: deps.opener,
      text: step.path,
      signal: deps.stop?.signal,
    })) {
      if (item.kind !== "leaf") continue;
      const handle = deps.opener.openChild(item.directory, item.name, item.real);
      const isNew = isNewer(handle.stat, since);
      handle.close();
      if (!isNew) continue;
      const real = `${step.path}${item.real.slice(onDisk.length)}`;
      // A step before this one takes it away, alone or with a folder that a later command created or replaced.
      const planned = deps.files.look(real);
      if (planned === null || (planned.disk !== undefined && planned.disk.real !== item.real)) continue;
      const [first] = await deps.store.changesAfter(real, { entry, seq });
      if (first === undefined || !(await isAsBefore(deps, real, first))) return false;
    }
    return true;
  } finally {
    top.close();
  }
}

/** Whether an entry was written after a time; a rename of another name of the same file does not count. */
function isNewer({ ctimeNs, mtimeNs, nlink }: BigIntStats, since: bigint): boolean {
  return (nlink > 1n ? mtimeNs : ctimeNs) >= since;
}

/** Of a change that was completed by a later start, only the time at which it was recorded is known. */
function recordedSince(time: number): bigint {
  return BigInt(time - tickMs) * 1_000_000n;
}

/** File systems take the time of the last tick of the kernel. */
const tickMs = 4;

/** Whether a path will be as it was before a change of it. */
async function isAsBefore(deps: MatchDeps, real: string, change: JournalStep): Promise<boolean> {
  const node = deps.files.look(real);
  if (change.kind === "set") return matchesImage(deps, { real, node, text: real }, change.before);
  if (change.kind !== "rename" || change.into === "workspace") return node === null;
  return node?.disk !== undefined && inodeOf(node.disk.stat) === change.inode;
}

/** A rename of files as a step with contents, for merging what others changed. */
export async function toSetStep(
  deps: SourceDeps,
  landed: RenameStep,
  replaced: RenameStep | undefined,
): Promise<SetStep | undefined> {
  const { hash, size } = landed.node;
  if (landed.node.type !== "file" || hash === undefined) return undefined;
  await unpackText(deps, landed.node);
  const after: FileImage = fileImage({}, { hash, size });
  const before = replaced === undefined ? null : await storedImage(deps, replaced);
  return before === undefined ? undefined : { kind: "set", path: landed.path, before, after, temp: "" };
}

/** Make a content that was kept together with others available under its own hash. */
async function unpackText(deps: SourceDeps, { pack, offset, size, hash }: RenamedNode): Promise<void> {
  if (pack === undefined || offset === undefined || hash === undefined || deps.blobs.has(hash)) return;
  if (!deps.blobs.has(pack)) return;
  const source = { kind: "packed", pack, offset, size } as const;
  await deps.blobs.put(await readBytes(deps, source), { durable: false });
}

/** What was replaced, made available under its hash; not durably, because its file is kept. A preview has it, too. */
async function storedImage(deps: SourceDeps, { stored, node }: RenameStep): Promise<FileImage | undefined> {
  if (node.type !== "file" || node.size > maxHashedBytes) return undefined;
  const content = await readBytes(deps, { kind: "disk", real: stored });
  return fileImage({}, await deps.blobs.put(content, { durable: false }));
}
