import { close, linkSync, openSync, renameSync, unlinkSync, type PathLike } from "node:fs";
import { errnoOf } from "../../contract/errno.js";
import { OPEN_FLAGS } from "../files/linux-opener.js";

/** Rename a file without replacing another one: link the new name, then unlink the old one. */
export function linkOrRename(from: PathLike, to: PathLike, onLinked: () => void): void {
  if (!linkOrElse(from, to, renameSync)) return;
  onLinked();
  unlinkSync(from);
}

/** Without hard links, or with too many, only the check before the step prevents a replacement. */
export function linkOrElse(
  from: PathLike,
  to: PathLike,
  otherwise: (from: PathLike, to: PathLike) => void,
): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (!noLinks.has(errnoOf(error) ?? "")) throw error;
    otherwise(from, to);
    return false;
  }
}

/**
 * Replace a large file, on Linux: the system frees its blocks when nobody refers to it any more, which takes a while. So
 * it is referred to until after the rename, and given up on another thread.
 */
export function replaceLarge(from: PathLike, to: PathLike): void {
  const replaced = openSync(to, OPEN_FLAGS);
  try {
    renameSync(from, to);
  } finally {
    close(replaced, () => {});
  }
}

const noLinks = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"]);
