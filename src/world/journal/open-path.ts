import { lstatSync, type BigIntStats } from "node:fs";
import path from "node:path";
import { errnoOf } from "../../contract/errno.js";
import { syncDirectory } from "../files/sync-directory.js";
import type { Handle, Opener } from "../files/opener.js";

/** A name in an open directory, for operations on a real path that was judged before. */
export interface OpenPath {
  readonly real: string;
  /** A path for node:fs that reaches the name in this very directory. */
  readonly at: string | Buffer;
  /** To be closed by the one who opened the path. */
  readonly directory: Handle;
}

/** Open the directory of a real path, which must not have moved. Throws errors of node:fs. */
export function openPath(opener: Opener, real: string): OpenPath {
  const directory = openDirectory(opener, path.dirname(real));
  return { real, at: directory.at(path.basename(real)), directory };
}

/** Open a real path, run a function, and close it. */
export function usingPath<Result>(opener: Opener, real: string, step: (opened: OpenPath) => Result): Result {
  const opened = openPath(opener, real);
  try {
    return step(opened);
  } finally {
    opened.directory.close();
  }
}

/** The same for a function that may be asynchronous. */
export async function withOpenPath<Result>(
  opener: Opener,
  real: string,
  step: (opened: OpenPath) => Result | Promise<Result>,
): Promise<Result> {
  const opened = openPath(opener, real);
  try {
    return await step(opened);
  } finally {
    opened.directory.close();
  }
}

/** Open two real paths, run a function, and close them. Most steps change two names of one directory. */
export async function withOpenPaths<Result>(
  opener: Opener,
  [first, second]: readonly [string, string],
  step: (one: OpenPath, other: OpenPath) => Result | Promise<Result>,
): Promise<Result> {
  const one = openPath(opener, first);
  try {
    if (path.dirname(first) !== path.dirname(second))
      return await withOpenPath(opener, second, (other) => step(one, other));
    const { directory } = one;
    return await step(one, { real: second, at: directory.at(path.basename(second)), directory });
  } finally {
    one.directory.close();
  }
}

/**
 * The stat of a real path; `null` where it, or a directory above it, is missing or was moved.
 *
 * @param check Called with what was found, and a path to it, while its directory is open.
 */
export function statReal(
  opener: Opener,
  real: string,
  check?: (found: BigIntStats, at: OpenPath["at"]) => void,
): BigIntStats | null {
  let opened: OpenPath;
  try {
    opened = openPath(opener, real);
  } catch (error) {
    if (isAbsent(error)) return null;
    throw error;
  }
  try {
    const found = lookAt(opened);
    if (found !== null) check?.(found, opened.at);
    return found;
  } finally {
    opened.directory.close();
  }
}

/** Open a directory by its real path. */
export function openDirectory(opener: Opener, real: string): Handle {
  const handle = opener.open(real);
  if (handle.real === real && handle.stat.isDirectory()) return handle;
  handle.close();
  throw movedOrReplaced(handle.real === real ? "ENOTDIR" : "ESTALE");
}

/** The error for a path that other processes changed, with a code as if the system had reported it. */
export function movedOrReplaced(code: "ENOTDIR" | "ESTALE"): Error {
  return Object.assign(new Error("moved or replaced"), { code });
}

/** So many directories are flushed at the same time: file systems write what they have in common only once. */
const maxSyncs = 16;

/** Flush directories to the disk; those that no longer exist are skipped. */
export async function syncDirectories(opener: Opener, directories: Iterable<string>): Promise<void> {
  const waiting = [...new Set(directories)];
  for (let some = waiting.splice(0, maxSyncs); some.length > 0; some = waiting.splice(0, maxSyncs)) {
    const settled = await Promise.allSettled(some.map((real) => syncIfThere(opener, real)));
    for (const each of settled) if (each.status === "rejected") throw each.reason;
  }
}

async function syncIfThere(opener: Opener, real: string): Promise<void> {
  let handle: Handle;
  try {
    handle = openDirectory(opener, real);
  } catch (error) {
    if (isAbsent(error)) return;
    throw error;
  }
  try {
    await syncDirectory(handle);
  } finally {
    handle.close();
  }
}

/** Device and inode: the same as long as it is only renamed. */
export function inodeOf(stat: BigIntStats): string {
  return `${stat.dev}:${stat.ino}`;
}

/**
 * Equal as long as it is the same file with the same content; a rename or a new link changes nothing. A
 * directory's time moves with every name in it, the journal's own included, so only its inode counts.
 */
export function stampOf(stat: BigIntStats): string {
  return stat.isDirectory() ? inodeOf(stat) : `${inodeOf(stat)}:${stat.mtimeNs}:${stat.size}`;
}

/** What exists at an open path now; links are not followed. */
export function lookAt({ at }: OpenPath): BigIntStats | null {
  try {
    // An error for each new file would take longer than looking.
    return lstatSync(at, { bigint: true, throwIfNoEntry: false }) ?? null;
  } catch (error) {
    if (isAbsent(error)) return null;
    throw error;
  }
}

/** Whether nothing is at a path, or a directory above it is missing or was moved. */
export function isAbsent(error: unknown): boolean {
  const code = errnoOf(error);
  return code === "ENOENT" || code === "ENOTDIR" || code === "ESTALE";
}
