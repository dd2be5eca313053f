import { readdir } from "node:fs/promises";
import type { Bucket } from "../bus/bucket.js";
import { workspaceAway } from "../bus/fleet-error.js";
import type { Claimant } from "../bus/leases.js";
import type { WorkspaceEntry } from "../protocol.js";

type Entries = Bucket<WorkspaceEntry>;

/** As in the configuration: a name is a part of a subject and of a path. */
export function isWorkspaceName(name: string): boolean {
  return /^[a-z0-9][a-z0-9_-]{0,63}$/.test(name);
}

/** Let the fronts know which folders are here, so that they can be asked for. */
export async function announceFolders(workspaces: Entries, dir: string, self: Claimant): Promise<void> {
  const folders = (await readdir(dir, { withFileTypes: true })).filter((entry) => entry.isDirectory());
  for (const { name } of folders) {
    if (!isWorkspaceName(name)) continue;
    // One that is known already stays as it is.
    await workspaces.swap(name, { worker: "", incarnation: "", epoch: 0, ...placeOf(self) }, 0);
  }
}

/** Note what becomes of a workspace when its session ends. */
export async function noteEnd(workspaces: Entries, name: string, atEnd: "keep" | "remove"): Promise<void> {
  const current = await workspaces.get(name);
  if (current !== undefined) await workspaces.swap(name, { ...current.value, atEnd }, current.revision);
}

/** A server that lost its buckets does not know any more who owns what. Throws where another owns it now. */
export async function restoreEntry(
  workspaces: Entries,
  { name, epoch }: { readonly name: string; readonly epoch: number },
  self: Claimant,
): Promise<void> {
  const current = await workspaces.get(name);
  const { id: worker, incarnation } = self;
  if (current === undefined) await workspaces.swap(name, { worker, incarnation, epoch, ...placeOf(self) }, 0);
  else if (current.value.epoch !== epoch || current.value.worker !== worker)
    throw workspaceAway(`"${name}" is owned by ${current.value.worker}.`, "Send the call again.");
}

/** Why a claim failed. */
export function notOurs(
  name: string,
  claim: { readonly by?: string; readonly home?: string | undefined; readonly volume?: string | undefined },
): Error {
  if (claim.by !== undefined)
    return workspaceAway(`"${name}" is owned by ${claim.by}.`, "Send the call again.");
  const where =
    claim.volume === undefined ? `the disk of worker ${claim.home ?? ""}` : `the volume ${claim.volume}`;
  return workspaceAway(`"${name}" is on ${where}.`, "Start that worker, or one with that volume.");
}

function placeOf({ id, volume }: Claimant): { readonly home: string } | { readonly volume: string } {
  return volume === undefined ? { home: id } : { volume };
}
