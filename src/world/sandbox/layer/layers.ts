import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { findProgram, type ProgramSearch } from "../find-program.js";
import { runProgram } from "../run-program.js";
import { wasMounted } from "./command-layer.js";
import { layerNames, type LayerPlace, scanScript } from "./layer-script.js";
import { createLayerStore, type LayerLimits, type OwnLayerStore } from "./layer-store.js";
import type { CommandLayer, LayerOrigin } from "./layer-types.js";
import { mountedInside, probeLayers } from "./probe-layers.js";

/** The layers for the commands of a workspace. */
export interface Layers {
  readonly store: OwnLayerStore;
  readonly limits: LayerLimits;
  /** Why commands run directly on the workspace; `undefined` if they can run on a layer. */
  directReason(): Promise<string | undefined>;
  begin(origin: LayerOrigin): StartedLayer;
}

/** A layer for a command that is about to start. */
export interface StartedLayer {
  readonly layer: CommandLayer;
  readonly place: LayerPlace;
  /** The arguments that run a program with mounts of its own. */
  enter(argv: readonly string[]): string[];
  /** Whether the layer was mounted, so that the command could start. */
  wasMounted(): boolean;
}

export interface LayersOptions {
  readonly dir: string;
  /** Real absolute path. */
  readonly workspace: string;
  readonly limits: LayerLimits;
  readonly isRoot: boolean;
  readonly search: ProgramSearch;
  readonly now: () => number;
}

const scanMs = 60_000;

/** Prepare the layers of a workspace; nothing is tried before the first command. */
export function createLayers(options: LayersOptions): Layers {
  const { dir, workspace, limits, now } = options;
  const unshare = findProgram("unshare", options.search);
  const mount = findProgram("mount", options.search) ?? "";
  // In a user namespace, uid 0 stands for the user that started Tenon.
  const user = options.isRoot ? [] : ["--user", "--map-root-user"];
  const enter = (argv: readonly string[]): string[] => [unshare ?? "", ...user, "--mount", "--", ...argv];
  const placeOf = (layerDir: string): LayerPlace => ({ dir: layerDir, workspace, mount });
  const scan = async (layerDir: string): Promise<void> => {
    mkdirSync(join(layerDir, layerNames.work), { recursive: true });
    const [file = "", ...args] = enter(["/bin/sh", "-c", scanScript(placeOf(layerDir))]);
    await runProgram({ file, args, env: { PATH: "/usr/bin:/bin" }, timeoutMs: scanMs });
  };
  const store = createLayerStore({ dir, workspace, limits, now, scan });
  const probe = async (): Promise<string | undefined> => {
    if (unshare === undefined || mount === "") return "unshare and mount of util-linux are not installed";
    const { layer, place } = begin({ callId: "", sessionId: "", command: "", startedAt: now() });
    try {
      return await probeLayers({ enter, place, isRoot: options.isRoot });
    } finally {
      await layer.discard();
    }
  };
  const begin = (origin: LayerOrigin): StartedLayer => {
    const layer = store.begin(origin);
    return { layer, place: placeOf(layer.dir), enter, wasMounted: () => wasMounted(layer.dir) };
  };
  let probed: Promise<string | undefined> | undefined;
  return {
    store,
    limits,
    async directReason() {
      probed ??= probe().catch((error: unknown) => {
        probed = undefined; // a full disk, for example
        throw error;
      });
      return (await probed) ?? mountedInside(workspace);
    },
    begin,
  };
}
