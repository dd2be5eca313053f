import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ignoring } from "../../../contract/errno.js";
import { isWithin } from "../../files/path-text.js";
import { entryAt } from "./entry-state.js";
import { childPath, keyOf, pathBelow } from "./layer-path.js";
import { layerNames } from "./layer-script.js";
import type { LayerPath } from "./layer-types.js";
import { namesIn } from "./list-folder.js";

/** What a command hid of the workspace without a mark for each entry; paths are by `keyOf`. */
export interface HiddenFolders {
  /** Folders of the layer that hide the folder of the workspace at the same path. */
  readonly opaque: ReadonlySet<string>;
  /** Names that were removed from a folder that was split, by the folder. */
  readonly removed: ReadonlyMap<string, readonly Buffer[]>;
}

/** `undefined` if the list is missing or incomplete. */
export function readHidden(dir: string): HiddenFolders | undefined {
  const text = ignoring("ENOENT", () => readFileSync(join(dir, layerNames.opaque), "latin1"));
  if (text === undefined) return undefined;
  if (text !== "\0" && !text.endsWith("\0\0")) return undefined;
  const opaque = new Set<string>();
  const removed = new Map<string, Buffer[]>();
  for (const item of text.split("\0")) {
    if (!item.startsWith(removedMark)) {
      if (item !== "") opaque.add(item);
      continue;
    }
    const end = item.lastIndexOf("/");
    const folder = item.slice(removedMark.length, end);
    removed.set(folder, [...(removed.get(folder) ?? []), Buffer.from(item.slice(end + 1), "latin1")]);
  }
  return { opaque, removed };
}

/** Before a path that was removed, which is relative, so that no other item begins like this. */
const removedMark = "/";

/** A folder to split, and the paths that must become changes of their own. */
export interface SplitRequest {
  readonly dir: string;
  readonly workspace: string;
  readonly folder: LayerPath;
  readonly paths: readonly string[];
}

/**
 * List the entries of a folder that hides one of the workspace one by one, so that some of them can be committed without
 * the others. The list is replaced at once: whenever the process is killed, the layer means the same.
 */
export async function splitHidden(request: SplitRequest): Promise<void> {
  const { dir, folder } = request;
  const hidden = readHidden(dir);
  if (hidden?.opaque.has(keyOf(folder)) !== true) return;
  const lists = toLists(hidden);
  await splitFolder(request, folder, lists);
  write(dir, lists);
}

/** Forget that a path was removed from a folder that was split. */
export function restoreHidden(dir: string, path: LayerPath): void {
  const hidden = readHidden(dir);
  if (hidden === undefined || hidden.removed.size === 0) return;
  const { opaque, removed } = toLists(hidden);
  write(dir, { opaque, removed: removed.filter((item) => item !== removedMark + keyOf(path)) });
}

function toLists({ opaque, removed }: HiddenFolders): Lists {
  const items = [...removed].flatMap(([at, names]) =>
    names.map((name) => `${removedMark}${at}/${name.toString("latin1")}`),
  );
  return { opaque: new Set(opaque), removed: items };
}

function write(dir: string, { opaque, removed }: Lists): void {
  const temporary = join(dir, `${layerNames.opaque}.${process.pid}.tmp`);
  const items = [...opaque, ...removed].map((item) => `${item}\0`);
  writeFileSync(temporary, `${items.join("")}\0`, "latin1");
  renameSync(temporary, join(dir, layerNames.opaque));
}

interface Lists {
  readonly opaque: Set<string>;
  readonly removed: string[];
}

async function splitFolder(request: SplitRequest, folder: LayerPath, lists: Lists): Promise<void> {
  const { dir, workspace, paths } = request;
  const upper = join(dir, layerNames.upper);
  lists.opaque.delete(keyOf(folder));
  for await (const name of namesIn(pathBelow(workspace, folder))) {
    const path = childPath(folder, name);
    const [above, below] = [upper, workspace].map((root) => entryAt(pathBelow(root, path))?.state.kind);
    if (above === undefined) lists.removed.push(`${removedMark}${keyOf(path)}`);
    if (above !== "folder" || below !== "folder") continue;
    if (paths.some((each) => each !== path.path && isWithin(each, path.path)))
      await splitFolder(request, path, lists);
    else lists.opaque.add(keyOf(path));
  }
}
