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

/** Large files that were replaced. */
export interface ReplacedFiles {
  /** Replace a file, and hold the one that was there. */
  replace(from: PathLike, to: PathLike): void;
  /** Let go of all, on another thread. */
  release(): void;
}

const maxHeld = 32;

/**
 * Hold large files that are replaced, on Linux: the system frees the blocks of a file when nobody refers to it any more,
 * which takes a while, and a flush of the directory that begins meanwhile waits for it.
 */
export function holdReplaced(): ReplacedFiles {
  const held: number[] = [];
  const letGo = (files: readonly number[]): void => files.forEach((fd) => close(fd, () => {}));
  return {
    replace(from, to) {
      if (held.length >= maxHeld) letGo(held.splice(0, 1));
      held.push(openSync(to, OPEN_FLAGS));
      renameSync(from, to);
    },
    release: () => letGo(held.splice(0)),
  };
}

const noLinks = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"]);
