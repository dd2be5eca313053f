import { workspaceAway } from "../bus/fleet-error.js";
import type { Member } from "../protocol.js";
import type { Front } from "./front.js";

/** Let a worker finish its calls and hand its workspaces back. */
export async function drainWorker(front: Front, worker: string): Promise<void> {
  await front.ask(aliveWorker(front, worker).id, { verb: "drain", workspace: "" });
}

/** Move a workspace to another worker on the same volume; its calls wait meanwhile, none is lost. */
export async function moveWorkspace(
  front: Front,
  workspace: string,
  worker: string,
): Promise<{ readonly workspace: string; readonly worker: string }> {
  const { roster } = front;
  const entry = roster.workspaces.get(workspace)?.value;
  if (entry === undefined)
    throw workspaceAway(`Workspace "${workspace}" not found.`, "See: tenon fleet status");
  const target = aliveWorker(front, worker);
  const canHave =
    entry.volume === undefined ? entry.home === worker : target.labels?.includes(`volume=${entry.volume}`);
  if (canHave !== true)
    throw workspaceAway(
      `The files of "${workspace}" are on ${entry.volume === undefined ? `the disk of ${entry.home ?? ""}` : `the volume ${entry.volume}`}, which worker ${worker} does not have.`,
      "Only workspaces on a shared volume can move, to a worker with the same volume.",
    );
  const owner = roster.ownerOf(workspace);
  if (owner !== undefined && owner !== worker) await front.ask(owner, { verb: "release", workspace });
  await front.ask(worker, { verb: "claim", workspace });
  return { workspace, worker };
}

function aliveWorker({ roster }: Front, worker: string): Member {
  const found = roster.workers().find(({ id }) => id === worker);
  if (found !== undefined) return found;
  throw workspaceAway(`Worker "${worker}" not found.`, "See: tenon fleet status");
}
