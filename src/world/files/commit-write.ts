import { fstatSync, linkSync, renameSync, unlinkSync } from "node:fs";
import type { FileStat, WriteOptions } from "../../contract/ports/files.js";
import { fileConflict, errnoOf, pathChanged, withPath } from "./file-errors.js";
import { identityOf, isSameFile, toFileStat } from "./file-stat.js";
import { statEntry, type Target } from "./locate.js";
import { renameIfFree } from "./rename-free.js";
import { syncDirectory } from "./sync-directory.js";

/** A written temp file that waits for its place. */
export interface StagedFile {
  readonly fd: number;
  readonly name: string;
  readonly target: Target;
  readonly options: WriteOptions;
  readonly text: string;
  readonly sync: boolean;
}

/** Give a staged file its name: one rename, or a link that fails where the name is taken. */
export async function commitStaged(staged: StagedFile): Promise<FileStat> {
  const { target, text, fd } = staged;
  const stat = withPath(text, () => {
    checkUnmoved(staged);
    putInPlace(staged);
    return toFileStat(fstatSync(fd, { bigint: true }));
  });
  if (staged.sync) await syncDirectory(target.directory);
  return stat;
}

/** Between the last look and the rename lie microseconds; without renameat2 there is no way to close them. */
function checkUnmoved({ target, options, text, fd, name }: StagedFile): void {
  if (!target.directory.isInPlace()) throw pathChanged(text);
  const temp = statEntry(target.directory, name);
  if (temp === null || !isSameFile(temp, fstatSync(fd, { bigint: true }))) throw pathChanged(text);
  if (options.ifIdentity === undefined) return;
  const present = statEntry(target.directory, target.name);
  if (present === null || identityOf(present) !== options.ifIdentity) {
    throw fileConflict(text, "has been changed by someone else");
  }
}

function putInPlace({ target, options, name }: StagedFile): void {
  const from = target.directory.at(name);
  const to = target.directory.at(target.name);
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
