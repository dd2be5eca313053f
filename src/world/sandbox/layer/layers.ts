import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { once } from "../../../contract/once.js";
import { findProgram, type ProgramSearch } from "../find-program.js";
import { runProgram } from "../run-program.js";
import { wasMounted } from "./command-layer.js";
import { explainFailure, type LayerFault } from "./explain-failure.js";
import { createFailedLines } from "./failed-lines.js";
import { layerNames, type LayerPlace, scanScript } from "./layer-script.js";
import { createLayerStore, type LayerLimits, type OwnLayerStore } from "./layer-store.js";
import type { CommandLayer, LayerOrigin } from "./layer-types.js";
import { removeWork } from "./remove-work.js";
import { watchEnd } from "./watch-end.js";
import { mountedInside, probeLayers } from "./probe-layers.js";

/** The layers for the commands of a workspace. */
export interface Layers {
  readonly store: OwnLayerStore;
  readonly limits: LayerLimits;
  /** Why a command line runs directly on the workspace; `undefined` if it can run on a layer. */
  directReason(line: string): Promise<string | undefined>;
  /** A command line has run directly and succeeded. */
  succeededDirectly(line: string): void;
  /** Whether a command line failed because a hard link got another inode, so that it must not make any to objects of git. */
  failedByLinks(line: string): boolean;
  /** Make a layer; `copies` are the folders that the command renames. */
  begin(origin: LayerOrigin, copies?: readonly string[]): StartedLayer;
}

/** A layer for a command that is about to start. */
export interface StartedLayer {
  readonly layer: CommandLayer;
  readonly place: LayerPlace;
  /** The arguments that run a program with mounts of its own. */
  enter(argv: readonly string[]): string[];
  /** Whether the layer was mounted, so that the command could start. */
  wasMounted(): boolean;
  /** The command runs. */
  running(): void;
  /** The command has ended. */
  release(): void;
  /** If what a command printed says that it met a limit of layers, a full sentence about it. */
  explain(output: string, succeeded: boolean): string | undefined;
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

/**
 * ext4 creates files in the part of the disk where their folder is, and looks at each file that was deleted there in the
 * last minutes: after a few thousand, copying a file into the layer takes ten times as long. With this attribute, each
 * layer lies in another part. Other file systems do not have it.
 */
async function spreadLayers(dir: string): Promise<void> {
  await runProgram({ file: "/usr/bin/chattr", args: ["+T", dir], env: {}, timeoutMs: 5000 });
}

const failedBefore = "it failed on a layer before";

/** Prepare the layers of a workspace; nothing is tried before the first command. */
export function createLayers(options: LayersOptions): Layers {
  const { dir, workspace, limits, now } = options;
  const programs = once(() => ({
    unshare: findProgram("unshare", options.search),
    mount: findProgram("mount", options.search) ?? "",
  }));
  // In a user namespace, uid 0 stands for the user that started Tenon.
  const user = options.isRoot ? [] : ["--user", "--map-root-user"];
  const enter = (argv: readonly string[]): string[] => [
    programs().unshare ?? "",
    ...user,
    "--mount",
    "--",
    ...argv,
  ];
  const placeOf = (layerDir: string): LayerPlace => ({
    dir: layerDir,
    workspace,
    mount: programs().mount,
  });
  const scan = async (layerDir: string): Promise<void> => {
    await removeWork(layerDir);
    mkdirSync(join(layerDir, layerNames.work));
    const [file = "", ...args] = enter(["/bin/sh", "-c", scanScript(placeOf(layerDir))]);
    await runProgram({ file, args, env: { PATH: "/usr/bin:/bin" }, timeoutMs: scanMs });
  };
  const store = createLayerStore({ dir, workspace, limits, now, scan });
  const probe = async (): Promise<string | undefined> => {
    const { unshare, mount } = programs();
    if (unshare === undefined || mount === "") return "unshare and mount of util-linux are not installed";
    const { layer, place } = begin({ callId: "", sessionId: "", command: "", startedAt: now() });
    await spreadLayers(dir);
    try {
      return await probeLayers({ enter, place, isRoot: options.isRoot });
    } finally {
      await layer.discard();
    }
  };
  const explain = (
    line: string,
    fault: LayerFault | undefined,
    failsByRename: () => void,
  ): string | undefined => {
    if (fault?.next === "directly") failsByRename();
    if (fault?.next === "without links") linkFailed.add(line);
    if (fault?.next === "all directly") {
      if (options.isRoot) return undefined;
      probed = Promise.resolve("files in the workspace belong to another user or group");
    }
    return fault?.note;
  };
  const begin = (origin: LayerOrigin, copies?: readonly string[]): StartedLayer => {
    const layer = store.begin(origin);
    const failsByRename = failed.begin(origin.command);
    let stopWatching: (() => void) | undefined;
    return {
      layer: {
        ...layer,
        onEnded(act) {
          stopWatching = watchEnd(layer.dir, act);
        },
      },
      place: { ...placeOf(layer.dir), copies },
      enter,
      wasMounted: () => wasMounted(layer.dir),
      running: () => store.prepare(),
      release: () => stopWatching?.(),
      explain: (output, succeeded) =>
        explain(origin.command, explainFailure(output, succeeded), failsByRename),
    };
  };
  const failed = createFailedLines();
  const linkFailed = new Set<string>();
  let probed: Promise<string | undefined> | undefined;
  return {
    store,
    limits,
    async directReason(line) {
      if (failed.isDirect(line)) return failedBefore;
      probed ??= probe().catch((error: unknown) => {
        probed = undefined; // a full disk, for example
        throw error;
      });
      return (await probed) ?? mountedInside(workspace);
    },
    succeededDirectly: (line) => failed.succeeded(line),
    failedByLinks: (line) => linkFailed.has(line),
    begin,
  };
}
