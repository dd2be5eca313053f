import { existsSync, lstatSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { layerNames } from "./layer-script.js";
import type { CommandLayer } from "./layer-types.js";
import { pathBelow } from "./layer-path.js";
import { measureLayer, readChanges, readEntries, type LayerRoots } from "./read-layer.js";
import type { LayerRecord } from "./layer-record.js";

export interface CommandLayerParts {
  readonly id: string;
  readonly dir: string;
  readonly record: LayerRecord;
  /** Write the list of folders that hide those of the workspace. */
  readonly scan: () => Promise<void>;
  readonly keep: (reason: string) => Promise<void>;
  readonly discard: () => Promise<void>;
}

/** The layer in a folder of the store. */
export function createCommandLayer(parts: CommandLayerParts): CommandLayer & { readonly dir: string } {
  const { id, dir, record } = parts;
  const { callId, sessionId, command, startedAt, workspace } = record;
  const upper = join(dir, layerNames.upper);
  const roots = async (): Promise<LayerRoots> => {
    const opaque = readOpaque(dir) ?? (await scanned(parts));
    return { workspace, upper, startedNs: BigInt(record.startedNs), opaque };
  };
  return {
    id,
    dir,
    callId,
    sessionId,
    command,
    startedAt,
    workspace,
    upper,
    startedNs: BigInt(record.startedNs),
    isSameDevice: lstatSync(upper).dev === lstatSync(workspace).dev,
    async *changes() {
      yield* readChanges(await roots());
    },
    entriesBelow: (folder) => readEntries(upper, folder),
    locate: (path) => pathBelow(upper, path),
    size: () => measureLayer(upper),
    keep: parts.keep,
    discard: parts.discard,
  };
}

/** Whether the command could start. */
export function wasMounted(dir: string): boolean {
  return existsSync(join(dir, layerNames.mounted));
}

async function scanned({ dir, scan }: CommandLayerParts): Promise<ReadonlySet<string>> {
  await scan();
  const found = readOpaque(dir);
  if (found === undefined) throw new Error(`The changes in ${dir} could not be listed.`);
  return found;
}

/** `undefined` if the list is missing or incomplete. */
function readOpaque(dir: string): ReadonlySet<string> | undefined {
  let text: string;
  try {
    text = readFileSync(join(dir, layerNames.opaque), "latin1");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
  if (text !== "\0" && !text.endsWith("\0\0")) return undefined;
  return new Set(text.split("\0").filter((name) => name !== ""));
}
