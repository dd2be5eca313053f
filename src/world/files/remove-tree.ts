import { rmdirSync, unlinkSync } from "node:fs";
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
import { type GuardDeps, statEntry, openTarget, type Target } from "./locate.js";
import type { Handle } from "./opener.js";
import type { PathAccess } from "./path-verdict.js";
import { joinName } from "./path-text.js";
import { syncDirectory } from "./sync-directory.js";
import { walkTree } from "./walk-tree.js";

export interface RemoveOptions {
  readonly sync: boolean;
  readonly signal?: AbortSignal | undefined;
  /** Refuse where what stands there no longer has this identity. */
  readonly check?: (target: Target) => void;
}

/** Delete a file, or a link itself. A directory is refused. */
export async function unlinkPath(deps: GuardDeps, text: string, options: RemoveOptions): Promise<void> {
  const target = openTarget(deps, text, { access: "remove", follow: false });
  try {
    if (target.stat === null) throw fileNotFound(text);
    if (target.stat.isDirectory()) throw systemFailure(text, "EISDIR");
    options.check?.(target);
    withPath(text, () => {
      if (!target.directory.isInPlace()) throw pathChanged(text);
      unlinkSync(target.directory.at(target.name));
    });
    if (options.sync) await syncDirectory(target.directory);
  } finally {
    target.directory.close();
  }
}

/**
 * Delete a directory with all below it, or a file. Everything is judged before anything is deleted,
 * and once more as it is: what is forbidden, protected or mounted below keeps the whole tree.
 */
export async function removeTree(deps: GuardDeps, text: string, options: RemoveOptions): Promise<void> {
  const target = openTarget(deps, text, { access: "remove", follow: false });
  try {
    if (target.stat === null) throw fileNotFound(text);
    options.check?.(target);
    await withPathAsync(text, () => removeTarget(deps, text, { target, options }));
    if (options.sync) await syncDirectory(target.directory);
  } finally {
    target.directory.close();
  }
}

/** Judge everything below a directory for an access, with the path each would have at `to` if given. */
export async function judgeTree(
  deps: GuardDeps,
  top: Handle,
  {
    text,
    access,
    to,
    signal,
  }: { text: string; access: PathAccess; to?: string; signal?: AbortSignal | undefined },
): Promise<void> {
  const judge = (real: string): void => {
    judgeInside(deps, text, { real, access });
    if (to !== undefined)
      judgeInside(deps, text, { real: to + real.slice(top.real.length), access: "write" });
  };
  const visitor = {
    leaf: (directory: Handle, name: Buffer, real: string) => judge(real),
    enter: (directory: Handle, real: string) => {
      if (directory.stat.dev !== top.stat.dev) throw fileConflict(text, "holds a mounted file system");
      if (directory !== top) judge(real);
    },
  };
  await walkTree(top, { opener: deps.opener, visitor, text, signal });
}

async function removeTarget(
  deps: GuardDeps,
  text: string,
  { target, options }: { target: Target; options: RemoveOptions },
): Promise<void> {
  if (target.stat === null || !target.stat.isDirectory()) return unlinkSync(target.directory.at(target.name));
  const top = openTargetDirectory(deps, text, target);
  const signal = options.signal;
  try {
    await judgeTree(deps, top, { text, access: "write", signal });
    await walkTree(top, { opener: deps.opener, visitor: deleteVisitor(deps, text), text, signal });
    const present = statEntry(target.directory, target.name);
    if (present === null || !isSameFile(present, top.stat)) throw pathChanged(text);
    rmdirSync(target.directory.at(target.name));
  } finally {
    top.close();
  }
}

/** Open the directory of a target, which must still be the one that was judged. */
export function openTargetDirectory(deps: GuardDeps, text: string, target: Target): Handle {
  const top = deps.opener.openChild(
    target.directory,
    target.name,
    joinName(target.directory.real, target.name),
  );
  if (top.stat.isDirectory() && top.isInPlace()) return top;
  top.close();
  throw pathChanged(text);
}

function deleteVisitor(deps: GuardDeps, text: string) {
  return {
    leaf(directory: Handle, name: Buffer, real: string): void {
      judgeInside(deps, text, { real, access: "write" });
      ignoreMissing(() => unlinkSync(directory.at(name)));
    },
    leave(parent: Handle, name: Buffer, real: string): void {
      judgeInside(deps, text, { real, access: "write" });
      ignoreMissing(() => rmdirSync(parent.at(name)));
    },
  };
}

function judgeInside(
  deps: GuardDeps,
  text: string,
  { real, access }: { real: string; access: PathAccess },
): void {
  const verdict = deps.rules.judge(real, access);
  if (verdict.allowed) return;
  throw pathRefused(text, { ...verdict, reason: `holds something that ${verdict.reason}` });
}

function ignoreMissing(step: () => void): void {
  try {
    step();
  } catch (error) {
    if (errnoOf(error) !== "ENOENT") throw error;
  }
}
