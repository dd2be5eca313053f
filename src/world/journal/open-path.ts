import { lstatSync, type BigIntStats } from "node:fs";
import path from "node:path";
import { errnoOf } from "../files/file-errors.js";
import { syncDirectory } from "../files/sync-directory.js";
import type { Handle, Opener } from "../files/opener.js";

/** A name in an open directory, for steps on a real path that was judged before. */
export interface OpenPath {
  readonly real: string;
  /** A path for node:fs that reaches the name in this very directory. */
  readonly at: string;
  readonly directory: Handle;
  /** What stands there now, a link itself included. */
  look(): BigIntStats | null;
  close(): void;
}

/** Open the directory of a real path, which must still be just there. Throws the system's errors. */
export function openPath(opener: Opener, real: string): OpenPath {
  const directory = openDirectory(opener, path.dirname(real));
  const at = directory.at(path.basename(real));
  return { real, at, directory, look: () => lookAt(at), close: () => directory.close() };
}

/** Run a step with a place and close it after. */
export async function withOpenPath<Result>(
  opener: Opener,
  real: string,
  step: (place: OpenPath) => Result | Promise<Result>,
): Promise<Result> {
  const place = openPath(opener, real);
  try {
    return await step(place);
  } finally {
    place.close();
  }
}

/** What stands at a real path; `null` where it, or a directory on the way, is missing or moved. */
export function statReal(opener: Opener, real: string): BigIntStats | null {
  let place: OpenPath;
  try {
    place = openPath(opener, real);
  } catch (error) {
    if (isAbsent(error)) return null;
    throw error;
  }
  try {
    return place.look();
  } finally {
    place.close();
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

/** Flush directories to the disk; one that is gone by now needs none. */
export async function syncDirectories(opener: Opener, directories: Iterable<string>): Promise<void> {
  for (const real of new Set(directories)) {
    let handle: Handle;
    try {
      handle = openDirectory(opener, real);
    } catch (error) {
      if (isAbsent(error)) continue;
      throw error;
    }
    try {
      await syncDirectory(handle);
    } finally {
      handle.close();
    }
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

function lookAt(at: string): BigIntStats | null {
  try {
    return lstatSync(at, { bigint: true });
  } catch (error) {
    if (isAbsent(error)) return null;
    throw error;
  }
}

function isAbsent(error: unknown): boolean {
  const code = errnoOf(error);
  return code === "ENOENT" || code === "ENOTDIR" || code === "ESTALE";
}
