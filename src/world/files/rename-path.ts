import { linkSync, mkdirSync, renameSync, rmdirSync, unlinkSync } from "node:fs";
import {
  fileConflict,
  errnoOf,
  fileNotFound,
  pathRefused,
  systemFailure,
  pathChanged,
  withPath,
  withPathAsync,
} from "./file-errors.js";
import { isSameFile } from "./file-stat.js";
import { statEntry, openTarget, type Target } from "./locate.js";
import { parentMaker } from "./make-directory.js";
import { judgeTree, openTargetDirectory } from "./remove-tree.js";
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
  const source = openTarget(deps, move.from, { access: "remove", follow: false });
  try {
    if (source.stat === null) throw fileNotFound(move.from);
    const make = parentMaker(deps, move.to);
    const target = openTarget(deps, move.to, { access: "write", follow: false, make });
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

interface MoveWork extends Move {
  readonly source: Target;
  readonly target: Target;
}

/** What is replaced is removed, and everything in a moved directory gets a new path: all of it is judged. */
async function judgeMove(deps: WriteDeps, { source, target, from, to, options }: MoveWork): Promise<void> {
  const removed = deps.rules.judge(target.real, "remove");
  if (!removed.allowed) throw pathRefused(to, removed);
  if (source.stat?.isDirectory() !== true) return;
  const top = withPath(from, () => openTargetDirectory(deps, from, source));
  try {
    const judging = { text: from, access: "write" as const, to: target.real, signal: options.signal };
    await withPathAsync(from, () => judgeTree(deps, top, judging));
  } finally {
    top.close();
  }
}

async function performMove(deps: WriteDeps, work: MoveWork): Promise<void> {
  const { source, target, from, to, options } = work;
  if (!source.directory.isInPlace()) throw pathChanged(from);
  if (!target.directory.isInPlace()) throw pathChanged(to);
  const present = statEntry(source.directory, source.name);
  if (present === null || source.stat === null || !isSameFile(present, source.stat)) throw pathChanged(from);
  try {
    if (options.overwrite === true) return replaceTarget(work);
    return source.stat.isDirectory() ? moveDirectory(work) : moveFile(work);
  } catch (error) {
    if (errnoOf(error) !== "EXDEV") throw error;
  }
  await copyAcrossDevices(deps, work);
}

function replaceTarget({ source, target, to }: MoveWork): void {
  if (target.stat !== null && source.stat !== null && isSameFile(target.stat, source.stat)) {
    // Two names of one file: POSIX makes such a rename do nothing at all.
    unlinkSync(source.directory.at(source.name));
    return;
  }
  if (target.stat?.isDirectory() === true && source.stat?.isDirectory() !== true) {
    throw fileConflict(to, "is a directory and would be replaced by a file");
  }
  renameSync(source.directory.at(source.name), target.directory.at(target.name));
}

function moveDirectory({ source, target }: MoveWork): void {
  const to = target.directory.at(target.name);
  mkdirSync(to);
  try {
    renameSync(source.directory.at(source.name), to);
  } catch (error) {
    removeIfEmpty(to);
    throw error;
  }
}

function moveFile({ source, target }: MoveWork): void {
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
async function copyAcrossDevices(deps: WriteDeps, { source, from, to, options }: MoveWork): Promise<void> {
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
