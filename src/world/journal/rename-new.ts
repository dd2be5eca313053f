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

/** Descriptors of large files that were replaced. */
export type HeldFiles = number[];

const maxHeld = 32;

/**
 * Replace a large file and hold the one that was there: the system frees the blocks of a file when nobody refers to it any
 * more, which takes a while, and a flush of the directory that begins meanwhile waits for it.
 */
export function replaceAndHold(from: PathLike, to: PathLike, held: HeldFiles): void {
  if (held.length >= maxHeld) letGo(held.splice(0, 1));
  held.push(openSync(to, OPEN_FLAGS));
  renameSync(from, to);
}

/** On another thread. */
export function letGo(held: HeldFiles): void {
  for (const fd of held) close(fd, () => {});
}

const noLinks = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"]);
