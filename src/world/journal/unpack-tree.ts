import { closeSync, constants, mkdirSync, symlinkSync } from "node:fs";
import type { NodeAttributes } from "../../contract/ports/journal.js";
import { pathChanged } from "../files/file-errors.js";
import { isSameFile } from "../files/file-stat.js";
import type { Handle } from "../files/opener.js";
import { createFlushes, type Flushes } from "./stage-file.js";
import type { SourceDeps } from "./sources.js";
import { setAttributes, stageFile, type Flush } from "./stage-file.js";
import { inWalkOrder, type TreeEntry } from "./tree.js";

export interface PackedTree {
  readonly entries: readonly TreeEntry[];
  /** Hash of the contents; absent where there is no file. */
  readonly pack?: string;
  /** The path to name in errors. */
  readonly text: string;
}

/**
 * Fill a new directory with a tree. Directories get their own mode after their entries, because that mode may
 * forbid creating any. One descriptor is open at a time.
 */
export async function unpackTree(deps: SourceDeps, top: Handle, tree: PackedTree): Promise<void> {
  const trail: Level[] = [{ path: "", stat: top.stat, attributes: undefined }];
  const flushes = createFlushes();
  let current = top;
  try {
    for (const entry of inWalkOrder(tree.entries)) {
      while (!isIn(entry.path, trail.at(-1)?.path ?? "")) {
        current = await leave(deps, current, { trail, top, flushes, text: tree.text });
      }
      const name = nameOf(entry.path);
      if (entry.type !== "directory") {
        await makeLeaf(deps, current.at(name), { entry, tree, flushes });
        continue;
      }
      mkdirSync(current.at(name), { mode: 0o700 });
      const child = deps.opener.openChild(current, name, `${current.real}/${name.toString()}`);
      if (current !== top) current.close();
      current = child;
      trail.push({ path: entry.path, stat: child.stat, attributes: entry });
    }
    while (trail.length > 1) {
      current = await leave(deps, current, { trail, top, flushes, text: tree.text });
    }
  } finally {
    await flushes.end();
    if (current !== top) current.close();
  }
}

/** Give a directory its owner and mode. */
export async function finishDirectory(
  directory: Handle,
  attributes: NodeAttributes,
  flush: Flush,
): Promise<void> {
  const fd = directory.reopen(constants.O_RDONLY);
  try {
    setAttributes(fd, attributes);
  } catch (error) {
    closeSync(fd);
    throw error;
  }
  return flush(fd);
}

interface Level {
  readonly path: string;
  readonly stat: Handle["stat"];
  readonly attributes: NodeAttributes | undefined;
}

function isIn(path: string, directory: string): boolean {
  return directory === "" || path.startsWith(`${directory}/`);
}

function nameOf(path: string): Buffer {
  return Buffer.from(path.slice(path.lastIndexOf("/") + 1), "latin1");
}

async function leave(
  deps: SourceDeps,
  current: Handle,
  { trail, top, flushes, text }: { trail: Level[]; top: Handle; flushes: Flushes; text: string },
): Promise<Handle> {
  const left = trail.pop();
  const above = trail.at(-1);
  if (left === undefined || above === undefined) return current;
  const parent = trail.length === 1 ? top : deps.opener.openChild(current, "..", parentOf(current.real));
  if (left.attributes !== undefined) await finishDirectory(current, left.attributes, flushes.add);
  current.close();
  if (isSameFile(parent.stat, above.stat)) return parent;
  parent.close();
  throw pathChanged(text);
}

function parentOf(real: string): string {
  return real.slice(0, real.lastIndexOf("/"));
}

async function makeLeaf(
  deps: SourceDeps,
  at: Buffer,
  { entry, tree, flushes }: { entry: TreeEntry; tree: PackedTree; flushes: Flushes },
): Promise<void> {
  if (entry.type === "symlink") return symlinkSync(Buffer.from(entry.target ?? "", "latin1"), at);
  const { hash = "", size, offset = 0, mode, uid, gid } = entry;
  const source =
    tree.pack === undefined || size === 0
      ? ({ kind: "data", data: new Uint8Array() } as const)
      : ({ kind: "packed", pack: tree.pack, offset, size } as const);
  const image = { type: "file", hash, size, mode, uid, gid } as const;
  await stageFile(deps, at, { image, source, text: tree.text, flush: flushes.add });
}
