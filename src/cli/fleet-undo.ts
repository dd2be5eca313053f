import type { UndoneFile, UndoPreview } from "../contract/ports/journal.js";
import type { UndoTarget } from "../runtime/journal/undo-target.js";
import { oneWorkspace, type OpenFleet } from "./open-fleet.js";
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

async function workspaceOf(open: OpenFleet, what: UndoTarget): Promise<string> {
  const { workspaces, ask } = open;
  if (workspaces.length < 2 || !("callId" in what)) return oneWorkspace(open);
  for (const workspace of workspaces) {
    const path = `/api/changes?callId=${encodeURIComponent(what.callId)}`;
    const changes = await ask({ path, workspace }).then((response) => response.json());
    if ((changes as readonly unknown[]).length > 0) return workspace;
  }
  throw new UsageError(`No workspace of the fleet has changes of call "${what.callId}".`);
}
