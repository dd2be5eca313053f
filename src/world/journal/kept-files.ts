import { randomBytes } from "node:crypto";
import { lstatSync, readdirSync, renameSync } from "node:fs";
import { chmod, lstat, opendir, rm } from "node:fs/promises";
import path from "node:path";
import { ignoring, errnoOf } from "../../contract/errno.js";
import type { BlobRef } from "../../contract/ports/blobs.js";
import type { JournalStore } from "../../contract/ports/journal.js";
import { isWithin, joinName } from "../files/path-text.js";
import { makeFolder } from "../../contract/make-folder.js";
import { toSystemPath } from "../files/raw-path.js";
import { removeTree as removeByProgram } from "../sandbox/layer/remove-tree.js";

/**
 * Files and directories that commands replaced or removed, moved here by a rename, each under a name of its own. What
 * can be created again, such as installed packages, has its own limit, so that it does not push out anything else.
 */
export interface KeptFiles {
  /** A new absolute path for a file or directory. */
  newSlot(kind?: "own" | "bulk"): string;
  /** Whether a path is a slot here. */
  isSlot(real: string): boolean;
  /** Whether what is in the slot can be dropped before anything else. */
  isBulk(real: string): boolean;
  exists(slot: string): boolean;
  /** How the store refers to a slot, so that it is kept as long as the change. */
  refOf(slot: string, size: number): BlobRef;
  /** Whether a rename from this directory works. */
  accepts(directory: string): boolean;
  /** Remove slots that no change refers to; returns how many. */
  sweep(store: Pick<JournalStore, "unreferenced">): Promise<number>;
  /** Remove the oldest contents that exceed the limit for what can be created again. */
  limitBulk(): Promise<void>;
}

export interface KeptFilesOptions {
  readonly dir: string;
  readonly maxBulkBytes: number;
  readonly now: () => number;
}

const prefix = "kept:";
const bulkName = "bulk";

/** Open the store; its directory is created when something is first put there. */
export function createKeptFiles({ dir, maxBulkBytes, now }: KeptFilesOptions): KeptFiles {
  const bulkDir = path.join(dir, bulkName);
  const accepted = new Map<string, boolean>();
  const sizes = new Map<string, number>();
  let count = 0;
  let isMade = false;
  const run = `${now().toString(36).padStart(9, "0")}-${randomBytes(6).toString("hex")}`;
  const isBulk = (slot: string): boolean => isWithin(slot, bulkDir);
  return {
    newSlot(kind = "own") {
      if (!isMade) makeFolder(bulkDir, 0o700);
      isMade = true;
      count += 1;
      return joinName(kind === "bulk" ? bulkDir : dir, `${run}-${count.toString(36).padStart(6, "0")}`);
    },
    isSlot: (real) => isWithin(real, dir),
    isBulk,
    exists: (slot) => lstatSync(slot, { throwIfNoEntry: false }) !== undefined,
    // What is dropped before anything else does not count for the limit of the rest.
    refOf: (slot, size) => ({ hash: prefix + slot.slice(dir.length + 1), size: isBulk(slot) ? 0 : size }),
    accepts(directory) {
      makeFolder(bulkDir, 0o700);
      const known = accepted.get(directory);
      if (known !== undefined) return known;
      const works = canRename(directory, dir);
      accepted.set(directory, works);
      return works;
    },
    async sweep(store) {
      const slots = [
        ...namesIn(dir).filter((name) => name !== bulkName),
        ...namesIn(bulkDir).map((name) => `${bulkName}/${name}`),
      ];
      const free = await store.unreferenced(slots.map((slot) => prefix + slot));
      for (const ref of free) await removeTree(path.join(dir, ref.slice(prefix.length)));
      return free.length;
    },
    async limitBulk() {
      let total = 0;
      // The names begin with the time: the newest come first.
      for (const name of namesIn(bulkDir).toSorted().toReversed()) {
        const slot = path.join(bulkDir, name);
        const size = sizes.get(name) ?? (await diskUsage(slot));
        sizes.set(name, size);
        total += size;
        if (total > maxBulkBytes) await removeTree(slot);
      }
    },
  };
}

/**
 * A rename can fail between two mounts of one disk, so it is tried, with a name that does not exist: the system compares
 * the mounts first, and nothing is left in the workspace if the process is killed.
 */
function canRename(from: string, to: string): boolean {
  if (lstatSync(from).dev !== lstatSync(to).dev) return false;
  const name = `.tenon-${randomBytes(8).toString("hex")}.tmp`;
  try {
    renameSync(path.join(from, name), path.join(to, name));
  } catch (error) {
    if (errnoOf(error) === "EXDEV") return false;
    if (errnoOf(error) !== "ENOENT") throw error;
  }
  return true;
}

function namesIn(dir: string): string[] {
  return ignoring("ENOENT", () => readdirSync(dir)) ?? [];
}

const blockBytes = 512;

/** The disk space of a file or tree, in bytes. */
export async function diskUsage(top: string): Promise<number> {
  const stat = await lstat(toSystemPath(top));
  let bytes = stat.blocks * blockBytes;
  if (!stat.isDirectory()) return bytes;
  for (const folders = [top]; folders.length > 0;) {
    const folder = folders.pop() ?? "";
    for await (const entry of await opendir(toSystemPath(folder)).catch(emptyListing)) {
      const at = path.join(folder, entry.name);
      if (entry.isDirectory()) folders.push(at);
      else bytes += ((await lstat(at).catch(() => undefined))?.blocks ?? 0) * blockBytes;
    }
  }
  return bytes;
}

/** A directory that its owner may not read is counted as empty. */
function emptyListing(): [] {
  return [];
}

/** Remove a tree whose directories may forbid it. */
async function removeTree(top: string): Promise<void> {
  try {
    await rm(top, { recursive: true, force: true });
  } catch (error) {
    if (errnoOf(error) === "ENAMETOOLONG") return removeByProgram(top);
    if (errnoOf(error) !== "EACCES" && errnoOf(error) !== "EPERM") throw error;
    await makeWritable(top);
    await rm(top, { recursive: true, force: true });
  }
}

async function makeWritable(top: string): Promise<void> {
  for (const folders = [top]; folders.length > 0;) {
    const folder = folders.pop() ?? "";
    await chmod(folder, 0o700);
    for await (const entry of await opendir(folder)) {
      if (entry.isDirectory()) folders.push(path.join(folder, entry.name));
    }
  }
}
