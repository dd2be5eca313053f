import { ToolResourceNotFoundError } from "../../contract/errors.js";
import type { ChangeSelector } from "../../contract/ports/journal.js";
import type { Journal } from "../../world/journal/journal.js";
import type { UndoSelector } from "../../world/journal/select-changes.js";

/** What is to be undone: of a path, a call or a task; all since a time; or the last call that changed something. */
export type UndoTarget = ChangeSelector | { readonly since: number } | { readonly last: true };

const mostChanges = 10_000;

/** The target as the journal knows it. Throws where a time is meant in which nothing changed. */
export async function toUndoWish(journal: Journal, what: UndoTarget): Promise<UndoSelector> {
  if (!("since" in what) && !("last" in what)) return what;
  const standing = (await journal.history({ limit: mostChanges })).filter(({ undone }) => !undone);
  // An undo is a change too, but to take it back must be asked for by its own name.
  const changes = standing.filter(({ tool }) => tool !== "undo" && tool !== "undo_edit");
  const meant = "last" in what ? changes.slice(0, 1) : changes.filter(({ time }) => time >= what.since);
  const callIds = [...new Set(meant.map(({ callId }) => callId))];
  if (callIds.length > 0) return { callIds };
  throw new ToolResourceNotFoundError("Nothing to undo was found: no file was changed then.", {
    hint: "Changes by shell commands are not journalled; `tenon log` shows what ran.",
  });
}
