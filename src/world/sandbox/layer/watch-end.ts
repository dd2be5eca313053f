import { type FSWatcher, watch } from "node:fs";
import { layerNames } from "./layer-script.js";

/**
 * Call a function when the command of a layer has ended, some milliseconds before its sandbox has: listing the layer
 * begins then. It may never be called. Returns what ends the waiting.
 */
export function watchEnd(dir: string, onEnded: () => void): () => void {
  let watcher: FSWatcher | undefined;
  const stop = (): void => {
    watcher?.close();
    watcher = undefined;
  };
  try {
    watcher = watch(dir, { persistent: false }, (_, name) => {
      if (name !== layerNames.opaque || watcher === undefined) return;
      stop();
      onEnded();
    });
    watcher.on("error", stop);
  } catch {
    // The system allows no more watches.
  }
  return stop;
}
