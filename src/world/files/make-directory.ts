import { mkdirSync } from "node:fs";
import path from "node:path";
import { errnoOf, refused, systemFailure, unstable, withPath } from "./file-errors.js";
import { type Deps, lookAt, openExisting, openSpot, type Spot } from "./locate.js";
import type { Handle } from "./opener.js";
import { joinName } from "./path-text.js";
import { syncDirectory, syncDirectoryNow } from "./sync-directory.js";

/** Make a directory and its missing parents; `created` is false where it was there already. */
export async function makeDirectory(
  deps: MakeDeps,
  text: string,
): Promise<{ created: boolean; real: string }> {
  if (isRoot(deps, text)) return { created: false, real: existing(deps, text) };
  const spot = openSpot(deps, text, { access: "write", make: parentMaker(deps, text) });
  try {
    if (spot.stat !== null && !spot.stat.isDirectory()) throw systemFailure(text, "EEXIST");
    if (spot.stat !== null) return { created: false, real: spot.real };
    const created = withPath(text, () => makeOne(spot));
    if (created && deps.sync === true) await syncDirectory(spot.directory);
    return { created, real: spot.real };
  } finally {
    spot.directory.close();
  }
}

/** The deps, and whether new names are flushed to the disk. */
interface MakeDeps extends Deps {
  readonly sync?: boolean;
}

/** Makes missing parents one by one, each through the descriptor of the one above it. */
export function parentMaker(deps: MakeDeps, text: string): (directory: string, count: number) => void {
  return (directory, count) => withPath(text, () => makeLevels(deps, text, { directory, count }));
}

interface Levels {
  readonly directory: string;
  /** How many of the last names of `directory` are missing. */
  readonly count: number;
}

function makeLevels(deps: MakeDeps, text: string, { directory, count }: Levels): void {
  const names = directory.split(path.sep);
  const missing = names.slice(names.length - count);
  const base = names.slice(0, names.length - count).join(path.sep) || path.sep;
  let current = deps.opener.open(base);
  try {
    if (current.real !== base) throw unstable(text);
    for (const name of missing) {
      const child = makeLevel(deps, text, { parent: current, name });
      current.close();
      current = child;
    }
  } finally {
    current.close();
  }
}

function makeLevel(deps: MakeDeps, text: string, { parent, name }: { parent: Handle; name: string }): Handle {
  const real = joinName(parent.real, name);
  const verdict = deps.rules.judge(real, "write");
  if (!verdict.allowed) throw refused(text, verdict);
  try {
    mkdirSync(parent.at(name));
    if (deps.sync === true) syncDirectoryNow(parent);
  } catch (error) {
    if (errnoOf(error) !== "EEXIST") throw error;
  }
  const child = deps.opener.openChild(parent, name, real);
  if (child.stat.isDirectory()) return child;
  child.close();
  throw unstable(text);
}

function makeOne(spot: Spot): boolean {
  try {
    mkdirSync(spot.directory.at(spot.name));
    return true;
  } catch (error) {
    if (errnoOf(error) === "EEXIST" && isDirectoryNow(spot)) return false;
    throw error;
  }
}

function isDirectoryNow(spot: Spot): boolean {
  return lookAt(spot.directory, spot.name)?.isDirectory() === true;
}

function isRoot(deps: Deps, text: string): boolean {
  const verdict = deps.rules.place(text);
  return verdict.allowed && deps.rules.roots.some((root) => root.real === verdict.path);
}

function existing(deps: Deps, text: string): string {
  const handle = openExisting(deps, text, { access: "write" });
  handle.close();
  return handle.real;
}
