import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { createPause } from "../files/pause.js";
import { flushProgram } from "../sandbox/layer/flush-files.js";
import type { CommandLayer } from "../sandbox/layer/layer-types.js";
import type { EarlyLook } from "./early-looks.js";
import { openLayerTexts } from "./text-at.js";

/** As many as are compared in the answer. */
const maxFiles = 300;
/** For fewer files, starting a program takes more than it saves. */
const minFlushed = 20;

/**
 * Read the files that a command changed while its sandbox ends, when there is nothing else to do. It is only a head
 * start: what is committed is looked at again, and a file that is another version by then is read again.
 */
export function lookEarly(layer: CommandLayer, look: EarlyLook): void {
  if (look.isOver) return;
  layer.onEnded?.(() => {
    // Whatever fails here fails again where it counts.
    readChanged(layer, look).catch(() => {});
  });
}

async function readChanged(layer: CommandLayer, look: EarlyLook): Promise<void> {
  const paths = changedFiles(layer);
  const flush = paths.length < minFlushed ? undefined : flushProgram(layer.upper, paths);
  if (flush !== undefined) look.runBeside(flush);
  const texts = openLayerTexts(layer, look.seen);
  const breathe = createPause();
  try {
    for (const path of paths) {
      await breathe();
      if (look.isOver) return;
      texts.before({ path });
      texts.after({ path });
    }
  } finally {
    texts.close();
  }
}

/** Files that are in the layer and in the workspace. */
function changedFiles({ upper, workspace }: CommandLayer): readonly string[] {
  const found: string[] = [];
  const folders = [""];
  while (folders.length > 0 && found.length < maxFiles) {
    const folder = folders.pop() ?? "";
    for (const entry of readdirSync(join(upper, folder), { withFileTypes: true })) {
      const path = join(folder, entry.name);
      const isBoth = (entry.isFile() || entry.isDirectory()) && isThere(join(workspace, path));
      if (isBoth && entry.isDirectory()) folders.push(path);
      if (isBoth && entry.isFile()) found.push(path);
      if (found.length >= maxFiles) break;
    }
  }
  return found;
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}
