import { dirname, join } from "node:path";
import { toShownPath, toSystemPath } from "../files/raw-path.js";
import { entryAt } from "../sandbox/layer/entry-state.js";
import type { CommandLayer, EntryState, LayerChange } from "../sandbox/layer/layer-types.js";
import { walkWorkspace } from "./walk-workspace.js";

/** What finding conflicts needs. */
export interface ConflictDeps {
  readonly layer: CommandLayer;
  /** Devices and inodes of files that background jobs have open for writing. */
  readonly openFiles: ReadonlySet<string>;
  /** Whether another call removed the path since the command started. */
  readonly wasRemoved: (path: string) => Promise<boolean>;
}

/**
 * Why a change cannot be committed because of what others did since the command started; `undefined` if it can.
 * `now` is what is at its path in the workspace.
 */
export type FindConflict = (change: LayerChange, now: EntryState | undefined) => Promise<string | undefined>;

/** Look for conflicts at one moment: what is found out about a folder holds for all changes in it. */
export function createConflictSearch(deps: ConflictDeps): FindConflict {
  const { layer, openFiles } = deps;
  const folders = new Map<string, boolean>();
  /** Removing an entry changes its folder. */
  const isChanged = (folder: string): boolean => {
    const known = folders.get(folder);
    if (known !== undefined) return known;
    const state = entryAt(join(layer.workspace, folder))?.state;
    const changed = state !== undefined && state.ctimeNs > layer.startedNs;
    folders.set(folder, changed);
    return changed;
  };
  return async (change, now) => {
    if (change.before === undefined) {
      if (now !== undefined) return "somebody else created it meanwhile";
      if (!isChanged(dirname(change.path))) return undefined;
      return (await deps.wasRemoved(change.path)) ? "somebody else removed it meanwhile" : undefined;
    }
    if (now === undefined)
      return change.kind === "removed" ? undefined : "somebody else removed it meanwhile";
    if (change.kind === "attributes") return undefined;
    if (openFiles.has(`${now.dev}:${now.ino}`)) return "a background job has it open";
    if (now.ctimeNs > layer.startedNs || now.ctimeNs !== change.before.ctimeNs)
      return "somebody else changed it meanwhile";
    if (now.kind === "folder") return findBelow(deps, join(layer.workspace, change.path));
    return undefined;
  };
}

/** A folder is removed or replaced as a whole, so that everything in it counts. */
async function findBelow({ layer, openFiles }: ConflictDeps, folder: string): Promise<string | undefined> {
  for await (const path of walkWorkspace(folder)) {
    const state = entryAt(toSystemPath(path))?.state;
    if (state === undefined) continue;
    const shown = toShownPath(path.slice(layer.workspace.length + 1));
    if (state.ctimeNs > layer.startedNs) return `somebody else changed ${shown} meanwhile`;
    if (openFiles.has(`${state.dev}:${state.ino}`)) return `a background job has ${shown} open`;
  }
  return undefined;
}
