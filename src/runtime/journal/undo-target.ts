import { ToolResourceNotFoundError } from "../../contract/errors.js";
import type { ChangeSelector } from "../../contract/ports/journal.js";
import type { Journal } from "../../world/journal/journal.js";
import type { UndoSelector } from "../../world/journal/select-changes.js";

/** What to undo: the changes of a path, a call or a task, all changes since a time, or the last call that changed a file. */
export type UndoTarget = ChangeSelector | { readonly since: number } | { readonly last: true };

const maxChanges = 10_000;

/** The target as the journal takes it. Throws if nothing changed in the given time. */
export async function toUndoSelector(journal: Journal, what: UndoTarget): Promise<UndoSelector> {
  if (!("since" in what) && !("last" in what)) return what;
  const notUndone = (await journal.history({ limit: maxChanges })).filter(({ undone }) => !undone);
  // An undo is a change too, but is undone only when its own call is named.
  const changes = notUndone.filter(({ tool }) => tool !== "undo" && tool !== "undo_edit");
  const selected = "last" in what ? changes.slice(0, 1) : changes.filter(({ time }) => time >= what.since);
  const callIds = [...new Set(selected.map(({ callId }) => callId))];
  if (callIds.length > 0) return { callIds };
  throw new ToolResourceNotFoundError("Nothing to undo: no file was changed in that time.", {
    hint: "Changes of background jobs, and of commands that ran directly on the workspace, are not in the journal; `tenon log` shows what ran.",
  });
}
