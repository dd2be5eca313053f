import { chmodSync, renameSync, unlinkSync } from "node:fs";
import path from "node:path";
import type { ModeStep, RenameStep } from "../../contract/ports/journal.js";
import { isSameFile } from "../files/file-stat.js";
import type { Opener } from "../files/opener.js";
import { fileConflict } from "../files/file-errors.js";
import { linkOrElse, linkOrRename } from "./rename-new.js";
import {
  inodeOf,
  movedOrReplaced,
  openDirectory,
  stampOf,
  statReal,
  lookAt,
  usingPath,
  withOpenPath,
  type OpenPath,
} from "./open-path.js";
import { makeFolder } from "../../contract/make-folder.js";

/** Where a rename step takes something from and to. */
export function endsOf({ path: own, stored, into }: Pick<RenameStep, "path" | "stored" | "into">): {
  from: string;
  to: string;
} {
  return into === "workspace" ? { from: stored, to: own } : { from: own, to: stored };
}

/** Rename; a name that was taken meanwhile is not replaced, except for an empty directory. */
export async function applyRename(opener: Opener, step: RenameStep, onLinked: () => void): Promise<void> {
  const { from, to } = endsOf(step);
  // Names in the store are new, and nobody else creates any there.
  const isFree = step.into === "store" || step.node.type !== "file";
  await withOpenPath(opener, from, (source) =>
    withOpenPath(opener, to, (target) =>
      withOwnerWrite(step.into === "workspace" ? source : undefined, () =>
        isFree ? renameNode(opener, step, [source, target]) : linkOrRename(source.at, target.at, onLinked),
      ),
    ),
  );
}

/** Commands also leave files in directories that their owner may not change; those of the layer are opened meanwhile. */
function withOwnerWrite(own: OpenPath | undefined, act: () => void): void {
  const mode = Number(own?.directory.stat.mode ?? 0o200n) & 0o7777;
  if (own === undefined || (mode & 0o200) !== 0 || process.getuid?.() === 0) return act();
  chmodSync(own.directory.self, mode | 0o200);
  try {
    act();
  } finally {
    chmodSync(own.directory.self, mode);
  }
}

/** A directory goes to another one only if its owner may change it. */
function renameNode(
  opener: Opener,
  { node: { mode }, inode }: RenameStep,
  [source, target]: readonly [OpenPath, OpenPath],
): void {
  if (mode === undefined || process.getuid?.() === 0) return renameSync(source.at, target.at);
  const handle = opener.openChild(source.directory, path.basename(source.real), source.real);
  try {
    if (inodeOf(handle.stat) !== inode) throw movedOrReplaced("ESTALE");
    chmodSync(handle.self, mode | 0o200);
    renameSync(source.at, target.at);
    chmodSync(handle.self, mode);
  } finally {
    handle.close();
  }
}

/** Two steps that replace a file: the first puts it into the store, the second puts another one in its place. */
export interface Replacement {
  readonly away: RenameStep;
  readonly landing: RenameStep;
  /** The stamp of the file that is replaced. */
  readonly stamp: string;
  /** The path to name in errors. */
  readonly text: string;
}

/**
 * Replace a file at once, so that no reader misses it: it is linked into the store, and the new one is renamed over it.
 * What was linked is looked at afterwards, so that it is certain which file that was.
 */
export function applyReplacement(
  opener: Opener,
  { away, landing, stamp, text }: Replacement,
  onLinked: () => void,
): void {
  usingPath(opener, away.path, (target) =>
    usingPath(opener, away.stored, (slot) =>
      usingPath(opener, landing.stored, (source) => {
        const isLinked = linkOrElse(target.at, slot.at, renameSync);
        onLinked();
        const found = lookAt(slot);
        if (found === null || stampOf(found) !== stamp) {
          if (isLinked) unlinkSync(slot.at);
          else linkOrRename(slot.at, target.at, onLinked);
          throw fileConflict(text, "has been changed by someone else");
        }
        withOwnerWrite(source, () =>
          isLinked ? renameSync(source.at, target.at) : linkOrRename(source.at, target.at, onLinked),
        );
      }),
    ),
  );
}

/** Take a rename back if it was made; what is renamed is recognized by its inode. */
export async function rollBackRename(opener: Opener, step: RenameStep): Promise<string | undefined> {
  const { from, to } = endsOf(step);
  const [origin, present] = [statReal(opener, from), statReal(opener, to)];
  const isThere = present !== null && inodeOf(present) === step.inode;
  if (!isThere) {
    if (origin !== null) restoreMode(opener, from, step);
    return origin === null ? `${step.path} was changed by someone else` : undefined;
  }
  if (origin !== null) {
    if (!isSameFile(origin, present)) return `${from} was taken by something else`;
    await withOpenPath(opener, to, (target) => unlinkSync(target.at));
    return undefined;
  }
  // The layer of the command may have been removed since.
  if (step.into === "workspace") makeFolder(path.dirname(from), 0o700);
  await withOpenPath(opener, to, (source) =>
    withOpenPath(opener, from, (target) =>
      withOwnerWrite(step.into === "workspace" ? target : undefined, () =>
        renameNode(opener, step, [source, target]),
      ),
    ),
  );
  return undefined;
}

/** The process may have been killed while it renamed a directory that its owner may not change. */
function restoreMode(opener: Opener, real: string, { node: { mode }, inode }: RenameStep): void {
  const stat = mode === undefined ? null : statReal(opener, real);
  if (mode === undefined || stat === null || inodeOf(stat) !== inode) return;
  if ((Number(stat.mode) & 0o7777) === (mode | 0o200)) setMode(opener, real, mode);
}

/** Set the permissions of a directory. */
export function applyMode(opener: Opener, { path: real, after }: ModeStep): void {
  setMode(opener, real, after);
}

/** Restore the permissions of a directory, unless somebody else has set others. */
export function rollBackMode(opener: Opener, { path: real, before, after }: ModeStep): undefined {
  const stat = statReal(opener, real);
  if (stat?.isDirectory() === true && (Number(stat.mode) & 0o7777) === after) setMode(opener, real, before);
  return undefined;
}

function setMode(opener: Opener, real: string, mode: number): void {
  const handle = openDirectory(opener, real);
  try {
    chmodSync(handle.self, mode);
  } finally {
    handle.close();
  }
}
