import { rmdirSync, unlinkSync } from "node:fs";
import { errnoOf } from "../../contract/errno.js";
import { fileConflict, fileNotFound, pathRefused, pathChanged, withPathAsync } from "./file-errors.js";
import { isSameFile } from "./file-stat.js";
import { type GuardDeps, statEntry, openTarget, type Target } from "./locate.js";
import type { Handle } from "./opener.js";
import { joinName } from "./path-text.js";
import { syncDirectory } from "./sync-directory.js";
import { walkTree } from "./walk-tree.js";

/**
 * Delete a directory and everything below it, or a file. Everything is judged before anything is deleted, and
 * again on deletion: if anything below is forbidden, protected or a mount, nothing is deleted.
 */
export async function removeTree(deps: GuardDeps, text: string, sync: boolean): Promise<void> {
  const target = openTarget(deps, text, { access: "remove", follow: false });
  try {
    if (target.stat === null) throw fileNotFound(text);
    await withPathAsync(text, () => removeTarget(deps, text, target));
    if (sync) await syncDirectory(target.directory);
  } finally {
    target.directory.close();
  }
}

/** Refuse where anything below a directory may not be written, at its own path or at the one it would have below `to`. */
export async function judgeTree(
  deps: GuardDeps,
  top: Handle,
  { text, to }: { readonly text: string; readonly to?: string },
): Promise<void> {
  for await (const { kind, directory, real } of walkTree(top, { opener: deps.opener, text })) {
    if (kind === "leave") continue;
    if (directory.stat.dev !== top.stat.dev) throw fileConflict(text, "contains a mounted file system");
    requireWritable(deps, text, real);
    if (to !== undefined) requireWritable(deps, text, to + real.slice(top.real.length));
  }
}

async function removeTarget(deps: GuardDeps, text: string, target: Target): Promise<void> {
  if (target.stat === null || !target.stat.isDirectory()) return unlinkSync(target.directory.at(target.name));
  const top = openTargetDirectory(deps, text, target);
  try {
    await judgeTree(deps, top, { text });
    await deleteInside(deps, top, text);
    const present = statEntry(target.directory, target.name);
    if (present === null || !isSameFile(present, top.stat)) throw pathChanged(text);
    rmdirSync(target.directory.at(target.name));
  } finally {
    top.close();
  }
}

/** Open the directory of a target, which must still be the one that was judged. */
function openTargetDirectory(deps: GuardDeps, text: string, target: Target): Handle {
  const top = deps.opener.openChild(
    target.directory,
    target.name,
    joinName(target.directory.real, target.name),
  );
  if (top.stat.isDirectory() && top.isInPlace()) return top;
  top.close();
  throw pathChanged(text);
}

async function deleteInside(deps: GuardDeps, top: Handle, text: string): Promise<void> {
  for await (const { kind, directory, name, real } of walkTree(top, { opener: deps.opener, text })) {
    if (kind === "enter") continue;
    requireWritable(deps, text, real);
    const remove = kind === "leaf" ? unlinkSync : rmdirSync;
    ignoreMissing(() => remove(directory.at(name)));
  }
}

function requireWritable(deps: GuardDeps, text: string, real: string): void {
  const verdict = deps.rules.judge(real, "write");
  if (verdict.allowed) return;
  throw pathRefused(text, { ...verdict, reason: `contains something that ${verdict.reason}` });
}

function ignoreMissing(step: () => void): void {
  try {
    step();
  } catch (error) {
    if (errnoOf(error) !== "ENOENT") throw error;
  }
}
