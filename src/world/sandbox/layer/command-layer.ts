import { existsSync } from "node:fs";
import { join } from "node:path";
import { type HiddenFolders, readHidden, restoreHidden, splitHidden } from "./hidden-folders.js";
import { layerNames } from "./layer-script.js";
import type { CommandLayer } from "./layer-types.js";
import { pathBelow } from "./layer-path.js";
import { listTree } from "./list-tree.js";
import { measureLayer, readChanges, type LayerRoots } from "./read-layer.js";
import type { LayerRecord } from "./layer-record.js";

export interface CommandLayerParts {
  readonly id: string;
  readonly dir: string;
  readonly record: LayerRecord;
  /** Write the list of folders that hide those of the workspace. */
  readonly scan: () => Promise<void>;
  readonly keep: (reason: string) => Promise<void>;
  readonly discard: CommandLayer["discard"];
}

/** The layer in a folder of the store. */
export function createCommandLayer(parts: CommandLayerParts): CommandLayer & { readonly dir: string } {
  const { id, dir, record } = parts;
  const { callId, sessionId, command, startedAt, workspace } = record;
  const upper = join(dir, layerNames.upper);
  const place = { workspace, upper, startedNs: BigInt(record.startedNs) };
  const roots = async (): Promise<LayerRoots> => {
    const hidden = readHidden(dir) ?? (await scanned(parts));
    return { ...place, ...hidden };
  };
  return {
    id,
    dir,
    callId,
    sessionId,
    command,
    startedAt,
    ...place,
    async *changes({ assumeMerged = false } = {}) {
      yield* readChanges(assumeMerged ? { ...place, ...nothingHidden } : await roots());
    },
    isMerged() {
      const hidden = readHidden(dir);
      return hidden !== undefined && hidden.opaque.size + hidden.removed.size === 0;
    },
    entriesBelow: (folder) => listTree(upper, folder),
    locate: (path) => pathBelow(upper, path),
    split: (folder, paths) => splitHidden({ dir, workspace, folder, paths }),
    restore: async (path) => restoreHidden(dir, path),
    size: () => measureLayer(upper),
    keep: parts.keep,
    discard: parts.discard,
  };
}

const nothingHidden: HiddenFolders = { opaque: new Set(), removed: new Map() };

/** Whether the command could start. */
export function wasMounted(dir: string): boolean {
  return existsSync(join(dir, layerNames.mounted));
}

async function scanned({ dir, scan }: CommandLayerParts): Promise<HiddenFolders> {
  await scan();
  const found = readHidden(dir);
  if (found === undefined) throw new Error(`The changes in ${dir} could not be listed.`);
  return found;
}
