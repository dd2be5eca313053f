import type { BigIntStats } from "node:fs";
import { setImmediate as nextTurn } from "node:timers/promises";
import { ignoring } from "../../contract/errno.js";
import { fileConflict, throwIfAborted } from "./file-errors.js";
import { isSameFile } from "./file-stat.js";
import { type RawEntry, readEntries } from "./list-directory.js";
import type { Handle, Opener } from "./opener.js";
import { joinName, showName } from "./path-text.js";

/** One step of a walk. Handles are open until the next step. */
export interface TreeStep {
  /** `leaf`: anything but a directory (links are not followed); `enter` and `leave`: before and after the entries of a directory. */
  readonly kind: "leaf" | "enter" | "leave";
  /** The directory that contains the entry; of `enter`: the entry itself. */
  readonly directory: Handle;
  readonly name: Buffer;
  /** The path as text, for judging. */
  readonly real: string;
  /** The path from the top, its names joined by slashes. */
  readonly relative: Buffer;
}

export interface TreeWalkOptions {
  readonly opener: Opener;
  /** The path to name in errors. */
  readonly text: string;
  readonly signal?: AbortSignal | undefined;
}

/** After this many entries other work on the event loop gets a turn. */
const STEPS_AT_ONCE = 256;

/**
 * Walk everything below an open directory, depth first and in the order of names. However deep the tree, only one
 * descriptor besides the top is open at a time. The way up goes through `..` and must arrive at the inode it came
 * from, so a directory that is moved meanwhile ends the walk instead of misleading it.
 */
export async function* walkTree(
  top: Handle,
  { opener, text, signal }: TreeWalkOptions,
): AsyncGenerator<TreeStep> {
  const levels = [await openLevel(top, { name: Buffer.alloc(0), real: top.real, relative: Buffer.alloc(0) })];
  let current = top;
  let steps = 0;
  try {
    for (let level = levels.at(-1); level !== undefined; level = levels.at(-1)) {
      throwIfAborted(signal);
      steps += 1;
      if (steps % STEPS_AT_ONCE === 0) await nextTurn();
      const entry = level.entries.pop();
      if (entry === undefined) {
        levels.pop();
        const above = levels.at(-1);
        if (above === undefined) return;
        current = openParentOf(current, { top, above, opener, text });
        const { name, real, relative } = level;
        yield { kind: "leave", directory: current, name, real, relative };
        continue;
      }
      const { name } = entry;
      const real = joinName(level.real, showName(name));
      const relative = level.relative.length === 0 ? name : Buffer.concat([level.relative, slash, name]);
      const child = entry.type === "directory" ? openDirectory(opener, current, { name, real }) : undefined;
      if (child === undefined) {
        yield { kind: "leaf", directory: current, name, real, relative };
        continue;
      }
      if (current !== top) current.close();
      current = child;
      yield { kind: "enter", directory: child, name, real, relative };
      levels.push(await openLevel(child, { name, real, relative }));
    }
  } finally {
    if (current !== top) current.close();
  }
}

const slash = Buffer.from("/");

interface Level {
  readonly name: Buffer;
  readonly real: string;
  readonly relative: Buffer;
  readonly stat: BigIntStats;
  /** The next one last. */
  readonly entries: RawEntry[];
}

async function openLevel(
  handle: Handle,
  at: { name: Buffer; real: string; relative: Buffer },
): Promise<Level> {
  const entries = await readEntries(handle);
  return { ...at, stat: handle.stat, entries: entries.sort((one, other) => other.name.compare(one.name)) };
}

/** `undefined` where it is no longer a directory: a link that took its place is a leaf. */
function openDirectory(
  opener: Opener,
  parent: Handle,
  { name, real }: { name: Buffer; real: string },
): Handle | undefined {
  const child = ignoring("ENOENT", () => opener.openChild(parent, name, real));
  if (child === undefined) return undefined;
  if (child.stat.isDirectory()) return child;
  child.close();
  return undefined;
}

interface ParentSearch {
  readonly top: Handle;
  readonly above: Level;
  readonly opener: Opener;
  readonly text: string;
}

function openParentOf(current: Handle, { top, above, opener, text }: ParentSearch): Handle {
  if (isSameFile(above.stat, top.stat)) {
    current.close();
    return top;
  }
  const parent = opener.openChild(current, "..", above.real);
  if (!isSameFile(parent.stat, above.stat)) {
    parent.close();
    throw fileConflict(text, "was moved by another process meanwhile");
  }
  current.close();
  return parent;
}
