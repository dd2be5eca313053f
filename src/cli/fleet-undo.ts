import type { UndoneFile, UndoPreview } from "../contract/ports/journal.js";
import type { UndoTarget } from "../runtime/journal/undo-target.js";
import type { OpenFleet } from "./open-fleet.js";
import { UsageError } from "./command-line.js";

/** What takes changes back: a Tenon, or the worker that owns their workspace. */
export interface Undoer {
  previewUndo(what: UndoTarget, options: UndoOptions): Promise<UndoPreview>;
  undo(what: UndoTarget, options: UndoOptions): Promise<readonly UndoneFile[]>;
}

interface UndoOptions {
  readonly force?: boolean | undefined;
}

/** The owner of the workspace that is meant: the one that is named, that has the call, or the only one. */
export async function undoerOf(open: OpenFleet, what: UndoTarget): Promise<Undoer> {
  const workspace = await workspaceOf(open, what);
  const send = async <T>(path: string, { force }: UndoOptions): Promise<T> => {
    const body = { ...what, ...(force !== undefined && { force }) };
    return (await (await open.ask({ path, workspace, body })).json()) as T;
  };
  return {
    previewUndo: (_what, options) => send("/api/undo/preview", options),
    undo: (_what, options) => send("/api/undo", options),
  };
}

async function workspaceOf({ workspaces, ask }: OpenFleet, what: UndoTarget): Promise<string> {
  const [only, ...others] = workspaces;
  if (only === undefined) throw new UsageError("The fleet has no workspaces yet. See: tenon fleet status");
  if (others.length === 0) return only;
  if (!("callId" in what))
    throw new UsageError(`Which workspace? Pass --workspace with one of: ${workspaces.join(", ")}.`);
  for (const workspace of workspaces) {
    const path = `/api/changes?callId=${encodeURIComponent(what.callId)}`;
    const changes = await ask({ path, workspace }).then((response) => response.json());
    if ((changes as readonly unknown[]).length > 0) return workspace;
  }
  throw new UsageError(`No workspace of the fleet has changes of call "${what.callId}".`);
}
