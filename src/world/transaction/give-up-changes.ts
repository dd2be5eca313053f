import { statfsSync } from "node:fs";
import { ToolError } from "../../contract/errors.js";
import type { CommitReport } from "../../contract/ports/layers.js";
import type { CommandLayer, LayerOutcome } from "../sandbox/layer/layer-types.js";

const nothingCommitted: CommitReport = {
  committed: "none",
  changes: [],
  diff: "",
  heldBack: [],
  conflicts: [],
  isGivenUp: true,
};
/** With less room than this, not even a record of the next call can be written. */
const minFreeBytes = 1 << 16;
/** A smaller layer is kept: removing it would make no difference. */
const maxKeptBytes = 1 << 20;

/** Whether something failed because a disk is full. */
export function isDiskFull({ upper }: Pick<CommandLayer, "upper">, error: unknown): boolean {
  // A person declined, for example.
  if (error instanceof ToolError && error.cause === undefined) return false;
  for (let at = error; at instanceof Error; at = at.cause) {
    if (fullCodes.has((at as NodeJS.ErrnoException).code ?? "")) return true;
  }
  const { bavail, bsize, files, ffree } = statfsSync(upper);
  return bavail * bsize < minFreeBytes || (files > 0 && ffree < minFreeEntries);
}

const fullCodes = new Set(["ENOSPC", "EDQUOT"]);
const minFreeEntries = 16;

/** Whether something failed because a path is longer than the system takes, which programs reach folder by folder. */
export function isPathTooLong(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === "ENAMETOOLONG";
}

/** Give up changes with paths that can be neither judged nor committed. */
export async function giveUpDeepChanges(layer: CommandLayer): Promise<LayerOutcome> {
  await layer.discard();
  return {
    commit: nothingCommitted,
    warnings: [
      "The command changed something in folders that are nested so deeply that their path is longer than the system takes, so nothing of what it changed is in the workspace. It was discarded.",
    ],
  };
}

/** Give up the changes of a command that found no room, or whose commit did not; they go first if they fill the disk. */
export async function giveUpChanges(layer: CommandLayer): Promise<LayerOutcome> {
  const nothing = "The disk is full, so nothing of what the command changed is in the workspace";
  const { bytes, entries } = await layer.size();
  const isKept =
    bytes <= maxKeptBytes &&
    entries < 1000 &&
    (await layer.keep("the disk was full").then(
      () => true,
      () => false,
    ));
  if (!isKept) await layer.discard();
  const rest = isKept
    ? `Free some space; commit_result ${JSON.stringify({ call_id: layer.callId })} then commits it`
    : "It was discarded to make room. Free some space and run the command again";
  return {
    commit: nothingCommitted,
    warnings: [`${nothing}. ${rest}.`],
  };
}
