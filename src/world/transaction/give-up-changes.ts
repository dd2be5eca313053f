import { existsSync, statfsSync } from "node:fs";
import { errnoOf } from "../../contract/errno.js";
import { ToolError } from "../../contract/errors.js";
import { messageOf } from "../../contract/message-of.js";
import type { CommitReport } from "../../contract/ports/layers.js";
import type { CommandLayer, LayerOutcome } from "../sandbox/layer/layer-types.js";

/**
 * Say why nothing of what a command changed is in the workspace, so that its output is not lost, and keep the layer if
 * that is of use. Throws the error if nobody can say what became of the changes.
 */
export async function giveUpChanges(layer: CommandLayer, error: unknown): Promise<LayerOutcome> {
  if (error instanceof ToolError && error.code === "CALL_INTERRUPTED") throw error;
  const warning = await giveUp(layer, error);
  return { commit: nothingCommitted, warnings: [warning] };
}

const nothingCommitted: CommitReport = {
  committed: "none",
  changes: [],
  diff: "",
  heldBack: [],
  conflicts: [],
  isGivenUp: true,
};

async function giveUp(layer: CommandLayer, error: unknown): Promise<string> {
  if (isPathTooLong(error)) return `${deepPaths} ${await discard(layer)}`;
  if (isDiskFull(layer, error)) return giveUpOnFullDisk(layer);
  if (!existsSync(layer.workspace)) return giveUpWithoutWorkspace(layer);
  const reason = "its changes could not be committed";
  const rest = (await isKept(layer, reason))
    ? `They are kept: ${nextStep(layer)} commits them once that is fixed.`
    : "They could not be kept either.";
  return `Nothing of what the command changed is in the workspace, because ${reason}: ${withoutDot(messageOf(error))}. ${rest}`;
}

const deepPaths =
  "The command changed something in folders that are nested so deeply that their path is longer than the system takes, so nothing of what it changed is in the workspace.";

/** With less room than this, not even a record of the next call can be written. */
const minFreeBytes = 1 << 16;
/** A smaller layer is kept: removing it would make no difference. */
const maxKeptBytes = 1 << 20;

/** The changes of a command that found no room, or whose commit did not, go first if they fill the disk. */
async function giveUpOnFullDisk(layer: CommandLayer): Promise<string> {
  const nothing = "The disk is full, so nothing of what the command changed is in the workspace.";
  const { bytes, entries } = await layer.size();
  if (bytes <= maxKeptBytes && entries < 1000 && (await isKept(layer, "the disk was full")))
    return `${nothing} Free some space; ${nextStep(layer)} then commits it.`;
  return `${nothing} ${await discard(layer, " to make room. Free some space and run the command again")}`;
}

/** What fails then may be anything; the reason is always the same. */
async function giveUpWithoutWorkspace(layer: CommandLayer): Promise<string> {
  const reason = "was deleted or moved while the command ran";
  const rest = (await isKept(layer, `the workspace ${reason}`))
    ? `It is kept: ${nextStep(layer)} commits it once that folder is there again.`
    : "It could not be kept either.";
  return `Nothing of what the command changed is in the workspace, because ${layer.workspace} ${reason}. ${rest}`;
}

async function isKept(layer: CommandLayer, reason: string): Promise<boolean> {
  return layer.keep(reason).then(
    () => true,
    () => false, // the next start finds the layer and keeps it
  );
}

async function discard(layer: CommandLayer, purpose = ""): Promise<string> {
  return layer.discard().then(
    () => `It was discarded${purpose}.`,
    (error: unknown) => `It could not be removed: ${withoutDot(messageOf(error))}.`,
  );
}

function nextStep({ callId }: CommandLayer): string {
  return `commit_result ${JSON.stringify({ call_id: callId })}`;
}

function withoutDot(message: string): string {
  return message.replace(/\.$/, "");
}

function isDiskFull({ upper }: Pick<CommandLayer, "upper">, error: unknown): boolean {
  for (let at = error; at instanceof Error; at = at.cause) {
    if (fullCodes.has(errnoOf(at) ?? "")) return true;
  }
  try {
    const { bavail, bsize, files, ffree } = statfsSync(upper);
    return bavail * bsize < minFreeBytes || (files > 0 && ffree < minFreeEntries);
  } catch {
    return false; // the layer itself is gone
  }
}

const fullCodes = new Set(["ENOSPC", "EDQUOT"]);
const minFreeEntries = 16;

/** Longer than the system takes; programs reach such paths folder by folder. */
function isPathTooLong(error: unknown): boolean {
  return errnoOf(error) === "ENAMETOOLONG";
}
