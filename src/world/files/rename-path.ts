import { linkSync, mkdirSync, renameSync, rmdirSync, unlinkSync } from "node:fs";
import {
  conflict,
  errnoOf,
  notFound,
  refused,
  systemFailure,
  unstable,
  withPath,
  withPathAsync,
} from "./file-errors.js";
import { isSameFile } from "./file-stat.js";
import { lookAt, openSpot, type Spot } from "./locate.js";
import { parentMaker } from "./make-directory.js";
import { judgeTree, openTop } from "./remove-tree.js";
import { renameIfFree } from "./rename-free.js";
import { stageWrite, type WriteDeps } from "./stage-write.js";
import { syncDirectory } from "./sync-directory.js";

export interface RenameOptions {
  /** Replace a file that stands at the target. @default false */
  readonly overwrite?: boolean;
  readonly signal?: AbortSignal;
}

/** What is moved where. */
export interface Move {
  readonly from: string;
  readonly to: string;
  readonly options: RenameOptions;
}

/**
 * Move a file, a link itself or a directory. Without `overwrite` a taken name is never replaced: a
 * file is linked to the new name first (which fails where it is taken), a directory is renamed over
 * an empty one that was just made. (renameat2 would do both in one step; Node does not offer it.)
 */
export async function renamePath(deps: WriteDeps, move: Move): Promise<void> {
  const source = openSpot(deps, move.from, { access: "remove", follow: false });
  try {
    if (source.stat === null) throw notFound(move.from);
    const make = parentMaker(deps, move.to);
    const target = openSpot(deps, move.to, { access: "write", follow: false, make });
    try {
      if (target.real === source.real) return;
      await judgeMove(deps, { source, target, ...move });
      await withPathAsync(move.to, () => performMove(deps, { source, target, ...move }));
      if (deps.sync) await syncDirectory(target.directory);
    } finally {
      target.directory.close();
    }
    if (deps.sync) await syncDirectory(source.directory);
  } finally {
    source.directory.close();
  }
}

interface Work extends Move {
  readonly source: Spot;
  readonly target: Spot;
}

/** What is replaced is removed, and everything in a moved directory gets a new path: all of it is judged. */
async function judgeMove(deps: WriteDeps, { source, target, from, to, options }: Work): Promise<void> {
  const removed = deps.rules.judge(target.real, "remove");
  if (!removed.allowed) throw refused(to, removed);
  if (source.stat?.isDirectory() !== true) return;
  const top = withPath(from, () => openTop(deps, from, source));
  try {
    const judging = { text: from, access: "write" as const, to: target.real, signal: options.signal };
    await withPathAsync(from, () => judgeTree(deps, top, judging));
  } finally {
    top.close();
  }
}

async function performMove(deps: WriteDeps, work: Work): Promise<void> {
  const { source, target, from, to, options } = work;
  if (!source.directory.holds()) throw unstable(from);
  if (!target.directory.holds()) throw unstable(to);
  const present = lookAt(source.directory, source.name);
  if (present === null || source.stat === null || !isSameFile(present, source.stat)) throw unstable(from);
  try {
    if (options.overwrite === true) return replace(work);
    return source.stat.isDirectory() ? moveDirectory(work) : moveFile(work);
  } catch (error) {
    if (errnoOf(error) !== "EXDEV") throw error;
  }
  await moveAcross(deps, work);
}

function replace({ source, target, to }: Work): void {
  if (target.stat !== null && source.stat !== null && isSameFile(target.stat, source.stat)) {
    // Two names of one file: POSIX makes such a rename do nothing at all.
    unlinkSync(source.directory.at(source.name));
    return;
  }
  if (target.stat?.isDirectory() === true && source.stat?.isDirectory() !== true) {
    throw conflict(to, "is a directory and would be replaced by a file");
  }
  renameSync(source.directory.at(source.name), target.directory.at(target.name));
}

function moveDirectory({ source, target }: Work): void {
  const to = target.directory.at(target.name);
  mkdirSync(to);
  try {
    renameSync(source.directory.at(source.name), to);
  } catch (error) {
    removeIfEmpty(to);
    throw error;
  }
}

function moveFile({ source, target }: Work): void {
  const from = source.directory.at(source.name);
  const to = target.directory.at(target.name);
  try {
    linkSync(from, to);
  } catch (error) {
    const code = errnoOf(error);
    if (
      code !== "EPERM" &&
      code !== "ENOTSUP" &&
      code !== "EOPNOTSUPP" &&
      code !== "ENOSYS" &&
      code !== "EMLINK"
    )
      throw error;
    return renameIfFree(from, to);
  }
  unlinkSync(from);
}

/** A rename cannot cross file systems: a file is copied and then deleted, a tree is refused. */
async function moveAcross(deps: WriteDeps, { source, from, to, options }: Work): Promise<void> {
  if (source.stat?.isFile() !== true) throw systemFailure(from, "EXDEV");
  const create = options.overwrite !== true;
  const staged = await stageWrite(deps, to, { source: { copyOf: from }, options: { create } });
  await staged.commit();
  withPath(from, () => unlinkSync(source.directory.at(source.name)));
}

function removeIfEmpty(directory: string): void {
  try {
    rmdirSync(directory);
  } catch {
    // Somebody uses it already; it is theirs now.
  }
}
