import { fstatSync, linkSync, renameSync, unlinkSync } from "node:fs";
import type { FileStat, WriteOptions } from "../../contract/ports/files.js";
import { conflict, errnoOf, unstable, withPath } from "./file-errors.js";
import { identityOf, isSameFile, toFileStat } from "./file-stat.js";
import { lookAt, type Spot } from "./locate.js";
import { renameIfFree } from "./rename-free.js";
import { syncDirectory } from "./sync-directory.js";

/** A written temp file that waits for its place. */
export interface Staged {
  readonly fd: number;
  readonly name: string;
  readonly spot: Spot;
  readonly options: WriteOptions;
  readonly text: string;
  readonly sync: boolean;
}

/** Give a staged file its name: one rename, or a link that fails where the name is taken. */
export async function commitStaged(staged: Staged): Promise<FileStat> {
  const { spot, text, fd } = staged;
  const stat = withPath(text, () => {
    checkUnmoved(staged);
    putInPlace(staged);
    return toFileStat(fstatSync(fd, { bigint: true }));
  });
  if (staged.sync) await syncDirectory(spot.directory);
  return stat;
}

/** Between the last look and the rename lie microseconds; without renameat2 there is no way to close them. */
function checkUnmoved({ spot, options, text, fd, name }: Staged): void {
  if (!spot.directory.holds()) throw unstable(text);
  const temp = lookAt(spot.directory, name);
  if (temp === null || !isSameFile(temp, fstatSync(fd, { bigint: true }))) throw unstable(text);
  if (options.ifIdentity === undefined) return;
  const present = lookAt(spot.directory, spot.name);
  if (present === null || identityOf(present) !== options.ifIdentity) {
    throw conflict(text, "has been changed by someone else");
  }
}

function putInPlace({ spot, options, name }: Staged): void {
  const from = spot.directory.at(name);
  const to = spot.directory.at(spot.name);
  if (options.create !== true) return renameSync(from, to);
  try {
    linkSync(from, to);
  } catch (error) {
    if (errnoOf(error) === "EEXIST") throw error;
    // A file system without hard links.
    return renameIfFree(from, to);
  }
  unlinkSync(from);
}
