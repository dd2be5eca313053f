import type { BigIntStats } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { fileConflict, errnoOf, throwIfAborted } from "./file-errors.js";
import { isSameFile } from "./file-stat.js";
import { type RawEntry, readEntries } from "./list-directory.js";
import type { Handle, Opener } from "./opener.js";
import { joinName, showName } from "./path-text.js";

/** What is done at each step of a walk. `real` is the path as text, for judging. */
export interface TreeVisitor {
  /** Anything but a directory: a file, a link (never followed), a FIFO. */
  leaf?(directory: Handle, name: Buffer, real: string): void;
  /** Before a directory's entries. */
  enter?(directory: Handle, real: string): void;
  /** After a directory's entries, seen from the one above. */
  leave?(parent: Handle, name: Buffer, real: string): void;
}

export interface TreeWalk {
  readonly opener: Opener;
  readonly visitor: TreeVisitor;
  /** The path to name in errors. */
  readonly text: string;
  readonly signal?: AbortSignal | undefined;
}

/** After so many entries the event loop gets its turn. */
const STEPS_AT_ONCE = 256;

/**
 * Walk everything below an open directory, depth first. One descriptor is open at a time however
 * deep the tree; the way up goes through `..` and must arrive at the inode it came from, so a
 * directory that is moved meanwhile ends the walk instead of leading it astray.
 */
export async function walkTree(top: Handle, { opener, visitor, text, signal }: TreeWalk): Promise<void> {
  const levels: Level[] = [await openLevel(top, { name: Buffer.alloc(0), real: top.real })];
  let current = top;
  let steps = 0;
  visitor.enter?.(top, top.real);
  try {
    for (;;) {
      throwIfAborted(signal);
      steps += 1;
      if (steps % STEPS_AT_ONCE === 0) await setImmediate();
      const level = levels.at(-1);
      if (level === undefined) return;
      const entry = level.entries.pop();
      if (entry === undefined) {
        levels.pop();
        const above = levels.at(-1);
        if (above === undefined) return;
        current = openParentOf(current, { top, above, opener, text });
        visitor.leave?.(current, level.name, level.real);
        continue;
      }
      const real = joinName(level.real, showName(entry.name));
      const child = entry.type === "directory" ? openDirectory(opener, current, { entry, real }) : undefined;
      if (child === undefined) {
        visitor.leaf?.(current, entry.name, real);
        continue;
      }
      if (current !== top) current.close();
      current = child;
      visitor.enter?.(child, real);
      levels.push(await openLevel(child, { name: entry.name, real }));
    }
  } finally {
    if (current !== top) current.close();
  }
}

interface Level {
  readonly name: Buffer;
  readonly real: string;
  readonly stat: BigIntStats;
  readonly entries: RawEntry[];
}

async function openLevel(handle: Handle, at: { name: Buffer; real: string }): Promise<Level> {
  return { ...at, stat: handle.stat, entries: await readEntries(handle) };
}

/** `undefined` where it is no directory any more: a link that was put in its place is a leaf. */
function openDirectory(
  opener: Opener,
  parent: Handle,
  { entry, real }: { entry: RawEntry; real: string },
): Handle | undefined {
  let child: Handle;
  try {
    child = opener.openChild(parent, entry.name, real);
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return undefined;
    throw error;
  }
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
    throw fileConflict(text, "was rearranged by someone else meanwhile");
  }
  current.close();
  return parent;
}
