import { mkdirSync } from "node:fs";
import path from "node:path";
import { errnoOf, refused, systemFailure, unstable, withPath } from "./file-errors.js";
import { type Ground, lookAt, openExisting, openSpot, type Spot } from "./locate.js";
import type { Handle } from "./opener.js";
import { joinName } from "./path-text.js";
import { syncDirectory, syncDirectoryNow } from "./sync-directory.js";

/** Make a directory and its missing parents; `created` is false where it was there already. */
export async function makeDirectory(
  ground: MakeGround,
  text: string,
): Promise<{ created: boolean; real: string }> {
  if (isRoot(ground, text)) return { created: false, real: existing(ground, text) };
  const spot = openSpot(ground, text, { access: "write", make: parentMaker(ground, text) });
  try {
    if (spot.stat !== null && !spot.stat.isDirectory()) throw systemFailure(text, "EEXIST");
    if (spot.stat !== null) return { created: false, real: spot.real };
    const created = withPath(text, () => makeOne(spot));
    if (created && ground.sync === true) await syncDirectory(spot.directory);
    return { created, real: spot.real };
  } finally {
    spot.directory.close();
  }
}

/** The ground, and whether new names are flushed to the disk. */
interface MakeGround extends Ground {
  readonly sync?: boolean;
}

/** Makes missing parents one by one, each through the descriptor of the one above it. */
export function parentMaker(ground: MakeGround, text: string): (directory: string, count: number) => void {
  return (directory, count) => withPath(text, () => makeLevels(ground, text, { directory, count }));
}

interface Levels {
  readonly directory: string;
  /** How many of the last names of `directory` are missing. */
  readonly count: number;
}

function makeLevels(ground: MakeGround, text: string, { directory, count }: Levels): void {
  const names = directory.split(path.sep);
  const missing = names.slice(names.length - count);
  const base = names.slice(0, names.length - count).join(path.sep) || path.sep;
  let current = ground.opener.open(base);
  try {
    if (current.real !== base) throw unstable(text);
    for (const name of missing) {
      const child = makeLevel(ground, text, { parent: current, name });
      current.close();
      current = child;
    }
  } finally {
    current.close();
  }
}

function makeLevel(
  ground: MakeGround,
  text: string,
  { parent, name }: { parent: Handle; name: string },
): Handle {
  const real = joinName(parent.real, name);
  const verdict = ground.rules.judge(real, "write");
  if (!verdict.allowed) throw refused(text, verdict);
  try {
    mkdirSync(parent.at(name));
    if (ground.sync === true) syncDirectoryNow(parent);
  } catch (error) {
    if (errnoOf(error) !== "EEXIST") throw error;
  }
  const child = ground.opener.openChild(parent, name, real);
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

function isRoot(ground: Ground, text: string): boolean {
  const verdict = ground.rules.place(text);
  return verdict.allowed && ground.rules.roots.some((root) => root.real === verdict.path);
}

function existing(ground: Ground, text: string): string {
  const handle = openExisting(ground, text, { access: "write" });
  handle.close();
  return handle.real;
}
