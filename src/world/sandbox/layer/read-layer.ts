import { readlinkSync } from "node:fs";
import { haveSameContent } from "./same-content.js";
import { entryAt, isWhiteout, type LstatEntry } from "./entry-state.js";
import type { HiddenFolders } from "./hidden-folders.js";
import { childPath, keyOf, pathBelow } from "./layer-path.js";
import type { LayerChange, LayerPath, LayerSize } from "./layer-types.js";
import { namesIn } from "./list-folder.js";

/** Where the two sides of a layer lie. */
export interface LayerRoots extends HiddenFolders {
  readonly workspace: string;
  readonly upper: string;
}

/** Compare a layer with the workspace. */
export async function* readChanges(roots: LayerRoots, folder?: LayerPath): AsyncIterable<LayerChange> {
  const place = folder === undefined ? roots.upper : pathBelow(roots.upper, folder);
  for await (const name of namesIn(place)) {
    const path = childPath(folder, name);
    const upper = entryAt(pathBelow(roots.upper, path));
    if (upper === undefined) continue; // committed or discarded meanwhile
    const lower = entryAt(pathBelow(roots.workspace, path));
    const sure = changeOf(path, { upper, lower, roots });
    // Waiting takes longer than all else here, so it is left to the entries that need it.
    const found = sure instanceof Promise ? await sure : sure;
    const isLinked = found === undefined && isLinkedAgain(upper, lower);
    const kind = isLinked ? "changed" : found;
    if (kind !== undefined) {
      yield {
        ...path,
        kind,
        before: lower?.state,
        after: kind === "removed" ? undefined : upper.state,
        ...(isLinked && { isLinked }),
      };
    }
    if (isMerged(path, { upper, lower, roots })) yield* readChanges(roots, path);
  }
  if (folder === undefined) return;
  for (const name of roots.removed.get(keyOf(folder)) ?? []) {
    const path = childPath(folder, name);
    const lower = entryAt(pathBelow(roots.workspace, path))?.state;
    if (lower === undefined) continue;
    yield { ...path, kind: "removed", before: lower, after: undefined };
  }
}

interface Pair {
  readonly upper: LstatEntry;
  readonly lower: LstatEntry | undefined;
  readonly roots: LayerRoots;
}

/** Whether the command sees the entries of both folders. */
function isMerged(path: LayerPath, { upper, lower, roots }: Pair): boolean {
  return upper.state.kind === "folder" && lower?.state.kind === "folder" && !roots.opaque.has(keyOf(path));
}

type Kind = LayerChange["kind"] | undefined;

function changeOf(path: LayerPath, pair: Pair): Kind | Promise<Kind> {
  const { upper, lower, roots } = pair;
  if (isWhiteout(upper.stats)) return lower === undefined ? undefined : "removed";
  if (lower === undefined) return "created";
  if (upper.state.kind !== lower.state.kind) return "replaced";
  if (upper.state.kind === "folder") {
    if (!isMerged(path, pair)) return "replaced";
    return hasSameRights(upper, lower) ? undefined : "attributes";
  }
  const isSame =
    hasSameRights(upper, lower) &&
    upper.stats.mtimeNs === lower.stats.mtimeNs &&
    upper.stats.size === lower.stats.size &&
    upper.stats.rdev === lower.stats.rdev;
  if (!isSame) return "changed";
  return hasSameContent(path, pair, roots).then((hasSame) => (hasSame ? undefined : "changed"));
}

/**
 * The layer has the file or link under several names: only if all of them are committed, they stay one. A name that is
 * left would be removed with the layer, which changes the time of the others, as if somebody had written to them.
 */
function isLinkedAgain({ state }: LstatEntry, lower: LstatEntry | undefined): boolean {
  return lower !== undefined && (state.kind === "file" || state.kind === "link") && state.links > 1;
}

function hasSameRights({ state: one }: LstatEntry, { state: other }: LstatEntry): boolean {
  return one.mode === other.mode && one.uid === other.uid && one.gid === other.gid;
}

/** A file that a program opened for writing is in the layer even if it wrote nothing. */
async function hasSameContent(
  path: LayerPath,
  { upper }: Pair,
  { workspace, upper: root }: LayerRoots,
): Promise<boolean> {
  const [one, other] = [pathBelow(root, path), pathBelow(workspace, path)];
  if (upper.state.kind === "link") return readlinkSync(one, "buffer").equals(readlinkSync(other, "buffer"));
  return upper.state.kind === "special" || haveSameContent(one, other);
}

const blockBytes = 512;

/** Count what a layer holds; stops as soon as it is larger than `limit`. */
export async function measureLayer(upper: string, limit?: LayerSize): Promise<LayerSize> {
  const total = { bytes: 0, entries: 0 };
  const linked = new Set<bigint>();
  const isOver = (): boolean =>
    limit !== undefined && (total.bytes > limit.bytes || total.entries > limit.entries);
  const add = async (folder: string | Buffer): Promise<void> => {
    for await (const name of namesIn(folder)) {
      const path = Buffer.concat([Buffer.from(folder), Buffer.from("/"), name]);
      const found = entryAt(path);
      if (found === undefined) continue; // removed by the command meanwhile
      total.entries += 1;
      const { ino, blocks, nlink } = found.stats;
      if (!linked.has(ino)) total.bytes += Number(blocks) * blockBytes;
      if (nlink > 1n && found.state.kind === "file") linked.add(ino);
      if (isOver()) return;
      if (found.state.kind === "folder") await add(path);
      if (isOver()) return;
    }
  };
  await add(upper);
  return total;
}
