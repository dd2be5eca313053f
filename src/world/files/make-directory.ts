import { mkdirSync } from "node:fs";
import path from "node:path";
import { errnoOf } from "../../contract/errno.js";
import { pathRefused, systemFailure, pathChanged, withPath } from "./file-errors.js";
import { type GuardDeps, statEntry, openExisting, openTarget, type Target } from "./locate.js";
import type { Handle } from "./opener.js";
import { joinName } from "./path-text.js";
import { syncDirectory, syncDirectoryNow } from "./sync-directory.js";

/** Make a directory and its missing parents; `created` is false where it existed already. */
export async function makeDirectory(deps: MakeDirectoryDeps, text: string): Promise<{ created: boolean }> {
  if (isRoot(deps, text)) {
    openExisting(deps, text, { access: "write" }).close();
    return { created: false };
  }
  const target = openTarget(deps, text, { access: "write", make: parentMaker(deps, text) });
  try {
    if (target.stat !== null && !target.stat.isDirectory()) throw systemFailure(text, "EEXIST");
    if (target.stat !== null) return { created: false };
    const created = withPath(text, () => makeLastDirectory(target));
    if (created && deps.sync === true) await syncDirectory(target.directory);
    return { created };
  } finally {
    target.directory.close();
  }
}

/** Whether new names are flushed to the disk. */
interface MakeDirectoryDeps extends GuardDeps {
  readonly sync?: boolean;
}

/** Makes missing parents one by one, each through the descriptor of its parent. */
function parentMaker(deps: MakeDirectoryDeps, text: string): (directory: string, count: number) => void {
  return (directory, count) => withPath(text, () => makeMissingParents(deps, text, { directory, count }));
}

interface MissingParents {
  readonly directory: string;
  /** How many of the last names of `directory` are missing. */
  readonly count: number;
}

function makeMissingParents(
  deps: MakeDirectoryDeps,
  text: string,
  { directory, count }: MissingParents,
): void {
  const names = directory.split(path.sep);
  const missing = names.slice(names.length - count);
  const base = names.slice(0, names.length - count).join(path.sep) || path.sep;
  let current = deps.opener.open(base);
  try {
    if (current.real !== base) throw pathChanged(text);
    for (const name of missing) {
      const child = makeParent(deps, text, { parent: current, name });
      current.close();
      current = child;
    }
  } finally {
    current.close();
  }
}

function makeParent(
  deps: MakeDirectoryDeps,
  text: string,
  { parent, name }: { parent: Handle; name: string },
): Handle {
  const real = joinName(parent.real, name);
  const verdict = deps.rules.judge(real, "write");
  if (!verdict.allowed) throw pathRefused(text, verdict);
  try {
    mkdirSync(parent.at(name));
    if (deps.sync === true) syncDirectoryNow(parent);
  } catch (error) {
    if (errnoOf(error) !== "EEXIST") throw error;
  }
  const child = deps.opener.openChild(parent, name, real);
  if (child.stat.isDirectory()) return child;
  child.close();
  throw pathChanged(text);
}

function makeLastDirectory(target: Target): boolean {
  try {
    mkdirSync(target.directory.at(target.name));
    return true;
  } catch (error) {
    if (errnoOf(error) === "EEXIST" && isDirectoryNow(target)) return false;
    throw error;
  }
}

function isDirectoryNow(target: Target): boolean {
  return statEntry(target.directory, target.name)?.isDirectory() === true;
}

function isRoot(deps: GuardDeps, text: string): boolean {
  const verdict = deps.rules.toAbsolute(text);
  return verdict.allowed && deps.rules.roots.some((root) => root.real === verdict.path);
}
