import type { BigIntStats } from "node:fs";
import { fileConflict, throwIfAborted } from "../files/file-errors.js";
import { isSameFile } from "../files/file-stat.js";
import { readEntries } from "../files/list-directory.js";
import type { Handle, Opener } from "../files/opener.js";
import { joinName, showName } from "../files/path-text.js";

/** Something below a directory, held open while it is looked at. */
export interface TreeItem {
  /** From the top, its names joined by slashes. */
  readonly relative: Buffer;
  /** The directory that it stands in, and its name there. */
  readonly directory: Handle;
  readonly name: Buffer;
  readonly handle: Handle;
}

export interface WalkOptions {
  readonly opener: Opener;
  /** The path to name in errors. */
  readonly text: string;
  readonly signal?: AbortSignal | undefined;
}

interface Level {
  readonly relative: Buffer;
  readonly real: string;
  readonly stat: BigIntStats;
  readonly names: Buffer[];
}

const slash = Buffer.from("/");

/**
 * Everything below an open directory, each directory before what is in it, links as they are. Two
 * descriptors are open at a time however deep the tree: the way up goes through `..` and must arrive
 * where it came from.
 */
export async function* walkBelow(top: Handle, options: WalkOptions): AsyncGenerator<TreeItem> {
  const levels = [await openLevel(top, { relative: Buffer.alloc(0), real: top.real })];
  let current = top;
  try {
    for (let level = levels.at(-1); level !== undefined; level = levels.at(-1)) {
      throwIfAborted(options.signal);
      const name = level.names.shift();
      if (name === undefined) {
        levels.pop();
        const above = levels.at(-1);
        if (above !== undefined) current = climb(current, { top, above, options });
        continue;
      }
      const relative = level.relative.length === 0 ? name : Buffer.concat([level.relative, slash, name]);
      const real = joinName(level.real, showName(name));
      const handle = options.opener.openChild(current, name, real);
      let entered = false;
      try {
        yield { relative, directory: current, name, handle };
        if (!handle.stat.isDirectory()) continue;
        levels.push(await openLevel(handle, { relative, real }));
        if (current !== top) current.close();
        current = handle;
        entered = true;
      } finally {
        if (!entered) handle.close();
      }
    }
  } finally {
    if (current !== top) current.close();
  }
}

async function openLevel(handle: Handle, at: { relative: Buffer; real: string }): Promise<Level> {
  const names = (await readEntries(handle)).map((entry) => entry.name);
  return { ...at, stat: handle.stat, names: names.sort((one, other) => one.compare(other)) };
}

function climb(
  current: Handle,
  { top, above, options }: { top: Handle; above: Level; options: WalkOptions },
): Handle {
  const parent = isSameFile(above.stat, top.stat) ? top : options.opener.openChild(current, "..", above.real);
  current.close();
  if (isSameFile(parent.stat, above.stat)) return parent;
  parent.close();
  throw fileConflict(options.text, "was rearranged by someone else meanwhile");
}
