import { statfsSync } from "node:fs";
import type { LayerSize } from "../sandbox/layer/layer-types.js";
import { measureLayer } from "../sandbox/layer/read-layer.js";
import { formatBytes } from "./format-bytes.js";

/** How much the changes of a command may take that are collected in a layer. */
export interface LayerLimit {
  readonly upper: string;
  readonly max: LayerSize;
}

/** What other programs may free while the command runs. */
const slack: LayerSize = { bytes: 2 ** 30, entries: 100_000 };

/**
 * Check whether a layer is too large. It is only measured if the file system has become so much fuller that it could be
 * close to its limit.
 */
export function createLayerCheck({ upper, max }: LayerLimit): () => Promise<string | undefined> {
  const before = statfsSync(upper);
  return async () => {
    const now = statfsSync(upper);
    const bytes = (before.bfree - now.bfree) * now.bsize;
    const entries = before.ffree - now.ffree;
    if (bytes < max.bytes / 2 - slack.bytes && entries < max.entries / 2 - slack.entries) return undefined;
    const size = await measureLayer(upper, max);
    if (size.bytes > max.bytes)
      return `its changes took more than ${formatBytes(max.bytes)} (sandbox.layers.maxBytes)`;
    if (size.entries > max.entries)
      return `it changed more than ${max.entries} files and folders (sandbox.layers.maxEntries)`;
    return undefined;
  };
}
