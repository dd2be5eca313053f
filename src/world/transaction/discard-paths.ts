import { chmodSync, lchownSync } from "node:fs";
import { rm } from "node:fs/promises";
import { isWithin } from "../files/path-text.js";
import type { CommandLayer, LayerChange, LayerPath } from "../sandbox/layer/layer-types.js";
import { separate } from "./judge-layer.js";
import { removeTree } from "../sandbox/layer/remove-tree.js";

/** Remove changes from a layer, so that they are never committed. Returns whether any change is left. */
export async function discardPaths(layer: CommandLayer, paths: readonly string[]): Promise<boolean> {
  await separate(layer, paths);
  const isSelected = ({ path }: LayerPath): boolean => paths.some((each) => isWithin(path, each));
  const found: LayerChange[] = [];
  const inside: LayerPath[] = [];
  for await (const change of layer.changes()) {
    if (isSelected(change)) found.push(change);
    else if (change.kind === "created" && paths.some((each) => isWithin(each, change.path))) {
      for await (const entries of layer.entriesBelow(change)) inside.push(...entries.filter(isSelected));
    }
  }
  for (const change of found) await discardChange(layer, change);
  for (const entry of inside) await remove(layer.locate(entry));
  for await (const _ of layer.changes()) return true;
  return false;
}

async function discardChange(layer: CommandLayer, change: LayerChange): Promise<void> {
  const place = layer.locate(change);
  if (change.kind === "removed") await layer.restore(change);
  if (change.kind !== "attributes" || change.before === undefined) return remove(place);
  // The folder may contain other changes.
  const { uid, gid, mode } = change.before;
  lchownSync(place, uid, gid);
  chmodSync(place, mode);
}

/** A path that is not valid UTF-8 is given as bytes. */
function remove(place: string | Buffer): Promise<void> {
  return typeof place === "string" ? removeTree(place) : rm(place, { recursive: true, force: true });
}
